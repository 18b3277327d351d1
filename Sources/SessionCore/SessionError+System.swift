import Glibc

extension SessionError {
  /// What the system refused just now, in its own words; `fileForbidden` where it does not allow it.
  static func system(_ code: Code, _ what: String, _ path: String) -> SessionError {
    let number = errno
    let isForbidden = code.family == .fileSystem && [EACCES, EPERM].contains(number)
    return SessionError(
      isForbidden ? .fileForbidden : code, "\(what) \(path): \(String(cString: strerror(number)))")
  }
}
