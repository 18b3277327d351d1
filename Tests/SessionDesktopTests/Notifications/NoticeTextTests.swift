import SessionBase
import Testing

@testable import SessionDesktop

/// What notifications say.
@Suite struct NoticeTextTests {
  private func text(
    _ notice: Notice, count: Int = 1, name: String = "Alice", isShared: Bool = false,
    _ preview: NotificationChoices.Preview = .message
  ) -> NoticeText {
    var facts = NoticeConversation(name: name)
    facts.isShared = isShared
    return NoticeText(of: notice, count: count, in: facts, preview)
  }

  private func message(_ text: String, by author: String = "Alice") -> Notice {
    var notice = Notice(.message, at: NoticePlace("me", .conversation("05ab")))
    (notice.text, notice.author) = (text, author)
    return notice
  }

  @Test func aPreviewShowsAsMuchAsIsSet() {
    let notice = message("Hello")
    #expect(text(notice).title == "Alice" && text(notice).body == "Hello")
    #expect(text(notice, .contact).title == "Alice" && text(notice, .contact).body == "New message")
    #expect(text(notice, .hidden).title == "Session" && text(notice, .hidden).body == "New message")
    #expect(text(notice, count: 3).title == "Alice (3)")
    let group = text(message("Hello", by: "Bob"), name: "Friends", isShared: true)
    #expect(group.title == "Friends" && group.body == "Bob: Hello")
  }

  @Test func aNameLikeThatOfTheProgramIsMarked() {
    for name in ["Session", "SESSION", " session "] {
      #expect(text(message("Hello"), name: name).title == "“\(name)”")
    }
    #expect(text(message("Hello"), name: "Sessions").title == "Sessions")
  }

  @Test func noCategoryShowsANameThatIsHidden() {
    for category in [Notice.Category.message, .invitation, .failure, .missedCall, .request] {
      var notice = Notice(category, at: NoticePlace("me", .conversation("05ab")))
      (notice.text, notice.author) = ("secret", "secret")
      let shown = text(notice, name: "secret", isShared: true, .hidden)
      #expect(!shown.title.contains("secret") && !shown.body.contains("secret"), "\(category)")
    }
  }

  @Test func aTimerOrALockedScreenHidesTexts() {
    var choices = NotificationChoices()
    choices.preview = .message
    var notice = message("Hello")
    #expect(choices.preview(of: notice, isLocked: false) == .message)
    #expect(choices.preview(of: notice, isLocked: true) == .hidden)
    notice.hasTimer = true
    #expect(choices.preview(of: notice, isLocked: false) == .contact)
    choices.showsTimed = true
    #expect(choices.preview(of: notice, isLocked: false) == .message)
    choices.preview = .hidden
    #expect(choices.preview(of: notice, isLocked: false) == .hidden)
  }

  @Test func textsAreCutBetweenCharacters() {
    let family = "👨‍👩‍👧‍👦"
    let long = text(message(String(repeating: family, count: 400)))
    #expect(long.body.count == NoticeText.maxBody && long.body.hasSuffix(family + "…"))
    let named = text(message("x"), count: 12, name: String(repeating: "n", count: 1000))
    #expect(named.title.count <= NoticeText.maxTitle && named.title.hasSuffix("… (12)"))
    // One character can be as long as a book.
    let marks = text(message("a" + String(repeating: "\u{0301}", count: 100_000)))
    #expect(marks.body.utf8.count < 100)
    let ordinary = text(message("ü\u{0301}a"))
    #expect(ordinary.body == "ü\u{0301}a")
  }

  @Test(arguments: [
    "<b>", "&#x202e;", "<a href=\"file:///etc/passwd\">x</a>", "<img src='x'>", "a & b", "</i", "'\"",
    "<\u{0338}b>",
  ])
  func markupIsEscapedForServersThatReadIt(_ body: String) {
    let bubble = Bubble(text(message(body)))
    var server = NotificationServer.Abilities()
    #expect(bubble.values(for: server)[2] == .string(body))
    server.hasMarkup = true
    guard case .string(let escaped) = bubble.values(for: server)[2] else {
      return #expect(Bool(false), "the body is a text")
    }
    #expect(!escaped.unicodeScalars.contains { ["<", ">", "\"", "'"].contains($0) })
    #expect(escaped == body.escapedHTML)
  }

  @Test func hintsSayWhatTheNotificationIs() {
    var bubble = Bubble(text(message("x")))
    bubble.actions = [.open, .reply, .read]
    var server = NotificationServer.Abilities()
    server.hasActions = true
    func hints() -> [BusValue] { bubble.values(for: server)[4].elements ?? [] }
    func hint(_ name: String) -> BusValue? {
      for case .entry(.string(name), let value) in hints() { return value.inner }
      return nil
    }
    #expect(hint("desktop-entry") == .string(ApplicationID.name))
    #expect(hint("urgency") == .byte(1) && hint("suppress-sound") == .boolean(false))
    #expect(hint("sound-name") != nil && hint("x-kde-reply-placeholder-text") == nil)
    // Without the ability there is no answer in the notification.
    let labels: [BusValue] = ["default", "Open", "read", "Mark as read"].map { .string($0) }
    #expect(bubble.values(for: server)[3] == .array(of: "s", labels))
    server.hasReplies = true
    #expect(hint("x-kde-reply-placeholder-text") != nil)
    #expect(bubble.values(for: server)[3].elements?.contains(.string("inline-reply")) == true)
    bubble.hasSound = false
    #expect(hint("suppress-sound") == .boolean(true) && hint("sound-name") == nil)
    server = NotificationServer.Abilities()
    #expect(bubble.values(for: server)[3] == .array(of: "s", []))
  }
}
