internal import CSessionCore

extension Account {
  /// Opens a stored or posted message. `proBackend`, 32 bytes, is the key of the backend that issues Pro proofs;
  /// without it no proof is valid.
  ///
  /// ``SessionError/Code/noKey`` for a message of a group means that a newer key is needed: keep the message. After
  /// any other failure the message is useless.
  public func decode(
    _ bytes: some Collection<UInt8>, from origin: MessageOrigin, proBackend: [UInt8]? = nil
  ) throws(SessionError) -> ReceivedMessage {
    let backend = proBackend ?? [UInt8](repeating: 0, count: Int(SC_KEY_BYTES))
    guard backend.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    let handle = try MessageHandle(decoding: bytes) { (out, bytes) throws(SessionError) in
      try decode(bytes, into: out, from: origin, backend: backend)
    }
    return try ReceivedMessage(handle, from: origin, reader: id)
  }

  private func decode(
    _ bytes: sc_bytes, into out: UnsafeMutablePointer<OpaquePointer?>, from origin: MessageOrigin,
    backend: [UInt8]
  ) throws(SessionError) -> sc_status {
    switch origin {
    case .ownSwarm:
      return withKeys { keys in
        sc_decode_from_contact(out, nil, keys.pointer(to: \.x), 1, backend, bytes)
      }
    case .group(let group, let keys):
      try group.require(.group)
      var id = group.core
      return keys.withCore { keys in
        sc_decode_from_group(out, nil, &id, keys, keys.count, backend, bytes)
      }
    case .community(let sender, let postedAt):
      try sender.require(.standard, .blinded15, .blinded25, .unblinded)
      return sc_decode_from_community(out, nil, backend, postedAt.seconds, bytes)
    case .inbox(let server, let sender, let recipient, let postedAt):
      guard server.count == Int(SC_KEY_BYTES) else { return SC_ERR_KEY_SIZE }
      var sender = sender.core
      var recipient = recipient.core
      return withKeys { keys in
        sc_decode_from_inbox(
          out, nil, keys, server, &sender, &recipient, backend, postedAt.seconds, bytes)
      }
    }
  }
}

extension ReceivedMessage {
  fileprivate init(
    _ handle: borrowing MessageHandle, from origin: MessageOrigin, reader: SessionID
  ) throws(SessionError) {
    envelope = MessageEnvelope(handle.envelope)
    proStatus = handle.proStatus
    place = origin.place
    let outer: MessageTime
    switch (origin.postedAt, envelope.timestamp) {
    case (let postedAt?, _): outer = postedAt
    case (nil, let timestamp?): outer = try MessageTime(milliseconds: timestamp)
    case (nil, nil): throw SessionError(.timeMissing)
    }
    if let proven = handle.sender {
      sender = SessionID(proven.id)
      senderEd25519PublicKey = array(proven.ed25519_public)
    } else if case .community(let named, _) = origin {
      sender = named
      senderEd25519PublicKey = nil
    } else {
      preconditionFailure("a message of a swarm or inbox has a sender")
    }
    let (place, sender, checked) = (place.core, sender, outer.milliseconds)
    message = try handle.withBody { (body) throws(SessionError) in
      try body.check(from: sender, to: reader, in: place, sentAt: checked)
      return try Message(body)
    }
    if case .inbox = origin { sentAt = message.sentAt ?? outer } else { sentAt = outer }
    showsWholeText = proStatus == .valid && message.pro?.messageFeatures.contains(.longText) ?? false
  }
}

extension sc_message_body {
  /// Throws unless `sender` may send this message to `reader` in this place.
  func check(
    from sender: SessionID, to reader: SessionID, in place: sc_message_place, sentAt: UInt64
  ) throws(SessionError) {
    var (sender, reader) = (sender.core, reader.core)
    try MessageRule.check(
      withUnsafePointer(to: self) { sc_message_body_check_received($0, place, &sender, &reader, sentAt) })
  }
}
