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

  /// Seals a secret for one use: only ``openSecret(_:key:for:)`` with the same context opens it.
  package static func seal(
    _ secret: SecretBytes, key: SecretBytes, for context: some Collection<UInt8>
  ) throws(SessionError) -> [UInt8] {
    try key.withCore { (key) throws(SessionError) in
      try secret.withCore { (secret) throws(SessionError) in
        try context.lend { (context) throws(SessionError) in
          try Core.bytes { sc_box_seal_bound($0, nil, key, context, secret) }
        }
      }
    }
  }

  /// Opens the output of ``seal(_:key:for:)``.
  package static func openSecret(
    _ sealed: some Collection<UInt8>, key: SecretBytes, for context: some Collection<UInt8>
  ) throws(SessionError) -> SecretBytes {
    try key.withCore { (key) throws(SessionError) in
      try Core.lend(sealed, context) { (sealed, context) throws(SessionError) in
        try Core.secret { sc_box_open_bound($0, key, context, sealed) }
      }
    }
  }
}
