internal import CSessionCore

/// A decrypted message: its proven sender, its time and its content.
///
/// It kept every rule that a message alone can keep. Whether it is known already, its sender blocked or its
/// conversation gone is for others to say.
public struct ReceivedMessage: Equatable, Sendable {
  /// Texts are whole, up to ``VisibleMessage/maxCharacters``: a proof may be judged differently later.
  public let message: Message
  /// Proven; in a community's room, what its server says.
  public let sender: SessionID
  /// The sender's Ed25519 key, 32 bytes; nil in a community's room.
  public let senderEd25519PublicKey: [UInt8]?
  public let place: MessagePlace
  public let sentAt: MessageTime
  public let proStatus: ProStatus
  /// True if the sender may use long texts; otherwise ``VisibleMessage/shown(_:whole:)`` gives what is to be shown.
  public let showsWholeText: Bool
  /// What stands on the outside; communities have no envelope.
  public let envelope: MessageEnvelope
}

/// What the outside of a message claims. Nothing of it is proven.
public struct MessageEnvelope: Hashable, Sendable {
  public let source: SessionID?
  public let sourceDevice: UInt32?
  public let timestamp: UInt64?
  public let serverTimestamp: UInt64?
}

extension MessageEnvelope {
  init(_ envelope: sc_envelope) {
    func value<V>(_ value: V, _ flag: sc_envelope_flag) -> V? {
      envelope.flags & flag.rawValue != 0 ? value : nil
    }
    source = value(envelope.source, SC_ENVELOPE_SOURCE).map { SessionID($0) }
    sourceDevice = value(envelope.source_device, SC_ENVELOPE_SOURCE_DEVICE)
    timestamp = value(envelope.timestamp_ms, SC_ENVELOPE_TIMESTAMP)
    serverTimestamp = value(envelope.server_timestamp_ms, SC_ENVELOPE_SERVER_TIMESTAMP)
  }
}

extension ReceivedMessage {
  /// The group update that the message claims, once it is proven. Nil for any other message.
  public func verifiedGroupUpdate(for reader: Account) throws(SessionError) -> VerifiedGroupUpdate? {
    guard case .groupUpdate(let update) = message.content else { return nil }
    return try update.verify(for: reader, from: sender, in: place, sentAt: sentAt)
  }
}
