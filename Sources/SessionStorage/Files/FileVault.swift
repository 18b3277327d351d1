import Glibc
import SessionBase
public import SessionCore

/// Encrypted files beside a database: attachments, pictures. Each has a key of its own, which the database keeps, so that
/// deleting the row destroys the file even before it is removed.
///
/// A file appears under its name when it is whole, and never changes. Files go in and out in pieces, in constant memory.
public struct FileVault: Sendable {
  /// A file in the vault, and what opens it.
  public struct Entry: Sendable {
    public let name: String
    public let key: SecretBytes
    /// The size of the content.
    public let size: UInt64

    public init(name: String, key: SecretBytes, size: UInt64) {
      self.name = name
      self.key = key
      self.size = size
    }
  }

  private let folder: String

  /// The vault in a folder, which is there.
  public init(_ folder: String) {
    self.folder = folder
  }

  /// Bytes of a random name; their hexadecimal digits are the name.
  private static let nameByteCount = 16
  private static let nameLength = 2 * nameByteCount

  /// A name for a file that is to be written. Names are random: they tell nothing, and never meet.
  ///
  /// Record it as an orphan before writing the file, so that a crash leaves no unknown file.
  public static func newName() throws(StorageError) -> String {
    try StorageError.keys("cannot make a name") { () throws(SessionError) in
      try SecretBytes.random(count: nameByteCount).reveal().hex
    }
  }

  /// Writes a file. Nothing is left of it when this fails or is cancelled.
  public func write<Content: AsyncSequence>(
    _ content: Content, as name: String
  ) async throws -> Entry where Content.Element == [UInt8] {
    let path = try path(of: name)
    try await prepareFolder(of: path)
    return try await SessionError.files {
      let sealer = try KeptFileSealer()
      return try await FileWriter.write(path) { file in
        var size: UInt64 = 0
        for try await piece in content {
          try Task.checkCancellation()
          size += UInt64(piece.count)
          try await file.write(try sealer.seal(piece))
        }
        try await file.write(try sealer.finish())
        return Entry(name: name, key: sealer.key, size: size)
      }
    }
  }

  private func prepareFolder(of path: String) async throws(StorageError) {
    try await WorkerQueue("session.storage.vault").run { () throws(StorageError) in
      try StorageError.files { () throws(FileError) in try PrivateFolder.prepare(Folder.of(path)) }
    }
  }

  /// The content of a file, piece by piece; each iteration reads it from the beginning. What came out is not to be
  /// believed in whole before the sequence has ended.
  public func content(of entry: Entry) throws(StorageError) -> FileContent {
    FileContent(path: try path(of: entry.name), key: entry.key)
  }

  /// A file that is about to be written, on the thread of the caller.
  func pendingFile(_ name: String) throws -> PendingFile {
    let path = try path(of: name)
    do throws(FileError) {
      try PrivateFolder.prepare(Folder.of(path))
      return try PendingFile(for: path)
    } catch {
      throw SessionError(error)
    }
  }

  /// Takes a file of another vault on the same disk, which keeps it. One that is here already stays.
  func adopt(_ name: String, from other: FileVault) throws(StorageError) {
    let (path, source) = (try path(of: name), try other.path(of: name))
    try StorageError.files { () throws(FileError) in try PrivateFolder.prepare(Folder.of(path)) }
    guard link(source, path) == 0 || errno == EEXIST else { throw .system("link \(source)") }
    try StorageError.files { () throws(FileError) in try Folder.synchronize(Folder.of(path)) }
  }

  /// Gives the content of a file piece by piece. Blocks its thread.
  func read(_ entry: Entry, _ take: ([UInt8]) throws -> Void) throws {
    let path = try path(of: entry.name)
    let opener = try FileOpener(keptUnder: entry.key)
    let file = try SessionError.files { () throws(FileError) in try OpenFile(reading: path) }
    while true {
      let sealed = try SessionError.files { () throws(FileError) in
        try file.read(upTo: FilePieces.defaultPieceSize)
      }
      let piece = sealed.isEmpty ? try opener.finish() : try opener.open(sealed)
      if !piece.isEmpty { try take(piece) }
      guard !sealed.isEmpty else { return }
    }
  }

  /// Removes a file. One that is not there is as good as removed.
  public func remove(_ name: String) throws(StorageError) {
    try Self.unlink(try path(of: name))
  }

  /// True if a file has this name.
  func has(_ name: String) -> Bool {
    guard let path = try? path(of: name) else { return false }
    return access(path, F_OK) == 0
  }

  /// Removes every file that was written before a time, in milliseconds since 1970, and that `isNeeded` does not know;
  /// likewise what was being written when a program ended.
  func sweep(
    _ sweep: inout FileSweep, writtenBefore time: Int64,
    keeping isNeeded: (String) throws(StorageError) -> Bool
  ) throws(StorageError) {
    for shelf in try Self.names(in: folder) where shelf.utf8.count == Self.shelfLength {
      for name in try Self.names(in: "\(folder)/\(shelf)") {
        let path = "\(folder)/\(shelf)/\(name)"
        guard let written = Self.writingTime(of: path), written < time else { continue }
        if Self.isName(name), try isNeeded(name) { continue }
        _ = sweep.remove("\(shelf)/\(name)") { () throws(StorageError) in try Self.unlink(path) }
      }
    }
  }

  private static func names(in folder: String) throws(StorageError) -> [String] {
    try StorageError.files { () throws(FileError) in try Folder.names(in: folder) }
  }

  /// When a file was written last; nil for what is no file.
  private static func writingTime(of path: String) -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
  }

  private static func unlink(_ path: String) throws(StorageError) {
    guard Glibc.unlink(path) == 0 || errno == ENOENT else { throw .system("remove \(path)") }
  }

  /// Folders do not grow beyond what file systems like: files are spread by the beginnings of their names.
  private static let shelfLength = 2

  private func path(of name: String) throws(StorageError) -> String {
    guard Self.isName(name) else {
      throw StorageError(.value, "\"\(name)\" is not the name of a file in the vault")
    }
    return "\(folder)/\(name.prefix(Self.shelfLength))/\(name)"
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.count == nameLength
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }
}
