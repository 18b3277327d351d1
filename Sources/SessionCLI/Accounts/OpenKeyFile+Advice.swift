import SessionStorage

extension OpenKeyFile {
  /// The warning, and what to do about it.
  static var warningWithAdvice: String { warning + "; 'session db passphrase set' sets one" }
}
