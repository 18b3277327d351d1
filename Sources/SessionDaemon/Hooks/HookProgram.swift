import Glibc
import SessionBase

/// The file of a program that only its user or root can replace.
package struct HookProgram: Sendable {
  /// Without symbolic links.
  package let path: String

  /// Why a program is not run.
  package enum Refusal: Error, Hashable, CustomStringConvertible {
    case missing(String)
    case notAbsolute(String)
    case notExecutable(String)
    /// The program, or a folder above it, belongs to another user.
    case foreign(String)
    /// Others can replace the program, or write to a folder above it.
    case writable(String)

    package var description: String {
      switch self {
      case .missing(let path): "there is no program \(path)"
      case .notAbsolute(let path): "the path of a program begins with /, unlike \"\(path)\""
      case .notExecutable(let path): "\(path) is not an executable file"
      case .foreign(let path): "\(path) belongs to another user"
      case .writable(let path): "others can write to \(path); run: chmod go-w '\(path)'"
      }
    }
  }

}

extension HookProgram {
  /// Throws a ``Refusal`` if others could replace the program.
  package init(checking path: String) throws(Refusal) {
    guard path.hasPrefix("/") else { throw .notAbsolute(path) }
    guard let real = realpath(path, nil) else { throw .missing(path) }
    defer { free(real) }
    self.path = String(cString: real)
    var part = ""
    try Self.checkOwner(of: "/")
    for name in self.path.split(separator: "/") {
      part += "/" + name
      try Self.checkOwner(of: part)
    }
    var status = stat()
    guard stat(self.path, &status) == 0 else { throw .missing(path) }
    guard status.st_mode & S_IFMT == S_IFREG, access(self.path, X_OK) == 0 else { throw .notExecutable(path) }
  }

  private static func checkOwner(of path: String) throws(Refusal) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .missing(path) }
    guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreign(path) }
    guard status.st_mode & 0o022 == 0 else { throw .writable(path) }
  }
}
