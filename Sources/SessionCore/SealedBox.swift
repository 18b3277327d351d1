internal import CSessionCore

/// A nonce and what a key encrypts: the outermost layer of a group's messages. It proves no sender.
package enum SealedBox {
  package static let nonceBytes = Int(SC_XCHACHA_NONCE_BYTES)
  package static let tagBytes = Int(SC_AEAD_TAG_BYTES)

  package static func open(_ sealed: some Collection<UInt8>, key: SecretBytes) throws(SessionError) -> [UInt8]
  {
    try key.withCore { (key) throws(SessionError) in
      try sealed.lend { (sealed) throws(SessionError) in try Core.bytes { sc_box_open($0, key, sealed) } }
    }
  }
}
