import Foundation
import PrivateBuses
import SessionBase
import Testing

@testable import SessionCLI

/// Notifications of the real program, on a bus of their own.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)")) struct NotificationTests {
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
      try await home.run("send", "bob", "Are you there?", "--account", "alice")
      let asked = try await shown(&calls)
      #expect(asked.title == "alice" && asked.body == "Are you there?")
      #expect(asked.actions == ["default", "inline-reply", "read"])
      fake.reply("Yes", to: asked.id)
      // The answer arrives at the other account, whose notifications say less.
      let answered = try await shown(&calls)
      #expect(answered.title == "bob" && answered.body == "New message")
      #expect(try await home.run("show", "alice", "--account", "bob").contains("Yes"))
      #expect(
        try await home.json("chats", "--account", "bob").first?["unread"] as? Int == 0)
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

  @Test func anotherProgramShowsThoseOfADaemonWithoutADesktop() async throws {
    try await Household.with { home in
      try await home.friends()
      #expect(try await home.outcome(["notifications", "run"]).status == 69)
      let daemon = try await DaemonTests.started(home)
      let (bus, fake) = try await desktop(of: home)
      let socket = home.path(".local/state/session/run/daemon.sock").path
      let program = try home.start("notifications", "run", "--socket", socket)
      var calls = fake.calls.makeAsyncIterator()
      // Whichever of the two is first: each message is shown once.
      try await home.run("dnd", "on")
      try await home.run("send", "bob", "One", "--account", "alice")
      try await home.run("dnd", "off")
      try await home.run("send", "bob", "Two", "--account", "alice")
      _ = try await shown(&calls)
      program.signal(SIGTERM)
      #expect(await program.end() == 0)
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      withExtendedLifetime(bus) {}
    }
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
