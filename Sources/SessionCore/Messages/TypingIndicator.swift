internal import CSessionCore

/// Tells that somebody began or stopped typing.
public struct TypingIndicator: Hashable, Sendable {
  public enum Action: String, Sendable, CaseIterable {
    case started, stopped
  }

  public let action: Action
  /// The same as that of the message.
  public let sentAt: MessageTime

  public init(_ action: Action, sentAt: MessageTime) {
    self.action = action
    self.sentAt = sentAt
  }
}

extension TypingIndicator {
  init(_ fields: Sc__TypingMessage) throws(SessionError) {
    self.init(
      fields.action == SC__TYPING_MESSAGE__ACTION__STARTED ? .started : .stopped,
      sentAt: try MessageTime(milliseconds: fields.timestamp))
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__TypingMessage> {
    let fields = arena.make(sc__typing_message__init)
    fields.pointee.timestamp = sentAt.milliseconds
    fields.pointee.action =
      action == .started ? SC__TYPING_MESSAGE__ACTION__STARTED : SC__TYPING_MESSAGE__ACTION__STOPPED
    return fields
  }
}
