import Glibc

/// An unfinished file, invisible until it is complete.
///
/// The bytes go to a temporary file in the same folder, readable only by its owner. `commit` gives it its name in
/// one step; without `commit` it is deleted.
package struct PendingFile: ~Copyable {
  private let path: String
  /// Where its bytes are until then.
  package let temporaryPath: String
  private let replaces: Bool
  private let file: OpenFile
  private var isPending = true

  /// Unless it is to replace a file of that name, it fails at once when there is one: its work would be in vain.
  package init(for path: String, replacing replaces: Bool = false) throws(FileError) {
    guard replaces || access(path, F_OK) != 0 else { throw Self.exists(path) }
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    // A name has 255 bytes at the most, and a scalar up to four.
    let start = Substring(path[cut...].unicodeScalars.prefix(32))
    guard let (file, temporaryPath) = OpenFile.temporary("\(path[..<cut]).\(start).", name: path) else {
      throw .system(.uncreatable, "cannot create", path)
    }
    (self.path, self.replaces, self.file, self.temporaryPath) = (path, replaces, file, temporaryPath)
  }

  deinit {
    if isPending { unlink(temporaryPath) }
  }

  /// Writes a whole file, durably and in one step. With `ownerOf` it belongs to the owner of that file or folder.
  package static func write(
    _ content: Span<UInt8>, to path: String, replacing replaces: Bool = false, ownerOf other: String? = nil
  ) throws(FileError) {
    let file = try PendingFile(for: path, replacing: replaces)
    if let other { try file.belong(toOwnerOf: other) }
    try file.write(content)
    try file.commit()
  }

  package func write(_ bytes: Span<UInt8>) throws(FileError) {
    try file.write(bytes)
  }

  /// Gives the file to the owner of another file or folder; only root can change the owner.
  package func belong(toOwnerOf other: String) throws(FileError) {
    guard geteuid() == 0 else { return }
    var status = stat()
    guard stat(other, &status) == 0 else { throw .system(.unreadable, "cannot look at", other) }
    try file.belong(to: status.st_uid, status.st_gid)
  }

  /// Gives the file its name. An existing file of that name is kept or replaced, as requested. The name is on the
  /// device when this returns.
  package consuming func commit() throws(FileError) {
    try file.synchronize()
    let code =
      replaces
      ? rename(temporaryPath, path) == 0 ? 0 : errno : ExclusiveRename.rename(temporaryPath, to: path)
    guard code == 0 else {
      errno = code
      throw code == EEXIST ? Self.exists(path) : .system(.uncreatable, "cannot create", path)
    }
    isPending = false
    try Folder.synchronize(Folder.of(path))
  }

  private static func exists(_ path: String) -> FileError {
    FileError(.exists, "cannot create \(path): there is a file of that name")
  }
}
