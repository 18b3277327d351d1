import Glibc

extension SessionError {
  /// What the system refused just now, in its own words.
  static func system(_ code: Code, _ what: String, _ path: String) -> SessionError {
    SessionError(code, "\(what) \(path): \(String(cString: strerror(errno)))")
  }
}
