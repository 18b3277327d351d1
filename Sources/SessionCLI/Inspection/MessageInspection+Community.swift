import SessionCore

// Messages of a community: in its rooms a content, or an Envelope around one, for everybody to read; in inboxes the
// same, encrypted between two blinded ids.

extension MessageInspection {
  static let inboxOverhead = 73
  private static let keyBytes = 32

  func posted(_ bytes: [UInt8]) -> [Inspection] {
    isEnvelope(bytes) ? envelope(bytes) { padded($0) } : padded(bytes)
  }

  private func isEnvelope(_ bytes: [UInt8]) -> Bool {
    if case .varint? = ProtobufReader.fields(of: bytes[...]).fields[1] { true } else { false }
  }

  /// Version ‖ encrypted ‖ tag ‖ nonce.
  func inbox(_ bytes: [UInt8]) -> [Inspection] {
    let nonce = bytes.count - SealedBox.nonceBytes
    let tag = nonce - SealedBox.tagBytes
    return [
      Inspection("version", at: 0..<1, value: "\(bytes[0])"),
      Inspection("encrypted", at: 1..<tag),
      Inspection("tag", at: tag..<nonce, value: bytes[tag..<nonce].hex),
      Inspection("nonce", at: nonce..<bytes.count, value: bytes[nonce...].hex),
    ] + openedInboxMessage(bytes)
  }

  private func openedInboxMessage(_ bytes: [UInt8]) -> [Inspection] {
    guard keys.reader != nil, keys.server != nil, let sender = keys.sender, keys.recipient != nil else {
      return [Inspection("inside", value: "--key, --server, --from and --to open it")]
    }
    do {
      let opened = try openInbox(bytes)
      let end = opened.content.count
      let isEnvelope = isEnvelope(opened.content)
      let inside =
        (isEnvelope
          ? [layer("Envelope", opened.content, posted(opened.content))] : posted(opened.content)) + [
          Inspection(
            "sender's key", at: end..<end + Self.keyBytes, value: opened.senderEd25519PublicKey.hex)
        ]
      return [
        Inspection("opened", at: 0..<end + Self.keyBytes, parts: inside),
        Inspection("blinded sender", value: sender.description, verdict: .good),
        Inspection("sender", value: opened.sender.description),
      ]
    } catch {
      return [failure(error)]
    }
  }

  /// Throws unless all that is needed is there.
  func openInbox(_ bytes: [UInt8]) throws(SessionError) -> OpenedMessage {
    guard let reader = keys.reader, let server = keys.server, let sender = keys.sender,
      let recipient = keys.recipient
    else { preconditionFailure("an inbox is opened with both ids and the server's key") }
    return try BlindedIdentity(of: reader, on: server, scheme: .blinded15)
      .open(bytes, from: sender, to: recipient)
  }
}
