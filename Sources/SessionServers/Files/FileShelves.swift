import Glibc
import SessionBase
import SessionStorage

/// The content of files, spread over folders by the beginnings of their names, so that no folder grows too large.
///
/// This type does not know which files should exist.
struct FileShelves: Sendable {
  /// Characters of the name of a shelf.
  private static let shelfLength = 2

  let folder: String

  /// The folder of files without a name.
  private var incoming: String { folder + "/incoming" }

  func prepare() throws(StorageError) {
    try StorageError.files { () throws(FileError) in try PrivateFolder.prepare(incoming) }
  }

  func path(of name: String) -> String { "\(folder)/\(name.prefix(Self.shelfLength))/\(name)" }

  func has(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

  /// Writes content to the device, for `place` to give it its name.
  func receive(_ content: [UInt8], for name: String) throws -> IncomingFile {
    try prepareShelf(of: name)
    return try IncomingFile(content, in: incoming)
  }

  /// Creates an empty file for content that arrives in pieces.
  func receive() throws(FileStoreFailure) -> IncomingFile { try IncomingFile(in: incoming) }

  /// Creates the folder where a file of this name goes.
  func prepareShelf(of name: String) throws(StorageError) {
    try StorageError.files { () throws(FileError) in
      try PrivateFolder.prepare("\(folder)/\(name.prefix(Self.shelfLength))")
    }
  }

  /// Gives a file its name. It is on the device when this returns.
  func place(_ file: IncomingFile, as name: String) throws(FileStoreFailure) {
    let path = path(of: name)
    try file.move(to: path)
    try Self.synchronize(Folder.of(path))
  }

  /// A missing file counts as deleted.
  func remove(_ name: String) throws(FileStoreFailure) {
    guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw .system("cannot remove a file") }
  }

  /// Deletes unfinished uploads of a previous run: those older than so many seconds. Returns their number.
  func removeIncoming(olderThan seconds: Int = 0) throws(FileStoreFailure) -> Int {
    let names = try Self.names(in: incoming).filter { Self.isOld("\(incoming)/\($0)", seconds: seconds) }
    for name in names { unlink("\(incoming)/\(name)") }
    return names.count
  }

  /// The shelves there are.
  func shelves() throws(FileStoreFailure) -> [String] {
    try Self.names(in: folder).filter { name in
      name.utf8.count == Self.shelfLength && name.utf8.allSatisfy(FileHandle.isNameByte)
    }
  }

  /// The files in one folder.
  func names(on shelf: String) throws(FileStoreFailure) -> [String] {
    try Self.names(in: "\(folder)/\(shelf)")
  }

  /// Deletes any file of this name.
  func remove(_ name: String, on shelf: String) { unlink("\(folder)/\(shelf)/\(name)") }

  /// True for a file that was written so many seconds ago.
  func isOld(_ name: String, on shelf: String, seconds: Int) -> Bool {
    Self.isOld("\(folder)/\(shelf)/\(name)", seconds: seconds)
  }

  private static func isOld(_ path: String, seconds: Int) -> Bool {
    guard seconds > 0 else { return true }
    var status = stat()
    return stat(path, &status) == 0 && status.st_mtim.tv_sec + seconds <= time(nil)
  }

  private static func names(in path: String) throws(FileStoreFailure) -> [String] {
    do throws(FileError) { return try Folder.names(in: path) } catch { throw .system(error.message) }
  }

  private static func synchronize(_ folder: String) throws(FileStoreFailure) {
    do throws(FileError) { try Folder.synchronize(folder) } catch { throw FileStoreFailure(error) }
  }
}
