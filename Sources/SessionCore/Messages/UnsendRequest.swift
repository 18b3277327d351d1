internal import CSessionCore

/// Asks everyone to delete a message.
public struct UnsendRequest: Hashable, Sendable {
  /// When the message was sent.
  public let targetSentAt: MessageTime
  public let targetAuthor: SessionID

  public init(targetSentAt: MessageTime, targetAuthor: SessionID) {
    self.targetSentAt = targetSentAt
    self.targetAuthor = targetAuthor
  }

  init(_ target: sc_message_target) throws(SessionError) {
    self.init(
      targetSentAt: try MessageTime(milliseconds: target.sent_ms), targetAuthor: SessionID(target.author))
  }

  var core: sc_message_target {
    sc_message_target(sent_ms: targetSentAt.milliseconds, author: targetAuthor.core)
  }
}
