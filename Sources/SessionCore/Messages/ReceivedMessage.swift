internal import CSessionCore

/// A decrypted message: its proven sender, its time and its content.
///
/// It follows every rule that can be checked on the message alone. The caller checks for duplicates, blocked senders
/// and deleted conversations.
public struct ReceivedMessage: Equatable, Sendable {
  /// Texts are complete, up to ``VisibleMessage/maxCharacters``: a proof may be judged differently later.
  public let message: Message
  /// The proven sender; in a community room, the sender named by its server.
  public let sender: SessionID
  /// The sender's Ed25519 key, 32 bytes; nil in a community room, and where a session proves the sender.
  public let senderEd25519PublicKey: [UInt8]?
  public let place: MessagePlace
  /// In a community room, when its server accepted the message; in an inbox that only counts if the sender gave no time.
  public internal(set) var sentAt: MessageTime
  public let proStatus: ProStatus
  /// True if the sender may use long texts; otherwise show the result of ``VisibleMessage/shown(_:whole:)``.
  public let showsWholeText: Bool
  /// The envelope; community messages have none.
  public let envelope: MessageEnvelope
}

/// The unverified claims of a message's envelope.
public struct MessageEnvelope: Hashable, Sendable {
  public let source: SessionID?
  public let timestamp: UInt64?
}

extension MessageEnvelope {
  init(_ envelope: sc_envelope) {
    func value<V>(_ value: V, _ flag: sc_envelope_flag) -> V? {
      envelope.flags & flag.rawValue != 0 ? value : nil
    }
    source = value(envelope.source, SC_ENVELOPE_SOURCE).map { SessionID($0) }
    timestamp = value(envelope.timestamp_ms, SC_ENVELOPE_TIMESTAMP)
  }
}

extension ReceivedMessage {
  /// Returns the message at another time: one of a room stays at the time of its first post when its author changes it.
  public func at(_ time: MessageTime) -> ReceivedMessage {
    var message = self
    message.sentAt = time
    return message
  }

  /// Returns the group update in the message after verifying it. Nil for any other message.
  public func verifiedGroupUpdate(for reader: Account) throws(SessionError) -> VerifiedGroupUpdate? {
    guard case .groupUpdate(let update) = message.content else { return nil }
    return try update.verify(for: reader, from: sender, in: place, sentAt: sentAt)
  }
}
