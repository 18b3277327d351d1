internal import CSessionCore

extension ReceivedMessage {
  /// Reads and checks the content of a message of the ratchet protocol, whose session proves the sender.
  ///
  /// `sentAt` is the time of its body, which must be that of the content. Pro features are not read.
  public init(
    ratchetContent content: some Collection<UInt8>, sentAt: MessageTime?, from sender: SessionID,
    to reader: SessionID
  ) throws(SessionError) {
    message = try Message(parsing: content)
    guard let time = message.sentAt, sentAt == nil || sentAt == time else {
      throw SessionError(SC_ERR_RATCHET_BODY)
    }
    try message.withCore { (body) throws(SessionError) in
      try body.pointee.check(from: sender, to: reader, in: SC_PLACE_CONTACT, sentAt: time.milliseconds)
    }
    self.sender = sender
    self.sentAt = time
    senderEd25519PublicKey = nil
    place = .contact
    proStatus = .none
    showsWholeText = false
    envelope = MessageEnvelope(source: nil, timestamp: nil)
  }
}
