internal import CLinux
import Glibc

/// How much can be written into a folder.
struct FreeSpace: Sendable {
  /// Folders of one device share their space.
  let device: UInt
  let bytes: Int

  static func inFolder(_ path: String) throws(StorageError) -> FreeSpace {
    var status = stat()
    var space = statvfs()
    guard stat(path, &status) == 0, statvfs(path, &space) == 0 else {
      throw .system("look at the folder \(path)", otherwise: .cannotOpen)
    }
    return FreeSpace(
      device: status.st_dev, bytes: Int(clamping: UInt64(space.f_bavail) * UInt64(space.f_frsize)))
  }

  /// Where the engine makes temporary files, encrypted like the database.
  static var temporaryFolder: String {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { $0.map { String(cString: $0) } }
    let usual: [String] = ["/var/tmp", "/usr/tmp", "/tmp"]
    return (named + usual).first { folder in access(folder, W_OK | X_OK) == 0 } ?? "."
  }

  /// The errno of creating a file in a folder; nil if that works, or if the reason is unknown.
  static func obstacle(in folder: String) -> Int32? {
    let descriptor = open(folder, Int32(LINUX_O_TMPFILE) | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      close(descriptor)
      return nil
    }
    // Not every file system has files without names.
    guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else { return errno }
    var space = statvfs()
    guard statvfs(folder, &space) == 0 else { return nil }
    return space.f_bavail == 0 || (space.f_files > 0 && space.f_favail == 0) ? ENOSPC : nil
  }
}
