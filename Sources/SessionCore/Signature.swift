internal import CSessionCore

/// Ed25519 signatures.
public enum Signature {
  /// Checks that the owner of `publicKey` signed `message`. Throws ``SessionError/Code/signature`` otherwise.
  public static func verify(
    _ signature: some Collection<UInt8>, of message: some Collection<UInt8>,
    by publicKey: some Collection<UInt8>
  ) throws(SessionError) {
    try publicKey.lend { (key) throws(SessionError) in
      try Core.lend(message, signature) { (message, signature) throws(SessionError) in
        try Core.call { sc_ed25519_verify(key, message, signature) }
      }
    }
  }
}
