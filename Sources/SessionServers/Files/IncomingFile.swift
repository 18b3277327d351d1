import Glibc
import SessionBase
import Synchronization

/// Content that is on the device and has no name by which anybody finds it. It is gone if it never gets one.
final class IncomingFile: Sendable {
  /// Nil once it has its name.
  private let path: Mutex<String?>

  init(_ content: [UInt8], in folder: String) throws(FileStoreFailure) {
    guard let (file, path) = OpenFile.temporary("\(folder)/", name: "a file") else {
      throw .system("cannot create a file")
    }
    self.path = Mutex(path)
    do throws(FileError) {
      try file.write(content.span)
      try file.synchronize()
    } catch {
      throw FileStoreFailure(error)
    }
  }

  deinit { discard() }

  /// Removes what has no name yet.
  func discard() {
    path.withLock { path in
      if let path { unlink(path) }
      path = nil
    }
  }

  func move(to place: String) throws(FileStoreFailure) {
    try path.withLock { (path) throws(FileStoreFailure) in
      guard let current = path else { return }
      guard rename(current, place) == 0 else { throw .system("cannot name a file") }
      path = nil
    }
  }
}
