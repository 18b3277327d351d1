import Glibc
package import SessionBase
package import SessionStorage

/// The folder of the sockets of this user's programs.
package enum SocketFolder {
  /// Returns the path of the folder, created if necessary, which only its owner may open.
  package static func prepared(
    in roots: StorageRoots, _ environment: [String: String]
  ) throws(FileError) -> String {
    let folder = path(in: roots, environment)
    try PrivateFolder.prepare(folder)
    return folder
  }

  /// The path of the folder, which need not exist: in the runtime folder of the login session; without one, a folder next to the locks.
  package static func path(in roots: StorageRoots, _ environment: [String: String]) -> String {
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"), isOwn(folder) else {
      return "\(roots.state)/run"
    }
    return "\(folder)/session"
  }

  private static func isOwn(_ folder: String) -> Bool {
    var status = stat()
    return stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }
}
