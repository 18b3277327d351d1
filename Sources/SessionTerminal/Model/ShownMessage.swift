/// A message, as a conversation shows it.
package struct ShownMessage: Hashable, Sendable, Identifiable {
  package enum State: Hashable, Sendable {
    case received
    case sending
    case sent
    case read
    case failed(String)
    case unsynced(String)
  }

  package enum Kind: Hashable, Sendable {
    case message
    case deleted
    /// A line of the program itself.
    case note
  }

  package struct Quote: Hashable, Sendable {
    /// Nil if the message is not here.
    package var id: Int64?
    package var author: String
    package var text: String?

    package init(id: Int64?, author: String, text: String?) {
      (self.id, self.author, self.text) = (id, author, text)
    }
  }

  package struct Reaction: Hashable, Sendable {
    package var emoji: String
    package var people: [String]
    /// Those who are not named.
    package var others: Int
    package var isOwn: Bool

    package init(emoji: String, people: [String], others: Int = 0, isOwn: Bool = false) {
      (self.emoji, self.people, self.others, self.isOwn) = (emoji, people, others, isOwn)
    }
  }

  package struct File: Hashable, Sendable {
    package enum State: Hashable, Sendable {
      case remote, moving, here, failed, gone
    }

    package var id: Int64
    package var name: String
    package var size: String
    package var state: State
    package var caption: String?

    package init(id: Int64, name: String, size: String, state: State, caption: String? = nil) {
      (self.id, self.name, self.size, self.state, self.caption) = (id, name, size, state, caption)
    }
  }

  package let id: Int64
  package var author: String
  package var isOutgoing: Bool
  package var sentAt: Int64
  package var kind = Kind.message
  package var text: String
  package var state: State
  package var quote: Quote?
  package var files: [File] = []
  package var reactions: [Reaction] = []
  /// The title of the page that a link leads to.
  package var linkTitle: String?
  package var isEdited = false
  /// Who sees it, where that is not everyone.
  package var whisper: String?
  /// Why the last change was not made.
  package var changeFailure: String?
  package var disappearsAt: Int64?
  package var authorID: String

  package init(
    id: Int64, author: String, authorID: String = "", isOutgoing: Bool = false, sentAt: Int64, text: String,
    state: State = .received
  ) {
    (self.id, self.author, self.isOutgoing, self.sentAt) = (id, author, isOutgoing, sentAt)
    (self.text, self.state, self.authorID) = (text, state, authorID)
  }
}
