import SessionCore
import SessionMessaging

extension ConversationView {
  /// For programs.
  func json(_ directory: Directory) -> JSONObject {
    var object: JSONObject = [
      "type": .string("chat"), "conversation": .string(id.description), "id": .string(id.description),
      "number": .integer(UInt64(clamping: number)), "kind": .string(kind.word),
      "name": .string(name), "unread": .integer(UInt64(clamping: unreadMessages)),
      "unread_mentions": .integer(UInt64(clamping: unreadMentions)),
      "marked_unread": .boolean(isMarkedUnread),
      "pinned": .boolean(isPinned), "hidden": .boolean(isHidden), "request": .boolean(isRequest),
      "blocked": .boolean(isBlocked),
      "accepted": .boolean(isAccepted), "notifies": .string(notifies),
    ]
    object["muted_until"] = mutedUntil.map { .time($0) }
    object["sound"] = sound == .usual ? nil : .string(sound.text)
    object["timer"] = timer.map { .object($0.json) }
    object["draft"] = draft.map { .string($0) }
    if !tags.isEmpty { object["tags"] = .strings(tags) }
    object["last"] = last.map { .object($0.json(directory)) }
    return object
  }

  /// Which of its messages notify, as `session notify` takes it. Rooms notify of mentions by default.
  private var notifies: String {
    switch notifying {
    case .ofEverything: "all"
    case .ofMentions: "mentions"
    case .ofNothing: "nothing"
    case .byDefault: kind == .community ? "mentions" : "all"
    }
  }

  static let columns = ["", "name", "when", "last message"]

  /// For eyes.
  func row(_ directory: Directory) -> [String] {
    let unread = unreadMessages > 0 ? "\(unreadMessages)" : isMarkedUnread ? "•" : ""
    let shownName = directory.name(id)
    guard let last else { return [unread, shownName, "", ""] }
    let author = last.isOutgoing && kind != .noteToSelf ? "me: " : last.authorInGroup(directory)
    let text = DisplayText.fitted(last.briefText(directory), to: 60)
    return [unread, shownName, LocalTime.text(last.sentAt), author + text]
  }

  static let requestColumns = ["name", "when", "message", "id"]

  /// For eyes, where names prove nothing.
  func requestRow(_ directory: Directory) -> [String] {
    let text = last.map { DisplayText.fitted($0.briefText(directory), to: 40) } ?? ""
    return [DisplayText.line(name), last.map { LocalTime.text($0.sentAt) } ?? "", text, id.description]
  }
}

extension ConversationView.Kind {
  fileprivate var word: String {
    switch self {
    case .noteToSelf: "note-to-self"
    case .person: "person"
    case .group: "group"
    case .community: "community"
    }
  }
}
