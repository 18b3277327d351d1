import Glibc

/// Folders that only their owner may look into.
package enum PrivateFolder {
  /// Makes a folder, and those above it, with mode 0700, where there are none; one that is there has to be its owner's
  /// alone, if it is the last. Those that were made are on the device when this returns.
  package static func prepare(_ path: String) throws(StorageError) {
    if mkdir(path, 0o700) == 0 { return synchronizeParent(of: path) }
    switch errno {
    case EEXIST: try check(path)
    case ENOENT:
      guard let cut = path.lastIndex(of: "/"), cut > path.startIndex else { fallthrough }
      try prepareParent(String(path[..<cut]))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw refused(path) }
      synchronizeParent(of: path)
    default: throw refused(path)
    }
  }

  /// What is in a folder of which the name is lost is lost with it. A file system that cannot do this keeps names by
  /// itself.
  private static func synchronizeParent(of path: String) {
    let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func prepareParent(_ path: String) throws(StorageError) {
    var status = stat()
    if stat(path, &status) == 0 { return }
    try prepare(path)
  }

  private static func check(_ path: String) throws(StorageError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw StorageError(.cannotOpen, "\(path) is not a folder")
    }
    guard status.st_uid == geteuid() else {
      throw StorageError(.cannotOpen, "\(path) belongs to somebody else")
    }
    guard status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0 else {
      throw StorageError(.readOnly, "others may look into \(path), and that cannot be changed")
    }
  }

  private static func refused(_ path: String) -> StorageError {
    let reason = String(cString: strerror(errno))
    let code: StorageError.Code =
      switch errno {
      case EACCES, EPERM, EROFS: .readOnly
      case ENOSPC, EDQUOT: .full
      default: .cannotOpen
      }
    return StorageError(code, "cannot make the folder \(path): \(reason)")
  }
}
