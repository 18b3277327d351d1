import SessionCore
import SessionStorage

/// A tag that the user gives to conversations. It stays on this device.
public struct Tag: Hashable, Sendable {
  public let name: String
  public let emoji: String?
  /// The conversations that have it.
  public let conversations: [Conversation.ID]

  /// The number of tags, and of those that a conversation may have.
  public static let limit = TagRecord.limit
  public static let limitOfConversation = TagRecord.limitOfConversation
  /// The longest name, in characters.
  public static let maxName = 32

  /// Names that mean conversations without a tag of the user: those with unread messages, for example.
  public enum BuiltIn: String, Sendable, CaseIterable {
    case unread
    case requests
    case groups
    case rooms
    case muted
  }
}

/// The name of a tag, and the folded form in which it is unique.
struct TagName: Hashable, Sendable {
  let text: String
  let folded: String

  /// Throws `invalidName` for a text that cannot name a tag.
  init(_ text: String) throws(MessengerError) {
    let trimmed = text.drop { $0.isWhitespace }
    let name = String(trimmed.reversed().drop { $0.isWhitespace }.reversed())
    guard !name.isEmpty else { throw MessengerError(.invalidName, "a tag needs a name") }
    guard name.count <= Tag.maxName, name.utf8.count <= Tag.maxName * 8 else {
      throw MessengerError(.invalidName, "the name of a tag has up to \(Tag.maxName) characters")
    }
    guard !name.unicodeScalars.contains(where: { Self.forbidden.contains($0.properties.generalCategory) })
    else {
      throw MessengerError(.invalidName, "the name of a tag has no control or direction characters")
    }
    self.text = name
    folded = SearchText.folded(name)
    guard !folded.isEmpty else {
      throw MessengerError(.invalidName, "the name of a tag needs a letter, digit or sign")
    }
    guard Tag.BuiltIn(rawValue: folded) == nil else {
      throw MessengerError(.invalidName, "'\(folded)' means conversations without a tag already")
    }
  }

  private static let forbidden: Set<Unicode.GeneralCategory> = [
    .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
  ]
}
