/// What a person has set about the notifications of an account.
package struct NotificationChoices: Hashable, Sendable {
  package enum Preview: String, Sendable, CaseIterable {
    /// The name and the text.
    case message
    /// The name.
    case contact
    case hidden
  }

  package var areOn = true
  package var preview = Preview.contact
  package var hasSound = true
  package var hasActions = true
  /// True if texts of messages that disappear are shown, too.
  package var showsTimed = false

  package init() {}

  /// The preview of something, where a server may keep copies of what it shows, and other people may see a locked screen.
  func preview(of notice: Notice, isLocked: Bool) -> Preview {
    if isLocked { return .hidden }
    return preview == .message && notice.hasTimer && !showsTimed ? .contact : preview
  }

  /// True if an answer to something may be shown, so that it is not lost.
  func showsAnswer(to notice: Notice, isLocked: Bool) -> Bool {
    !isLocked && preview != .hidden && (!notice.hasTimer || showsTimed)
  }
}

/// What is known of a conversation when something of it may be shown.
package struct NoticeConversation: Hashable, Sendable {
  package enum Notifying: String, Sendable {
    case all
    case mentions
    case nothing
  }

  package var name: String
  /// True if several people write in it.
  package var isShared = false
  package var unread = 0
  /// Milliseconds since 1970.
  package var mutedUntil: Int64?
  package var notifying = Notifying.all
  package var isRequest = false
  package var isBlocked = false

  package init(name: String) { self.name = name }

  /// True if something of it is shown at a time. A conversation that was read meanwhile, here or on another device, has nothing
  /// new.
  package func admits(_ notice: Notice, at now: Int64) -> Bool {
    // What became of an own message, or of the account, is no message of others.
    guard notice.category != .failure, notice.category != .locked else { return true }
    guard mutedUntil.map({ $0 <= now }) ?? true else { return false }
    switch notifying {
    case .all: break
    case .mentions: guard notice.mentionsUs || notice.category != .message else { return false }
    case .nothing: return false
    }
    guard !isBlocked else { return false }
    return notice.category == .request || notice.category == .invitation
      ? isRequest : unread > 0 && !isRequest
  }
}
