/// The texts of a notification. They are plain, and what others have written is on one line.
package struct NoticeText: Hashable, Sendable {
  package let title: String
  package let body: String

  /// The most characters of a title and of a body.
  package static let maxTitle = 200
  package static let maxBody = 300
  /// What stands for a name that is not shown.
  static let program = "Session"

  private init(_ title: String, _ body: String) {
    self.title = Self.cut(title, to: Self.maxTitle)
    self.body = Self.cut(body, to: Self.maxBody)
  }

  /// That of the newest of several notices of a place.
  init(
    of notice: Notice, count: Int, in conversation: NoticeConversation, _ preview: NotificationChoices.Preview
  ) {
    // A name of somebody else is never at the place of the program's name.
    let name =
      preview == .hidden ? Self.program : Self.cut(Self.marked(conversation.name), to: Self.maxTitle - 20)
    let counted = count > 1 ? " (\(count))" : ""
    switch notice.category {
    case .message:
      let author = preview == .message && conversation.isShared && !notice.author.isEmpty
      self.init(
        name + counted,
        preview == .message
          ? (author ? "\(Self.cut(notice.author, to: 60)): " : "") + notice.text
          : "New message")
    case .request:
      self.init(Self.program + counted, count > 1 ? "New message requests" : "New message request")
    case .invitation:
      self.init(name, "Invitation to a group")
    case .failure:
      self.init(
        Self.program,
        preview == .hidden
          ? "A message was not sent" : "Not sent to \(name): \(notice.text)")
    case .missedCall:
      self.init(name, "Missed call")
    case .locked:
      self.init(
        Self.program, "The account \(notice.place.account) is locked, and receives nothing")
    }
  }

  /// That of many messages at once.
  init(summaryOf messages: Int, in conversations: Int) {
    self.init(
      Self.program,
      "\(messages) \(messages == 1 ? "message" : "messages") in \(conversations) "
        + (conversations == 1 ? "conversation" : "conversations"))
  }

  /// That of an answer that was not sent. `isWhole` is false if only its beginning is kept.
  init(unsent why: String, to name: String, isWhole: Bool, _ preview: NotificationChoices.Preview) {
    let kept = isWhole ? "The text" : "The beginning of the text"
    self.init(
      Self.program,
      "Not sent\(preview == .hidden ? "" : " to \(Self.cut(Self.marked(name), to: 100))"): \(why). "
        + "\(kept) is kept as a draft.")
  }

  /// That of an answer that was neither sent nor kept: the text itself is shown, so that it can be copied, where it may be.
  init(lost text: String?, why: String) {
    self.init("Not sent: \(why)", text ?? "The text could not be kept, and is not shown here.")
  }

  /// A name in quotation marks if it reads like the name of the program.
  private static func marked(_ name: String) -> String {
    name.lowercased().filter(\.isLetter) == program.lowercased() ? "“\(name)”" : name
  }

  /// A text of so many characters, with `…` where it is longer.
  static func cut(_ text: String, to count: Int) -> String {
    guard let end = text.index(text.startIndex, offsetBy: count, limitedBy: text.endIndex),
      end != text.endIndex
    else {
      return bounded(text)
    }
    return bounded(String(text[..<text.index(before: end)]) + "…")
  }

  /// A character may be as long as its author likes: marks beyond all sense are left out.
  private static func bounded(_ text: String) -> String {
    guard text.utf8.count > 16 * max(text.count, 1) else { return text }
    return String(text.map { $0.utf8.count > 64 ? "\u{FFFD}" : $0 })
  }
}
