import Foundation
import SessionMessaging
import Testing

@testable import SessionCLI

/// Messages that are sent later, from the command line and over RPC.
@Suite(.timeLimit(.minutes(10))) struct ScheduledCommandTests {
  @Test func messagesAreScheduledChangedAndSent() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      let kept = try await home.outcome(["send", "bob", "In a year", "--in", "364d", "--late", "2h"])
      #expect(kept.status == 0 && kept.output == "1\n")
      #expect(
        kept.messages.contains("No daemon runs: something has to use the account then, or up to 2h later."))
      let shown = try #require(try await home.json("scheduled", "show", "1").first)
      #expect(shown["body"] as? String == "In a year" && shown["state"] as? String == "waiting")
      #expect(shown["late_ms"] as? Int == 7_200_000 && shown["message_id"] == nil)
      #expect(try await home.run("scheduled", "list").contains("In a year"))
      #expect(try await home.run("scheduled", "show", "1").contains("waiting"))
      let moved = try #require(try await home.json("scheduled", "move", "1", "--in", "1d").first)
      let (before, after) = (try #require(shown["at"] as? Int), try #require(moved["at"] as? Int))
      #expect(before - after > 362 * 86_400_000)
      #expect(moved["late_ms"] as? Int == 7_200_000)
      try await home.run("scheduled", "now", "1")
      try await home.run("receive", "--ack", "--account", "bob")
      #expect(
        try await home.json("show", "alice", "--account", "bob").last?["body"] as? String == "In a year")
      #expect(try await home.json("scheduled", "list").isEmpty)
      let sent = try #require(try await home.json("scheduled", "list", "--all").first)
      #expect(sent["state"] as? String == "sent" && sent["message_id"] as? Int == 3)
      #expect(try await home.outcome(["scheduled", "cancel", "1"]).status == 65)
    }
  }

  @Test func aMessageThatIsRefusedWhenItIsSentIsAFailure() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      #expect(
        try await home.outcome(["send", "bob", "x", "--in", "1h", "--no-default-timer"]).status == 65)
      try await home.run("send", "bob", "Refused", "--in", "1h", "--key", "k")
      try await home.run("contacts", "block", "bob")
      let refused = try await home.outcome(["scheduled", "now", "1"])
      #expect(refused.status == 69 && refused.messages.contains("was not sent: this person is blocked"))
      let again = try await home.outcome(["send", "bob", "Refused", "--in", "1h", "--key", "k"])
      #expect(again.status == 0 && again.output == "1\n")
      #expect(again.messages.contains("It was not sent: this person is blocked"))
      #expect(!again.messages.contains("It is sent at") && !again.messages.contains("No daemon"))
      try await home.run("contacts", "unblock", "bob")
      try await home.run("scheduled", "now", "1")
      let sent = try await home.outcome(["send", "bob", "Refused", "--in", "1h", "--key", "k"])
      #expect(sent.messages.contains("It was sent before.") && sent.output == "1\n")
    }
  }

  @Test func timesThatMakeNoSenseAreRefused() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      for words in [
        ["--at", "tomorrow"], ["--at", "2027-02-29 10:00"], ["--at", "25:00"], ["--in", "never"],
        ["--in", "2h", "--at", "07:30"], ["--late", "1h"], ["--in", "2h", "--wait", "stored"],
        ["--in", "400d"],
      ] {
        #expect(try await home.outcome(["send", "bob", "x"] + words).status == 64, "\(words)")
      }
      for words in [["--at", "2001-01-01"], ["--in", "1s"], ["--at", "2099-01-01"]] {
        #expect(try await home.outcome(["send", "bob", "x"] + words).status == 65, "\(words)")
      }
      #expect(try await home.outcome(["scheduled", "show", "7"]).status == 65)
      #expect(try await home.outcome(["scheduled", "cancel", "7"]).status == 65)
      #expect(try await home.outcome(["scheduled", "now", "x"]).status == 64)
      #expect(try await home.outcome(["scheduled", "move", "7"]).status == 64)
      #expect(try await home.json("scheduled", "list").isEmpty)
    }
  }

  /// The daemon sends it, also one that was killed in between.
  @Test func theDaemonSendsDueMessages() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      let first = try ServerProcess(home.program, ["daemon", "--account=alice"])
      _ = try await first.line(with: "accounts are open")
      let kept = try #require(
        try await home.json("send", "bob", "By the daemon", "--in", "11s", "--key", "k").first)
      #expect(kept["state"] as? String == "waiting" && kept["repeated"] == nil)
      first.signal(SIGKILL)
      _ = await first.end()
      let second = try ServerProcess(home.program, ["daemon", "--account=alice"])
      _ = try await second.line(with: "accounts are open")
      let again = try #require(
        try await home.json("send", "bob", "By the daemon", "--in", "11s", "--key", "k").first)
      #expect(again["repeated"] as? Bool == true && again["id"] as? Int == kept["id"] as? Int)
      let received = try home.start("receive", "--follow", "--json", "--account", "bob")
      _ = try await received.line(with: "By the daemon")
      received.signal(SIGTERM)
      _ = await received.end()
      #expect(try await home.json("scheduled", "list").isEmpty)
      second.signal(SIGTERM)
      #expect(await second.end() == 0)
    }
  }
}

@Suite struct LocalZoneTests {
  @Test func theZoneIsThatOfTheEnvironmentOrTheMachine() throws {
    #expect(LocalZone.name(["TZ": ":Asia/Tokyo"], link: "/nowhere") == "Asia/Tokyo")
    #expect(LocalZone.name(["TZ": "two words"], link: "/nowhere") == "UTC")
    let folder = FileManager.default.temporaryDirectory.appending(path: "zone-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let link = folder.appending(path: "localtime").path
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "/usr/share/zoneinfo/Europe/Berlin")
    #expect(LocalZone.name([:], link: link) == "Europe/Berlin")
  }
}
