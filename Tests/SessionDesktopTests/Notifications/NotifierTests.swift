import Foundation
import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

/// Notifications of a scripted daemon, on a bus and a server of their own.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5)))
struct NotifierTests {
  private let bus: PrivateBus
  private let daemon = ScriptedDaemon()
  private let fake: FakeNotificationServer

  init() async throws {
    let bus = try PrivateBus()
    self.bus = bus
    fake = try await WorkerQueue("test.bus").run { try FakeNotificationServer(on: try bus.connected()) }
  }

  private typealias Calls = AsyncStream<FakeNotificationServer.Call>.Iterator
  private typealias Acts = AsyncStream<ScriptedDaemon.Call>.Iterator

  /// Does something while a notifier runs.
  private func running(
    file: String? = nil, wait: Int64 = 0, _ body: (Notifier, inout Calls, inout Acts) async throws -> Void
  ) async throws {
    var setting = daemon.setting(file: file)
    setting.pace.wait = wait
    let notifier = Notifier(setting, on: try bus.connected())
    try await notifier.start()
    let task = Task { await notifier.run() }
    var (calls, acts) = (fake.calls.makeAsyncIterator(), daemon.calls.makeAsyncIterator())
    let result: Result<Void, any Error>
    do { result = .success(try await body(notifier, &calls, &acts)) } catch { result = .failure(error) }
    task.cancel()
    await task.value
    try result.get()
  }

  private func shown(_ calls: inout Calls) async throws -> FakeNotificationServer.Shown {
    guard case .shown(let shown)? = await calls.next() else { throw Missing() }
    return shown
  }

  private struct Missing: Error {}

  private func text(_ call: ScriptedDaemon.Call?, _ name: String) -> String? { call?.params[name]?.string }

  @Test func aMessageIsShownAsItIsSet() async throws {
    try await running { notifier, calls, _ in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello <b>"))
      let first = try await shown(&calls)
      #expect(first.title == "Bob" && first.body == "New message" && first.replaced == 0)
      #expect(first.actions == ["default", "inline-reply", "read"])
      daemon.state.withLock {
        $0.settings = ["notification-preview": "message", "notification-sound": false]
      }
      notifier.hear("event", ScriptedDaemon.message(2, "Hello <b>\u{1B}]0;x"))
      let second = try await shown(&calls)
      #expect(second.title == "Bob (2)" && second.body == "Hello &lt;b&gt;\u{FFFD}]0;x")
      #expect(second.replaced == first.id && second.hints["suppress-sound"] == .boolean(true))
      daemon.state.withLock {
        $0.settings = ["notification-preview": "hidden", "notification-actions": false]
      }
      notifier.hear("event", ScriptedDaemon.message(3, "Hello"))
      let third = try await shown(&calls)
      #expect(third.title == "Session (3)" && third.body == "New message" && third.actions.isEmpty)
      // The timer of a message keeps its text out of the lists of servers.
      daemon.state.withLock { $0.settings = ["notification-preview": "message"] }
      for member in [
        JSONValue.Member("disappears_at", 5), .init("timer", ["mode": "after-read", "seconds": 60]),
      ] {
        notifier.hear("event", ScriptedDaemon.message(4, "Burn", also: [member]))
        #expect(try await shown(&calls).body == "New message", "\(member.name)")
      }
      notifier.hear(
        "event",
        ScriptedDaemon.message(5, "", also: [.init("attachments", [["kind": "image"], ["kind": "file"]])]))
      #expect(try await shown(&calls).body == "photo and 1 more")
    }
  }

  @Test func oldMessagesAreNotShown() async throws {
    try await running { notifier, calls, _ in
      for also in [
        [JSONValue.Member("outgoing", true)], [.init("read", true)], [.init("kind", "renamed")],
      ] {
        notifier.hear("event", ScriptedDaemon.message(1, "no", also: also))
      }
      for (name, value) in [
        ("muted_until", 2_000_000_000), ("notifies", "nothing"), ("notifies", "mentions"), ("blocked", true),
        ("request", true), ("unread", 0),
      ] as [(String, JSONValue)] {
        daemon.state.withLock { $0.chat = [name: value] }
        notifier.hear("event", ScriptedDaemon.message(2, "no"))
        // The notifier has looked at the conversation before it takes what comes next.
        try await settle(notifier, &calls)
      }
      daemon.state.withLock { ($0.chat, $0.settings) = ([:], ["notifications": "off"]) }
      notifier.hear("event", ScriptedDaemon.message(3, "no"))
      try await settle(notifier, &calls)
      daemon.state.withLock { $0.settings = [:] }
      notifier.hear("event", .object([.init("account", "alice")]))
      notifier.hear("event", ["account": "alice", "event": ["event": "messageReceived"]])
      notifier.hear("nonsense", 7)
      daemon.state.withLock { $0.chat = ["notifies": "mentions", "name": "Last"] }
      notifier.hear("event", ScriptedDaemon.message(4, "yes", also: [.init("mentions_me", true)]))
      #expect(try await shown(&calls).title == "Last")
    }
  }

  /// Returns when the notifier has handled what it heard before, and has shown nothing of it.
  private func settle(_ notifier: Notifier, _ calls: inout Calls) async throws {
    let name = "mark-\(UUID().uuidString.prefix(8))"
    notifier.hear("signal", ["account": .string(name), "kind": "account", "state": "locked"])
    #expect(try await shown(&calls).body.contains(name))
  }

  /// Returns when the notifier has handled the signals before.
  private func settleSignals(_ notifier: Notifier, _ calls: inout Calls, _ acts: inout Acts) async throws {
    notifier.hear("signal", ["account": "mark", "kind": "account", "state": "locked"])
    let mark = try await shown(&calls)
    fake.choose("default", of: mark.id)
    #expect(await acts.next()?.params == ["mark", .null, .null])
    #expect(await calls.next() == .closed(mark.id))
  }

  @Test func anAnswerIsSentOnceAndTheConversationIsRead() async throws {
    try await running { notifier, calls, acts in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let id = try await shown(&calls).id
      // What is no answer.
      for text in ["", " \n\t ", "\u{1B}\u{7}"] { fake.reply(text, to: id) }
      fake.reply("to none", to: id + 1)
      fake.reply("  Hi\u{1B}[31m\nBob\u{7F} ", to: id)
      fake.reply("again", to: id)
      let sent = await acts.next()
      #expect(sent?.method == "send" && text(sent, "to") == ScriptedDaemon.bob)
      #expect(text(sent, "text") == "Hi[31m\nBob" && text(sent, "key") == "notify:i:1")
      let read = await acts.next()
      #expect(read?.method == "read" && text(read, "chat") == ScriptedDaemon.bob)
      #expect(read?.params["up_to"] == 1)
      #expect(await calls.next() == .closed(id))
      // The next one has a key of its own, and no bubble is counted twice.
      notifier.hear("event", ScriptedDaemon.message(2, "And you?"))
      let next = try await shown(&calls)
      #expect(next.title == "Bob" && next.replaced == 0)
      fake.reply("Fine", to: next.id)
      #expect(text(await acts.next(), "key") == "notify:i:2")
    }
  }

  @Test func aRefusedAnswerBecomesTheDraft() async throws {
    try await running { notifier, calls, acts in
      daemon.state.withLock { ($0.refused, $0.draft) = (["send"], ["text": "Earlier"]) }
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      fake.reply("Hi", to: try await shown(&calls).id)
      #expect(await acts.next()?.method == "send")
      let draft = await acts.next()
      // What the draft has stays, its files with it.
      #expect(draft?.method == "draft.set" && text(draft, "text") == "Hi" && draft?.params["add"] == true)
      _ = await calls.next()
      let told = try await shown(&calls)
      #expect(told.title == "Session" && told.body.hasPrefix("Not sent to Bob: it was refused."))
      #expect(told.actions == ["default"])
      // Where there can be no draft, the text is shown instead.
      daemon.state.withLock { $0.refused = ["send", "draft.get"] }
      for (preview, timer, body) in [
        ("contact", nil, "Precious words"), ("hidden", nil, nil),
        ("message", ["mode": "after-read", "seconds": 60], nil),
      ] as [(String, JSONValue?, String?)] {
        daemon.state.withLock { $0.settings = ["notification-preview": .string(preview)] }
        notifier.hear(
          "event",
          ScriptedDaemon.message(2, "Hello", also: timer.map { [.init("timer", $0)] } ?? []))
        let asked = try await shown(&calls)
        #expect(asked.replaced == 0)
        fake.reply("Precious words", to: asked.id)
        #expect(await acts.next()?.method == "send")
        _ = await calls.next()
        let lost = try await shown(&calls)
        #expect(lost.title == "Not sent: it was refused" && lost.replaced == 0)
        #expect(lost.body == body ?? "The text could not be kept, and is not shown here.", "\(preview)")
      }
    }
  }

  @Test func anEndlessAnswerIsKeptInPart() async throws {
    try await running { notifier, calls, acts in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      daemon.state.withLock { $0.draft = ["text": "Old"] }
      fake.reply(String(repeating: "€", count: 300_000), to: try await shown(&calls).id)
      let draft = await acts.next()
      let kept = try #require(text(draft, "text"))
      #expect(draft?.method == "draft.set" && kept.hasPrefix("€") && kept.hasSuffix("€"))
      #expect((Notifier.maxReply - 2...Notifier.maxReply).contains("Old\n\(kept)".utf8.count))
      _ = await calls.next()
      let told = try await shown(&calls)
      #expect(told.body.hasSuffix("too long. The beginning of the text is kept as a draft."))
    }
  }

  @Test func theBeginningOfATextHasWholeCharacters() {
    for (text, bytes, beginning) in [
      ("abc", 3, "abc"), ("abc", 2, "ab"), ("a€", 3, "a"), ("a€", 4, "a€"), ("€", 2, ""),
      ("e\u{301}x", 2, ""),
      ("abc", 0, ""), ("abc", -1, ""), ("", -1, ""),
    ] { #expect(Notifier.beginning(of: text, bytes: bytes) == beginning, "\(text) \(bytes)") }
  }

  @Test func anAnswerToABubbleOfAnEarlierRunIsNotLost() async throws {
    let file = bus.folder.appending(path: "notify.json").path
    var id: UInt32 = 0
    try await running(file: file) { notifier, calls, _ in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      id = try await shown(&calls).id
      try await settle(notifier, &calls)
    }
    try await running(file: file) { notifier, calls, _ in
      fake.reply("Precious words", to: id)
      let lost = try await shown(&calls)
      #expect(lost.title.hasPrefix("Not sent") && lost.body == "Precious words" && lost.replaced == 0)
      // The message that it showed may be the one that is gone.
      notifier.hear("event", ScriptedDaemon.event("messageDeleted", 1))
      let closed = await calls.next()
      #expect(closed == .closed(id))
      try await settle(notifier, &calls)
    }
  }

  @Test func settingsThatCannotBeReadShowNothing() async throws {
    try await running { notifier, calls, _ in
      daemon.state.withLock {
        ($0.settings, $0.refused) = (["notification-preview": "message"], ["settings.list"])
      }
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let hidden = try await shown(&calls)
      #expect(hidden.title == "Session" && hidden.body == "New message")
      daemon.state.withLock { ($0.settings, $0.refused) = (["notification-preview": "loud"], []) }
      notifier.hear("event", ScriptedDaemon.message(2, "Hello"))
      #expect(try await shown(&calls).title == "Session (2)")
      // What was off stays off.
      daemon.state.withLock { $0.settings = ["notifications": "off"] }
      notifier.hear("event", ScriptedDaemon.message(3, "Hello"))
      try await settle(notifier, &calls)
      daemon.state.withLock { $0.refused = ["settings.list"] }
      notifier.hear("event", ScriptedDaemon.message(4, "Hello"))
      try await settle(notifier, &calls)
    }
  }

  @Test func whatAServerDoesNotReplyToIsNotShownTwice() async throws {
    try await running { notifier, calls, _ in
      fake.state.withLock { $0.silences = 1 }
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let first = try await shown(&calls)
      #expect(first.title == "Bob")
      notifier.hear("event", ScriptedDaemon.message(2, "Hello"))
      let second = try await shown(&calls)
      #expect(second.title == "Bob (2)")
    }
  }

  @Test func messagesReadInQuietTimeAreNotTold() async throws {
    try await running { notifier, calls, _ in
      daemon.state.withLock { $0.quiet = QuietTime(.on) }
      let other = "05" + String(repeating: "c", count: 64)
      for number in 1...3 { notifier.hear("event", ScriptedDaemon.message(Int64(number), "Hello")) }
      notifier.hear("event", ScriptedDaemon.message(4, "Hello", chat: other))
      try await settle(notifier, &calls)
      daemon.state.withLock { $0.chat = ["unread": 0] }
      notifier.hear("event", ScriptedDaemon.event("conversationChanged", 5))
      try await settle(notifier, &calls)
      daemon.state.withLock { ($0.chat, $0.quiet) = ([:], QuietTime()) }
      notifier.hear("event", ScriptedDaemon.event("messageSent", 99))
      #expect(try await shown(&calls).body == "1 message in 1 conversation")
    }
  }

  @Test func requestsAreJudgedOneByOne() async throws {
    daemon.state.withLock { $0.quiet = QuietTime() }
    try await running(wait: 700) { notifier, calls, _ in
      let other = "05" + String(repeating: "c", count: 64)
      daemon.state.withLock {
        ($0.chat, $0.chats) = (["request": true], [other: ["request": false]])
      }
      for (number, chat) in [(1, ScriptedDaemon.bob), (2, other)] as [(Int64, String)] {
        notifier.hear("event", ScriptedDaemon.event("requestReceived", number, chat: chat))
      }
      let request = try await shown(&calls)
      #expect(request.body == "New message request")
    }
  }

  @Test func onlyOfferedActionsAreDone() async throws {
    try await running { notifier, calls, acts in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let id = try await shown(&calls).id
      fake.choose("accept", of: id)
      fake.choose("read", of: 0)
      fake.choose("read", of: id + 7)
      fake.choose("read", of: id)
      fake.choose("read", of: id)
      fake.choose("default", of: id)
      #expect(await acts.next()?.method == "read")
      #expect(await calls.next() == .closed(id))
      notifier.hear("event", ScriptedDaemon.message(2, "Hello"))
      let next = try await shown(&calls).id
      fake.signal("ActivationToken", .uint32(next), .string("token"))
      fake.choose("default", of: next)
      let opened = await acts.next()
      #expect(opened?.method == "open" && opened?.params == ["alice", .string(ScriptedDaemon.bob), "token"])
    }
  }

  @Test func aServerWithoutAnswersOpensTheComposer() async throws {
    fake.state.withLock { $0.capabilities = ["actions", "body"] }
    try await running { notifier, calls, acts in
      notifier.hear("event", ScriptedDaemon.message(1, "<Hello>"))
      let first = try await shown(&calls)
      #expect(first.actions == ["default", "reply", "read"])
      // It cannot have sent this.
      fake.reply("Hi", to: first.id)
      fake.choose("reply", of: first.id)
      #expect(await acts.next()?.method == "open")
    }
  }

  @Test func aLockedScreenShowsNoName() async throws {
    let saver = try bus.connected()
    let taken = try await WorkerQueue("test.bus").run {
      saver.export("/org/freedesktop/ScreenSaver") { call in
        call.member == "GetActive" ? .values([.boolean(true)]) : .silence
      }
      return try saver.take(name: "org.freedesktop.ScreenSaver")
    }
    #expect(taken)
    daemon.state.withLock { $0.settings = ["notification-preview": "message"] }
    try await running { notifier, calls, _ in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let hidden = try await shown(&calls)
      #expect(hidden.title == "Session" && hidden.body == "New message")
    }
    withExtendedLifetime(saver) {}
  }

  @Test func requestsShareANotification() async throws {
    try await running { notifier, calls, acts in
      daemon.state.withLock { $0.chat = ["request": true, "name": "Stranger"] }
      notifier.hear("event", ScriptedDaemon.event("requestReceived", 1))
      let first = try await shown(&calls)
      #expect(first.title == "Session" && first.body == "New message request")
      #expect(first.actions == ["default", "accept", "block"])
      let other = "05" + String(repeating: "c", count: 64)
      notifier.hear("event", ScriptedDaemon.event("requestReceived", 2, chat: other))
      let second = try await shown(&calls)
      #expect(second.replaced == first.id && second.title == "Session (2)" && second.actions == ["default"])
      fake.signal("NotificationClosed", .uint32(second.id), .uint32(2))
      try await settleSignals(notifier, &calls, &acts)
      notifier.hear("event", ScriptedDaemon.event("requestReceived", 3))
      let third = try await shown(&calls)
      #expect(third.title == "Session")
      fake.choose("block", of: third.id)
      let blocked = await acts.next()
      #expect(blocked?.method == "requests.block" && text(blocked, "person") == ScriptedDaemon.bob)
      _ = await calls.next()
      // One that is answered elsewhere is gone.
      notifier.hear("event", ScriptedDaemon.event("requestReceived", 4))
      let fourth = try await shown(&calls)
      daemon.state.withLock { $0.chat = [:] }
      notifier.hear("event", ScriptedDaemon.event("conversationChanged", 5))
      #expect(await calls.next() == .closed(fourth.id))
    }
  }

  @Test func invitationsFailuresCallsAndLockedAccountsAreTold() async throws {
    try await running { notifier, calls, acts in
      let group = "03" + String(repeating: "a", count: 64)
      daemon.state.withLock { $0.chat = ["request": true, "name": "Hikers", "kind": "group"] }
      notifier.hear("event", ScriptedDaemon.event("requestReceived", 1, chat: group))
      let invitation = try await shown(&calls)
      #expect(invitation.title == "Hikers" && invitation.actions == ["default", "accept", "decline"])
      fake.choose("decline", of: invitation.id)
      #expect(text(await acts.next(), "group") == group)
      _ = await calls.next()
      daemon.state.withLock { $0.chat = ["notifies": "nothing"] }
      let failed: [JSONValue.Member] = [.init("message", ["id": 2, "failure": "the file is gone"])]
      notifier.hear("event", ScriptedDaemon.event("messageFailed", 2, failed))
      let failure = try await shown(&calls)
      #expect(
        failure.body == "Not sent to Bob: the file is gone"
          && failure.hints["category"] == .string("im.error"))
      fake.choose("resend", of: failure.id)
      let resent = await acts.next()
      #expect(resent?.method == "resend" && resent?.params["id"] == 2)
      _ = await calls.next()
      daemon.state.withLock { $0.chat = [:] }
      notifier.hear("event", ScriptedDaemon.message(3, "", also: [.init("kind", "missed-call")]))
      #expect(try await shown(&calls).body == "Missed call")
      notifier.hear("signal", ["account": "work", "kind": "account", "state": "locked"])
      let locked = try await shown(&calls)
      #expect(locked.body == "The account work is locked, and receives nothing")
      #expect(locked.hints["urgency"] == .byte(2))
      notifier.hear("signal", ["account": "work", "kind": "account", "state": "running"])
      #expect(await calls.next() == .closed(locked.id))
      // A person who locks an account knows it.
      notifier.hear("signal", ["account": "work", "kind": "account", "state": "locked"])
      notifier.hear("event", ScriptedDaemon.message(4, "Hello", chat: group))
      #expect(try await shown(&calls).title == "Bob")
    }
  }

  @Test func messagesReadDeletedOrSentAgainAreClosed() async throws {
    try await running { notifier, calls, _ in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let first = try await shown(&calls).id
      notifier.hear("event", ScriptedDaemon.event("messageDeleted", 7))
      notifier.hear("event", ScriptedDaemon.event("conversationChanged", 8))
      notifier.hear("event", ScriptedDaemon.event("messageDeleted", 1))
      #expect(await calls.next() == .closed(first))
      notifier.hear("event", ScriptedDaemon.message(2, "Hello"))
      let second = try await shown(&calls).id
      daemon.state.withLock { $0.chat = ["unread": 0] }
      notifier.hear("event", ScriptedDaemon.event("conversationChanged", 9))
      #expect(await calls.next() == .closed(second))
      daemon.state.withLock { $0.chat = [:] }
      notifier.hear("event", ScriptedDaemon.message(3, "Hello"))
      let third = try await shown(&calls).id
      notifier.hear("event", ScriptedDaemon.event("conversationDeleted", 10))
      #expect(await calls.next() == .closed(third))
      notifier.hear("event", ScriptedDaemon.event("messageFailed", 4, [.init("message", ["id": 4])]))
      let fourth = try await shown(&calls).id
      notifier.hear("event", ScriptedDaemon.event("messageSent", 4))
      #expect(await calls.next() == .closed(fourth))
    }
  }

  @Test func aMessageThatIsEditedIsShownAnew() async throws {
    func changed(_ id: Int64, _ body: String, outgoing: Bool = false) -> JSONValue {
      ScriptedDaemon.event(
        "messageChanged", id,
        [
          .init(
            "message",
            [
              "id": .integer(id), "outgoing": .boolean(outgoing), "kind": "message", "body": .string(body),
            ])
        ])
    }
    try await running { notifier, calls, _ in
      daemon.state.withLock { $0.settings = ["notification-preview": "message"] }
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let first = try await shown(&calls)
      #expect(first.body == "Hello")
      // The same text, other messages and own ones change nothing.
      for event in [changed(1, "Hello"), changed(2, "Other"), changed(1, "Mine", outgoing: true)] {
        notifier.hear("event", event)
      }
      notifier.hear("event", changed(1, "Hello, edited"))
      let second = try await shown(&calls)
      #expect(second.body == "Hello, edited" && second.replaced == first.id && second.title == first.title)
      // Neither quiet time nor a preview without the text is disturbed.
      daemon.state.withLock { $0.quiet = QuietTime(.on) }
      notifier.hear("event", changed(1, "quiet"))
      try await settle(notifier, &calls)
      daemon.state.withLock { $0.quiet = QuietTime() }
      for preview in ["contact", "hidden"] {
        daemon.state.withLock { $0.settings = ["notification-preview": .string(preview)] }
        notifier.hear("event", changed(1, preview))
        try await settle(notifier, &calls)
      }
      daemon.state.withLock { $0.settings = ["notification-preview": "message"] }
      notifier.hear("event", changed(1, "Hello again"))
      #expect(try await shown(&calls).body == "Hello again")
    }
  }

  @Test func aMessageThatIsEditedBeforeItIsShownIsShownAsItIs() async throws {
    var queue = NoticeQueue()
    let place = NoticePlace("alice", .conversation("bob"))
    var notice = Notice(.message, at: place)
    (notice.message, notice.text) = (1, "first")
    queue.take(notice, isRoom: false, at: 0)
    queue.change(message: 2, to: "other", at: place)
    queue.change(message: 1, to: "edited", at: place)
    #expect(queue.batches(at: 10_000).first?.notices.map(\.text) == ["edited"])
  }

  @Test func quietTimeEndsWithASummary() async throws {
    try await running { notifier, calls, _ in
      daemon.state.withLock { $0.quiet = QuietTime(.on) }
      for number in 1...3 { notifier.hear("event", ScriptedDaemon.message(Int64(number), "Hello")) }
      try await settle(notifier, &calls)
      daemon.state.withLock { $0.quiet = QuietTime() }
      // Anything that happens makes it look.
      notifier.hear("event", ScriptedDaemon.event("messageSent", 99))
      let summary = try await shown(&calls)
      #expect(summary.body == "3 messages in 1 conversation" && summary.hints["transient"] == .boolean(true))
      #expect(summary.hints["urgency"] == .byte(0))
    }
  }

  @Test func anotherServerShowsAnew() async throws {
    try await running { notifier, calls, acts in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      let old = try await shown(&calls)
      fake.state.withLock { $0.failures = 1 }
      notifier.hear("event", ScriptedDaemon.message(2, "Hello"))
      // The number of one that refuses is not trusted any more.
      let again = try await shown(&calls)
      #expect(again.replaced == 0 && again.title == "Bob (2)")
      fake.choose("read", of: old.id)
      fake.choose("read", of: again.id)
      #expect(await acts.next()?.method == "read")
      #expect(await calls.next() == .closed(again.id))
    }
  }

  @Test func aRestartFindsTheNotificationsShown() async throws {
    let file = bus.folder.appending(path: "notify.json").path
    var id: UInt32 = 0
    try await running(file: file) { notifier, calls, _ in
      notifier.hear("event", ScriptedDaemon.message(1, "Hello"))
      id = try await shown(&calls).id
      try await settle(notifier, &calls)
    }
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(!text.contains(ScriptedDaemon.bob) && !text.contains("alice"))
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try await running(file: file) { notifier, calls, acts in
      fake.choose("default", of: id)
      let opened = await acts.next()
      #expect(opened?.method == "open" && opened?.params == [.null, .null, .null])
      notifier.hear("event", ScriptedDaemon.message(2, "Hello"))
      #expect(try await shown(&calls).replaced == 0)
      try await settle(notifier, &calls)
    }
    try await running(file: file) { notifier, calls, _ in
      notifier.hear("event", ScriptedDaemon.message(3, "Hello"))
      let last = try await shown(&calls)
      #expect(last.replaced > 0)
    }
    // Another bus has other notifications; a broken file has none.
    for broken in ["{", "{\"v\":1}", "{\"v\":2,\"server\":\"\",\"key\":\"\",\"shown\":{}}", text] {
      let content = broken == text ? text.replacing(":1.", with: ":7.") : broken
      try Data(content.utf8).write(to: URL(filePath: file))
      try await running(file: file) { notifier, calls, _ in
        notifier.hear("event", ScriptedDaemon.message(4, "Hello"))
        let last = try await shown(&calls)
        #expect(last.replaced == 0, "\(broken)")
      }
    }
  }
}
