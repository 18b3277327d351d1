internal import CLinux
import Glibc

/// Gives a file or folder a name that nothing has.
///
/// The kernel does it in one step, but not on every file system: NFS and sshfs refuse the flag that it takes. There a file
/// gets its name by a second link, or takes the place of an empty one that was made for it, and a folder that of an empty
/// folder. None of these replaces what another program put there.
package enum ExclusiveRename {
  /// Returns 0, or the number of the error: `EEXIST` if the name is taken.
  package static func rename(_ path: String, to target: String) -> Int32 {
    guard renameat2(AT_FDCWD, path, AT_FDCWD, target, LINUX_RENAME_NOREPLACE) != 0 else { return 0 }
    let code = errno
    return [EINVAL, ENOSYS, EOPNOTSUPP].contains(code) ? withoutFlag(path, to: target) : code
  }

  /// The same where the kernel cannot do it.
  static func withoutFlag(_ path: String, to target: String) -> Int32 {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno }
    if status.st_mode & S_IFMT == S_IFDIR { return renameFolder(path, to: target) }
    guard link(path, target) != 0 else { return unlink(path) == 0 ? 0 : errno }
    return errno == EEXIST ? EEXIST : byReserving(path, as: target)
  }

  /// The same where there are no links either.
  static func byReserving(_ path: String, as target: String) -> Int32 {
    let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return errno }
    close(file)
    guard Glibc.rename(path, target) != 0 else { return 0 }
    let code = errno
    unlink(target)
    return code
  }

  private static func renameFolder(_ path: String, to target: String) -> Int32 {
    guard mkdir(target, 0o700) == 0 else { return errno }
    guard Glibc.rename(path, target) != 0 else { return 0 }
    let code = errno
    rmdir(target)
    return code
  }
}
