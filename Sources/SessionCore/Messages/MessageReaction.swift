internal import CSessionCore

/// An emoji put to a message, or taken from it.
public struct MessageReaction: Equatable, Sendable {
  public enum Action: String, Sendable, CaseIterable {
    case react, remove
  }

  public let action: Action
  public let emoji: String
  /// When the message was sent that it is for.
  public let targetSentAt: MessageTime
  public let targetAuthor: SessionID
  public private(set) var profile: MessageProfile?
  /// In a copy for own devices: whose conversation the message belongs to.
  public private(set) var syncTarget: SessionID?

  public init(
    _ action: Action, emoji: String, targetSentAt: MessageTime, targetAuthor: SessionID,
    profile: MessageProfile? = nil, syncTarget: SessionID? = nil
  ) throws(SessionError) {
    try MessageRule.reactionEmoji.require(emoji.isOneEmoji)
    self.action = action
    self.emoji = emoji
    self.targetSentAt = targetSentAt
    self.targetAuthor = targetAuthor
    self.profile = profile
    self.syncTarget = syncTarget
  }

  /// What reactions are compared by: the emoji, however its sender's keyboard spells it.
  public var emojiKey: String { emoji.withoutEmojiVariation }

  /// The same, for the own devices: it tells the conversation, and no profile.
  func copy(forOwnDevicesIn conversation: SessionID) -> MessageReaction {
    var copy = self
    copy.profile = nil
    copy.syncTarget = conversation
    return copy
  }
}

extension MessageReaction {
  init(_ fields: Sc__Reaction, of data: Sc__DataMessage) throws(SessionError) {
    try MessageRule.dataFlags.require(data.setFlags == 0)
    guard let author = SessionID(try fields.author.requiredText()) else {
      throw SessionError(.reactionAuthor)
    }
    let frame = try DataMessageFrame(data)
    try self.init(
      fields.action == SC__REACTION__ACTION__REACT ? .react : .remove, emoji: fields.emoji.requiredText(),
      targetSentAt: MessageTime(milliseconds: fields.id), targetAuthor: author, profile: frame.profile,
      syncTarget: frame.syncTarget)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__DataMessage> {
    let data = DataMessageFrame(profile: profile, syncTarget: syncTarget).write(to: arena)
    let fields = arena.make(sc__reaction__init)
    fields.pointee.id = targetSentAt.milliseconds
    fields.pointee.author = arena.text(targetAuthor.description)
    fields.pointee.emoji = arena.text(emoji)
    fields.pointee.action = action == .react ? SC__REACTION__ACTION__REACT : SC__REACTION__ACTION__REMOVE
    data.pointee.reaction = fields
    return data
  }
}

extension String {
  private static let maxEmojiScalars = 16
  private static let emojiVariation: Unicode.Scalar = "\u{FE0F}"
  private static let keycap: Unicode.Scalar = "\u{20E3}"

  /// True if it is one character that shows as an emoji.
  fileprivate var isOneEmoji: Bool {
    guard count == 1, let first = unicodeScalars.first, unicodeScalars.count <= Self.maxEmojiScalars else {
      return false
    }
    let isPlain = first.properties.isEmojiPresentation || (first.properties.isEmoji && !first.isASCII)
    let isMadeEmoji = unicodeScalars.contains { $0 == Self.emojiVariation || $0 == Self.keycap }
    return isPlain || (first.properties.isEmoji && isMadeEmoji)
  }

  /// Without what only asks for colours.
  fileprivate var withoutEmojiVariation: String {
    String(UnicodeScalarView(unicodeScalars.filter { $0 != Self.emojiVariation }))
  }
}
