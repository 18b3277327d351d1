import Glibc
import SessionBase
import Synchronization

/// Content on the device that has no name yet. Without a name it is deleted.
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

  /// Deletes the file if it has no name.
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
