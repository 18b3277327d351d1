internal import CLinux
import Glibc

/// A file in the making: invisible under its name until it is whole, and gone if it never is.
///
/// The bytes go to a temporary file in the same folder, readable by its owner alone. `commit` gives it its name
/// in one step; a pending file that is dropped before is deleted.
package struct PendingFile: ~Copyable {
  private let path: String
  private let temporaryPath: String
  private let file: OpenFile
  private var isPending = true

  /// Fails at once when there is a file already: its work would be in vain.
  package init(for path: String) throws(SessionError) {
    guard access(path, F_OK) != 0 else { throw Self.exists(path) }
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    // A name has 255 bytes at the most, and a scalar up to four.
    let start = Substring(path[cut...].unicodeScalars.prefix(32))
    var template = Array("\(path[..<cut]).\(start).XXXXXX".utf8CString)
    let descriptor = mkostemp(&template, O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.fileUncreatable, "cannot create", path) }
    self.path = path
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

  /// Gives the file its name. A file that has it already is left alone.
  package consuming func commit() throws(SessionError) {
    try file.synchronize()
    guard renameat2(AT_FDCWD, temporaryPath, AT_FDCWD, path, LINUX_RENAME_NOREPLACE) == 0 else {
      throw errno == EEXIST ? Self.exists(path) : .system(.fileUncreatable, "cannot create", path)
    }
    isPending = false
  }

  private static func exists(_ path: String) -> SessionError {
    SessionError(.fileExists, "cannot create \(path): there is a file of that name")
  }
}
