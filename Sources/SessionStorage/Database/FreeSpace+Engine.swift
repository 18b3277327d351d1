import Glibc
import SessionBase

extension FreeSpace {
  /// The folder of SQLite's temporary files, which are encrypted like the database.
  static var temporaryFolder: String {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { $0.map { String(cString: $0) } }
    let usual: [String] = ["/var/tmp", "/usr/tmp", "/tmp"]
    return (named + usual).first { folder in access(folder, W_OK | X_OK) == 0 } ?? "."
  }
}
