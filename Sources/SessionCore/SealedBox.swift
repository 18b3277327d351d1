internal import CSessionCore

/// A nonce and a ciphertext: the outermost layer of a group's messages, and the form of a key encrypted with another.
/// It does not prove the sender.
package enum SealedBox {
  package static let nonceBytes = Int(SC_XCHACHA_NONCE_BYTES)
  package static let tagBytes = Int(SC_AEAD_TAG_BYTES)

  package static func open(_ sealed: some Collection<UInt8>, key: SecretBytes) throws(SessionError) -> [UInt8]
  {
    try key.withCore { (key) throws(SessionError) in
      try Core.bytes(of: sealed) { sc_box_open($0, key, $1) }
    }
  }

  /// Seals a secret with a fresh nonce, which precedes it.
  package static func seal(_ secret: SecretBytes, key: SecretBytes) throws(SessionError) -> [UInt8] {
    try key.withCore { (key) throws(SessionError) in
      try secret.withCore { (secret) throws(SessionError) in
        try Core.bytes { sc_box_seal($0, nil, key, secret) }
      }
    }
  }

  /// Opens the output of ``seal(_:key:)``.
  package static func openSecret(
    _ sealed: some Collection<UInt8>, key: SecretBytes
  ) throws(SessionError) -> SecretBytes {
    try key.withCore { (key) throws(SessionError) in
      try sealed.lend { (sealed) throws(SessionError) in try Core.secret { sc_box_open($0, key, sealed) } }
    }
  }
}
