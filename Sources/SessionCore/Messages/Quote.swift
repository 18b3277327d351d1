internal import CSessionCore

/// A reference to the message that is replied to. The text is taken from the original, if it is stored.
public struct Quote: Hashable, Sendable {
  /// When the quoted message was sent.
  public let sentAt: MessageTime
  public let author: SessionID

  public init(sentAt: MessageTime, author: SessionID) {
    self.sentAt = sentAt
    self.author = author
  }

  init(_ target: sc_message_target) throws(SessionError) {
    self.init(sentAt: try MessageTime(milliseconds: target.sent_ms), author: SessionID(target.author))
  }

  var core: sc_message_target { sc_message_target(sent_ms: sentAt.milliseconds, author: author.core) }
}
