internal import CLinux
import Glibc

/// The free space for files in a folder.
package struct FreeSpace: Sendable {
  /// Folders of one device share their space.
  package let device: UInt
  package let bytes: Int

  package init(device: UInt, bytes: Int) { (self.device, self.bytes) = (device, bytes) }

  package static func inFolder(_ path: String) throws(FileError) -> FreeSpace {
    var status = stat()
    var space = statvfs()
    guard stat(path, &status) == 0, statvfs(path, &space) == 0 else {
      throw .system(.unreadable, "cannot look at the folder", path)
    }
    return FreeSpace(
      device: status.st_dev, bytes: Int(clamping: UInt64(space.f_bavail) * UInt64(space.f_frsize)))
  }

  /// The errno of creating a file in a folder; nil if that works, or if the reason is unknown.
  package static func obstacle(in folder: String) -> Int32? {
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
