internal import CSessionCore

/// Reports that the sender started or stopped typing.
public struct TypingIndicator: Hashable, Sendable {
  public enum Action: String, Sendable, CaseIterable {
    case started, stopped
  }

  public let action: Action
  /// The same as the message's send time.
  public let sentAt: MessageTime

  public init(_ action: Action, sentAt: MessageTime) {
    self.action = action
    self.sentAt = sentAt
  }

  init(_ typing: sc_typing_body) throws(SessionError) {
    self.init(
      typing.is_typing ? .started : .stopped, sentAt: try MessageTime(milliseconds: typing.sent_ms))
  }

  var core: sc_typing_body { sc_typing_body(is_typing: action == .started, sent_ms: sentAt.milliseconds) }
}
