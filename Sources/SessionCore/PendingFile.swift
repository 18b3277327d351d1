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

  package init(for path: String) throws(SessionError) {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    var template = Array("\(path[..<cut]).\(path[cut...].prefix(64)).XXXXXX".utf8CString)
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
      throw .system(errno == EEXIST ? .fileExists : .fileUncreatable, "cannot create", path)
    }
    isPending = false
  }
}
