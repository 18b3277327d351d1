import Glibc

extension SessionError {
  /// What the system refused just now, in its own words. Of a file, missing permissions, a full disk and a broken one have
  /// codes of their own.
  static func system(_ code: Code, _ what: String, _ path: String) -> SessionError {
    let number = errno
    let told: Code =
      switch number {
      case _ where code.family != .fileSystem: code
      case EACCES, EPERM, EROFS: .fileForbidden
      case ENOSPC, EDQUOT: .diskFull
      case EIO where code == .fileUncreatable: .fileUnwritable
      default: code
      }
    return SessionError(told, "\(what) \(path): \(String(cString: strerror(number)))")
  }
}
