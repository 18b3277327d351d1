import Glibc
import SessionBase
import SessionHTTP
import Synchronization

/// Content that arrives in pieces, and has no name yet. Without a name it is deleted.
final class IncomingFile: Sendable {
  private let file: OpenFile
  /// Nil once it has its name.
  private let path: Mutex<String?>

  /// Creates an empty one.
  init(in folder: String) throws(FileStoreFailure) {
    guard let (file, path) = OpenFile.temporary("\(folder)/", name: "a file") else {
      throw .system("cannot create a file")
    }
    self.file = file
    self.path = Mutex(path)
  }

  /// Creates one whose content is whole, and on the device.
  convenience init(_ content: [UInt8], in folder: String) throws(FileStoreFailure) {
    try self.init(in: folder)
    try append(content)
    try synchronize()
  }

  deinit { discard() }

  func append(_ piece: [UInt8]) throws(FileStoreFailure) {
    do throws(FileError) { try file.write(piece.span) } catch { throw FileStoreFailure(error) }
  }

  /// Returns when the content is on the device.
  func synchronize() throws(FileStoreFailure) {
    do throws(FileError) { try file.synchronize() } catch { throw FileStoreFailure(error) }
  }

  /// The content from its beginning. Throws `system` once it has its name.
  func reading() throws -> OpenFile {
    guard let path = path.withLock({ $0 }) else {
      throw FileStoreFailure.refused("a file has its name already")
    }
    return try OpenFile(reading: path)
  }

  /// The file, to be sent, which keeps something as long as it is open; nil if it cannot be opened.
  func opened(holding held: any Sendable) -> HTTPFile? {
    path.withLock { $0 }.flatMap { HTTPFile(reading: $0, holding: held) }
  }

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
