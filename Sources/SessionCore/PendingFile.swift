internal import CLinux
import Glibc

/// A file in the making: invisible under its name until it is whole, and gone if it never is.
///
/// The bytes go to a temporary file in the same folder, readable by its owner alone. `commit` gives it its name
/// in one step; a pending file that is dropped before is deleted.
package struct PendingFile: ~Copyable {
  private let path: String
  private let temporaryPath: String
  private let replaces: Bool
  private let file: OpenFile
  private var isPending = true

  /// Unless it is to replace a file of that name, it fails at once when there is one: its work would be in vain.
  package init(for path: String, replacing replaces: Bool = false) throws(SessionError) {
    guard replaces || access(path, F_OK) != 0 else { throw Self.exists(path) }
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    // A name has 255 bytes at the most, and a scalar up to four.
    let start = Substring(path[cut...].unicodeScalars.prefix(32))
    var template = Array("\(path[..<cut]).\(start).XXXXXX".utf8CString)
    let descriptor = mkostemp(&template, O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.fileUncreatable, "cannot create", path) }
    self.path = path
    self.replaces = replaces
    self.file = OpenFile(adopting: descriptor, name: path)
    self.temporaryPath = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    if isPending { unlink(temporaryPath) }
  }

  package func write(_ bytes: Span<UInt8>) throws(SessionError) {
    try file.write(bytes)
  }

  /// Has the file belong to whom another file, or a folder, belongs to; only root can have it belong to somebody else.
  package func belong(toOwnerOf other: String) throws(SessionError) {
    guard geteuid() == 0 else { return }
    var status = stat()
    guard stat(other, &status) == 0 else { throw .system(.fileUnreadable, "cannot look at", other) }
    try file.belong(to: status.st_uid, status.st_gid)
  }

  /// Gives the file its name. A file that has it already is left alone, or gone, as was asked for. Unless it fails,
  /// the name too is on the device when this returns.
  package consuming func commit() throws(SessionError) {
    try file.synchronize()
    let flags = replaces ? 0 : LINUX_RENAME_NOREPLACE
    guard renameat2(AT_FDCWD, temporaryPath, AT_FDCWD, path, flags) == 0 else {
      throw errno == EEXIST ? Self.exists(path) : .system(.fileUncreatable, "cannot create", path)
    }
    isPending = false
    try Self.synchronizeFolder(of: path)
  }

  /// Returns when the names in the folder of a file are on the device.
  package static func synchronizeFolder(of path: String) throws(SessionError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.fileUnwritable, "cannot open the folder", folder) }
    defer { close(descriptor) }
    // Some file systems cannot do this for folders, and write names at once.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .system(.fileUnwritable, "cannot write the folder", folder)
    }
  }

  private static func exists(_ path: String) -> SessionError {
    SessionError(.fileExists, "cannot create \(path): there is a file of that name")
  }
}
