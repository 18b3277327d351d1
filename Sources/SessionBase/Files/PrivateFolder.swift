import Glibc

/// Folders that only their owner may look into.
package enum PrivateFolder {
  /// Creates a folder and its missing parents with mode 0700. If the folder exists, it must be private to its
  /// owner. New folders are on the device when this returns.
  package static func prepare(_ path: String) throws(FileError) {
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

  /// If the name of a folder is lost, so is its content. A parent that this user may not open cannot be synchronised:
  /// ignore that failure.
  private static func synchronizeParent(of path: String) { try? Folder.synchronize(Folder.of(path)) }

  private static func prepareParent(_ path: String) throws(FileError) {
    var status = stat()
    if stat(path, &status) == 0 { return }
    try prepare(path)
  }

  private static func check(_ path: String) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw FileError(.uncreatable, "\(path) is not a folder")
    }
    guard status.st_uid == geteuid() else {
      throw FileError(.uncreatable, "\(path) belongs to another user")
    }
    guard status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0 else {
      throw FileError(.forbidden, "others can read \(path), and its permissions cannot be changed")
    }
  }

  private static func refused(_ path: String) -> FileError {
    let reason = String(cString: strerror(errno))
    let code: FileError.Code =
      switch errno {
      case EACCES, EPERM, EROFS: .forbidden
      case ENOSPC, EDQUOT: .diskFull
      default: .uncreatable
      }
    return FileError(code, "cannot create the folder \(path): \(reason)")
  }
}
