internal import CSessionCore

extension Account {
  /// Returns the bytes to store or post for a message. `proSeed`, 32 bytes, is the seed of the key named in the
  /// message's Pro proof.
  public func encode(
    _ message: Message, for destination: MessageDestination, proSeed: SecretBytes? = nil
  ) throws(SessionError) -> [UInt8] {
    try destination.requireForm()
    return try message.withProPair(proSeed) { (pro) throws(SessionError) in
      try MessageRule.check(
        message.withCore { sc_message_body_check_sending($0, destination.place, pro) })
      guard let sentAt = message.sentAt?.milliseconds else { throw SessionError(.timeMissing) }
      return try withKeys { (keys) throws(SessionError) in
        try message.withContent { (content) throws(SessionError) in
          try Core.bytes {
            encode(content, into: $0, from: keys, for: destination, sentAt: sentAt, pro: pro)
          }
        }
      }
    }
  }

  private func encode(
    _ content: sc_bytes, into out: UnsafeMutablePointer<sc_buffer>, from keys: UnsafePointer<sc_keypair>,
    for destination: MessageDestination, sentAt: UInt64, pro: UnsafePointer<sc_ed25519_pair>?
  ) -> sc_status {
    switch destination {
    case .contact(let recipient):
      var recipient = recipient.core
      return sc_encode_for_contact(out, nil, keys, &recipient, content, sentAt, pro)
    case .ownDevices:
      var own = id.core
      return sc_encode_for_contact(out, nil, keys, &own, content, sentAt, pro)
    case .group(let group, let key):
      var group = group.core
      return key.withCore { sc_encode_for_group(out, nil, keys, &group, $0, content, sentAt, pro) }
    case .community:
      return sc_encode_for_community(out, nil, content, pro)
    case .inbox(let recipient, let server):
      var recipient = recipient.core
      return sc_encode_for_inbox(out, nil, keys, server, &recipient, content, pro)
    }
  }
}

extension Message {
  /// Lends the key pair of the Pro proof; nil without Pro.
  fileprivate func withProPair<R>(
    _ seed: SecretBytes?, _ body: (UnsafePointer<sc_ed25519_pair>?) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    if let seed { try MessageRule.proKey.require(seed.count == Int(SC_ED25519_SEED_BYTES)) }
    return try seed.withPair(body)
  }
}
