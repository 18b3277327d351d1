import Glibc

extension StorageError {
  /// What the system refused just now; `what` says what was tried. Where it says no more than that, it is `otherwise`.
  static func system(_ what: String, otherwise: Code = .io, _ number: Int32 = errno) -> StorageError {
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EACCES, EPERM, EROFS: .readOnly
      case EIO: .io
      default: otherwise
      }
    return StorageError(code, "cannot \(what): \(String(cString: strerror(number)))")
  }
}
