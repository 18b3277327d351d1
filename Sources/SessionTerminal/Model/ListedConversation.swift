/// A conversation, as the list shows it. Names and texts are as others wrote them: they become cells before they are drawn.
package struct ListedConversation: Hashable, Sendable, Identifiable {
  package enum Kind: Hashable, Sendable {
    case noteToSelf, person, group, room
  }

  /// The newest message.
  package struct Last: Hashable, Sendable {
    /// Nil where the conversation itself says who wrote it.
    package var author: String?
    package var text: String
    package var at: Int64

    package init(author: String? = nil, text: String, at: Int64) {
      (self.author, self.text, self.at) = (author, text, at)
    }
  }

  package let id: String
  package var kind: Kind
  package var name: String
  package var last: Last?
  package var unread = 0
  package var mentions = 0
  package var isMarkedUnread = false
  package var isPinned = false
  package var isHidden = false
  package var isMuted = false
  package var isBlocked = false
  /// True for a message request, and for an invitation to a group.
  package var isRequest = false
  package var isTyping = false
  /// True if its last message was not sent.
  package var hasFailed = false
  package var draft: String?
  /// The timer of messages, such as `1h`.
  package var timer: String?
  /// What a person has to know before writing, such as that the group has ended.
  package var warning: String?
  /// True if we may change the group, or moderate the room.
  package var isAdmin = false

  package init(id: String, kind: Kind, name: String, last: Last? = nil) {
    (self.id, self.kind, self.name, self.last) = (id, kind, name, last)
  }

  package var isUnread: Bool { unread > 0 || isMarkedUnread }

  /// The beginning and the end of a long id.
  var shortID: String {
    guard id.utf8.count == 66 else { return id }
    return "\(id.prefix(4))…\(id.suffix(4))"
  }
}
