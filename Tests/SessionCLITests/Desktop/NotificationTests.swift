import Foundation
import Glibc
import PrivateBuses
import SessionBase
import SessionDesktop
import SessionMessaging
import Testing

@testable import SessionCLI

/// Notifications of the real program, on a bus of their own.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(10)))
struct NotificationTests {
  private typealias Calls = AsyncStream<FakeNotificationServer.Call>.Iterator

  /// A bus where programs of the household look for that of a desktop, and what shows notifications on it.
  private func desktop(of home: Household) async throws -> (bus: PrivateBus, fake: FakeNotificationServer) {
    let bus = try PrivateBus()
    try FileManager.default.createSymbolicLink(
      at: home.path("bus"), withDestinationURL: bus.folder.appending(path: "socket"))
    let fake = try await WorkerQueue("test.desktop").run {
      try FakeNotificationServer(on: try bus.connected())
    }
    return (bus, fake)
  }

  /// Nothing says when notifications have begun; the account knows their reader then.
  private func untilReaderIsKnown(_ home: Household) async throws {
    while try await !home.run("readers", "list", "--account", "bob").contains("notify") {
      try Task.checkCancellation()
    }
  }

  /// Reads a line from a pipe that does not block.
  private func line(from pipe: Int32) async throws -> String {
    var line: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while line.last != UInt8(ascii: "\n") {
      let count = read(pipe, &piece, piece.count)
      if count > 0 {
        line += piece[..<count]
      } else {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
    return String(decoding: line, as: UTF8.self)
  }

  private func shown(_ calls: inout Calls) async throws -> FakeNotificationServer.Shown {
    while let call = await calls.next() {
      if case .shown(let shown) = call { return shown }
    }
    throw CancellationError()
  }

  @Test func theDaemonShowsMessagesAndSendsAnswers() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("settings", "set", "notification-preview", "message", "--account", "bob")
      let (bus, fake) = try await desktop(of: home)
      var calls = fake.calls.makeAsyncIterator()
      let daemon = try await DaemonTests.started(home)
      try await untilReaderIsKnown(home)
      try await home.run("send", "bob", "Are you there?", "--account", "alice")
      let asked = try await shown(&calls)
      #expect(asked.title == "alice" && asked.body == "Are you there?")
      #expect(asked.actions == ["default", "inline-reply", "read"])
      fake.reply("Yes", to: asked.id)
      // The answer arrives at the other account, whose notifications say less.
      let answered = try await shown(&calls)
      #expect(answered.title == "bob" && answered.body == "New message")
      #expect(try await home.run("show", "alice", "--account", "bob").contains("Yes"))
      // The conversation is read after the answer is sent.
      while try await home.json("chats", "--account", "bob").first?["unread"] as? Int != 0 {
        try Task.checkCancellation()
      }
      // What is read is closed.
      try await home.run("read", "bob", "--account", "alice")
      while let call = await calls.next(), call != .closed(answered.id) {}
      let readers = try await home.json("readers", "list", "--account", "bob")
      #expect(readers.contains { $0["reader"] as? String == "notify" || $0["name"] as? String == "notify" })
      #expect(
        try await home.run("doctor", "--offline", "--account", "bob").contains("Fake 1.0 shows notifications")
      )
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      withExtendedLifetime(bus) {}
    }
  }

  @Test func theTextOfAMessageThatDisappearsAfterItIsReadIsNotShown() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("settings", "set", "notification-preview", "message", "--account", "bob")
      try await home.run("timer", "bob", "after-read", "1h", "--account", "alice")
      let (bus, fake) = try await desktop(of: home)
      var calls = fake.calls.makeAsyncIterator()
      let daemon = try await DaemonTests.started(home)
      try await untilReaderIsKnown(home)
      try await home.run("send", "bob", "Burn this", "--account", "alice")
      let hidden = try await shown(&calls)
      #expect(hidden.title == "alice" && hidden.body == "New message")
      let message = try #require(try await home.json("show", "alice", "--account", "bob").last)
      #expect((message["timer"] as? [String: Any])?["mode"] as? String == "after-read")
      #expect(message["disappears_at"] == nil)
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      withExtendedLifetime(bus) {}
    }
  }

  @Test func onlyOneProgramShowsTheNotificationsOfADaemon() async throws {
    try await Household.with { home in
      try await home.friends()
      #expect(try await home.outcome(["notifications", "run"]).status == 69)
      let daemon = try await DaemonTests.started(home)
      let bus = try PrivateBus()
      let fake = try await WorkerQueue("test.desktop").run {
        try FakeNotificationServer(on: try bus.connected())
      }
      var calls = fake.calls.makeAsyncIterator()
      // A desktop session that the daemon does not know of.
      let starter = home.path("in-session")
      let script = "#!/bin/sh\nDBUS_SESSION_BUS_ADDRESS='\(bus.address)' exec \"$@\"\n"
      try Data(script.utf8).write(to: starter)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: starter.path)
      let socket = home.path(".local/state/session/run/daemon.sock").path
      let words = ["notifications", "run", "--socket", socket]
      let program = try ServerProcess(home.program, words, startedBy: starter.path)
      try await untilReaderIsKnown(home)
      try await home.run("send", "bob", "One", "--account", "alice")
      let first = try await shown(&calls)
      // Its accounts cannot be opened here.
      #expect(first.actions == ["inline-reply", "read"])
      let second = try ServerProcess(home.program, words, startedBy: starter.path)
      _ = try await second.line(with: "another program shows the notifications")
      try await home.run("send", "bob", "Two", "--account", "alice")
      let next = try await shown(&calls)
      #expect(next.replaced == first.id && next.title == "alice (2)")
      for process in [program, second] {
        process.signal(SIGTERM)
        #expect(await process.end() == 0)
      }
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  @Test func aDesktopThatComesAgainIsFound() async throws {
    try await Household.with { home in
      try await home.friends()
      let daemon = try await DaemonTests.started(home)
      for number in 1...2 {
        let (bus, fake) = try await desktop(of: home)
        var calls = fake.calls.makeAsyncIterator()
        // What was there before its first start is not shown.
        try await untilReaderIsKnown(home)
        try await home.run("send", "bob", "Hello", "--account", "alice")
        let shown = try await shown(&calls)
        // Another bus knows nothing of what was shown before.
        #expect(shown.title == "alice" && shown.replaced == 0, "\(number)")
        try await home.run("read", "alice", "--account", "bob")
        try FileManager.default.removeItem(at: home.path("bus"))
        bus.end()
      }
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  @Test func aClickOpensATerminal() async throws {
    try await Household.with { home in
      try await home.friends()
      let (pipe, terminal) = (home.path("opened").path, home.path("terminal"))
      try #require(mkfifo(pipe, 0o600) == 0)
      // Open for writing, too: the terminal finds a reader, and the reader no end before the terminal comes.
      let reading = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      try #require(reading >= 0)
      defer { close(reading) }
      try Data("#!/bin/sh\necho \"$@\" \"$XDG_ACTIVATION_TOKEN\" > '\(pipe)'\n".utf8).write(to: terminal)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: terminal.path)
      try await home.run("config", "set", "terminal", "\(terminal.path) -e")
      let (bus, fake) = try await desktop(of: home)
      var calls = fake.calls.makeAsyncIterator()
      let daemon = try await DaemonTests.started(home)
      try await untilReaderIsKnown(home)
      try await home.run("send", "bob", "Hello", "--account", "alice")
      let id = try await shown(&calls).id
      fake.signal("ActivationToken", .uint32(id), .string("token"))
      fake.choose("default", of: id)
      let opened = try await line(from: reading)
      let alice = try #require(try await home.json("account", "show", "alice").first?["id"] as? String)
      #expect(opened.hasPrefix("-e /") && opened.hasSuffix("session chat \(alice) --account=bob token\n"))
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      withExtendedLifetime(bus) {}
    }
  }

  @Test func anAnswerMayBeAsLongAsADraft() {
    #expect(Notifier.maxReply == DraftContent.maxBody)
  }

  @Test func quietTimeIsKeptAndShown() async throws {
    let program = try Program.atHome()
    func dnd(_ words: String...) async throws -> Program.Outcome { try await program.ran(["dnd"] + words) }
    #expect(try await dnd().output == "off\n")
    #expect(try await dnd("on").status == 0)
    #expect(try await dnd().output == "on\n")
    #expect(try await dnd("2h").status == 0)
    #expect(try await dnd().output.hasPrefix("until "))
    let json = try await dnd("--json")
    let forms = try expectForms(inLines: json.output, writtenBy: ["dnd"])
    let until = try #require(forms.first?["until"] as? Double)
    #expect(abs(until / 1000 - Date.now.timeIntervalSince1970 - 7200) < 600)
    #expect(forms.first?["active"] as? Bool == true && forms.first?["state"] as? String == "until")
    #expect(try await dnd("off").status == 0)
    for word in ["maybe", "0s", "-1", "400d"] { #expect(try await dnd("--", word).status == 64, "\(word)") }
    #expect(try await dnd().output == "off\n")
    // A file that something else has written holds nothing back.
    try Data("until tomorrow".utf8).write(to: program.path(".local/state/session/dnd"))
    #expect(try await dnd().output == "off\n")

    func set(_ value: String) async throws -> Int32 {
      try await program.ran(["config", "set", "dnd_schedule", value]).status
    }
    #expect(try await set("00:00-23:59") == 0)
    let scheduled = try await dnd().output
    #expect(scheduled.hasSuffix("every day 00:00-23:59\n"))
    for value in ["07:00-07:00", "25:00-1", "soon"] { #expect(try await set(value) == 65, "\(value)") }
    #expect(try await dnd().output.hasSuffix("every day 00:00-23:59\n"))
  }
}
