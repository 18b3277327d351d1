internal import CSessionCore

/// An emoji added to a message, or removed from it.
public struct MessageReaction: Equatable, Sendable, SyncedContent {
  public enum Action: String, Sendable, CaseIterable {
    case react, remove
  }

  public let action: Action
  public let emoji: String
  /// When the target message was sent.
  public let targetSentAt: MessageTime
  public let targetAuthor: SessionID
  public internal(set) var profile: MessageProfile?
  /// In a copy for own devices: the recipient of the original message.
  public internal(set) var syncTarget: SessionID?

  public init(
    _ action: Action, emoji: String, targetSentAt: MessageTime, targetAuthor: SessionID,
    profile: MessageProfile? = nil, syncTarget: SessionID? = nil
  ) throws(SessionError) {
    self.action = action
    self.emoji = emoji
    self.targetSentAt = targetSentAt
    self.targetAuthor = targetAuthor
    self.profile = profile
    self.syncTarget = syncTarget
    try MessageContent.reaction(self).check()
  }

  /// The form used to compare emojis, independent of how the sender's keyboard encodes them.
  public var emojiKey: String { emoji.withoutEmojiVariation }

  init(
    _ reaction: sc_reaction_body, profile: MessageProfile?, syncTarget: SessionID?
  ) throws(SessionError) {
    action = reaction.is_removal ? .remove : .react
    emoji = reaction.emoji.text ?? ""
    targetSentAt = try MessageTime(milliseconds: reaction.target.sent_ms)
    targetAuthor = SessionID(reaction.target.author)
    self.profile = profile
    self.syncTarget = syncTarget
  }

  func core(in arena: CoreArena) -> sc_reaction_body {
    sc_reaction_body(
      target: sc_message_target(sent_ms: targetSentAt.milliseconds, author: targetAuthor.core),
      emoji: arena.text(emoji), is_removal: action == .remove)
  }
}

extension String {
  private static let emojiVariation: Unicode.Scalar = "\u{FE0F}"

  /// The text without variation selectors that only request colour.
  fileprivate var withoutEmojiVariation: String {
    String(UnicodeScalarView(unicodeScalars.filter { $0 != Self.emojiVariation }))
  }
}
