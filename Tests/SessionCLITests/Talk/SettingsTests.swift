import Foundation
import Testing

/// Settings are changed with the real program.
@Suite(.timeLimit(.minutes(10))) struct SettingsTests {
  @Test func settingsAreKept() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let first = try await home.json("settings", "list")
      let names = [
        "read-receipts", "typing", "community-requests", "forward-secrecy", "new-devices", "verification",
        "default-timer", "link-previews", "auto-download", "auto-download-budget", "notifications",
        "notification-preview",
        "notification-timer-preview", "notification-sound", "notification-actions",
      ]
      #expect(first.map { $0["name"] as? String } == names)
      #expect(first.prefix(3).map { $0["value"] as? Bool } == [false, false, nil])
      #expect(
        first.dropFirst(3).prefix(4).map { $0["choice"] as? String } == ["off", "notify", "changes", "off"])
      try await home.run("settings", "set", "read-receipts", "on")
      try await home.run("settings", "set", "community-requests", "on")
      #expect(try await home.run("settings", "get", "read-receipts") == "on\n")
      #expect(try await home.run("settings", "get", "typing") == "off\n")
      #expect(
        try await home.json("settings", "get", "community-requests").map { $0["value"] as? Bool } == [true])
      let listed = try await home.run("settings", "list")
      #expect(listed.firstMatch(of: /read-receipts +on +tell others/) != nil)
      try await home.run("settings", "set", "auto-download", "image", "2M")
      let limits = "image 2.0 MB, voice 522 kB, video 1.0 MB, file off\n"
      #expect(try await home.run("settings", "get", "auto-download") == limits)
      try await home.run("settings", "set", "auto-download-budget", "50M")
      #expect(try await home.run("settings", "get", "auto-download-budget") == "50 MB\n")
      for words in [["auto-download", "image", "-1"], ["auto-download", "on"], ["default-timer", "15d"]] {
        #expect(try await home.outcome(["settings", "set"] + words).status == 64, "\(words)")
      }
      try await home.run("settings", "set", "new-devices", "hold")
      #expect(try await home.run("settings", "get", "new-devices") == "hold\n")
      #expect(try await home.outcome(["settings", "set", "new-devices", "on"]).status == 64)
      try await home.run("settings", "set", "notification-preview", "hidden")
      try await home.run("settings", "set", "notification-sound", "off")
      #expect(try await home.run("settings", "get", "notification-preview") == "hidden\n")
      #expect(try await home.run("settings", "get", "notification-sound") == "off\n")
      #expect(try await home.run("settings", "get", "notifications") == "auto\n")
      #expect(try await home.outcome(["settings", "set", "notifications", "on"]).status == 64)

      let unknown = try await home.outcome(["settings", "get", "typping"])
      #expect(unknown.status == 64)
      #expect(
        unknown.messages.contains(
          "there is no setting typping; did you mean typing?\nAvailable: read-receipts"))
      #expect(try await home.outcome(["settings", "set", "typing", "maybe"]).status == 64)
      // Another program may work on the account meanwhile.
      let reader = try home.start("receive", "--follow", "--all")
      _ = try await reader.line(with: "profileChanged")
      try await home.run("settings", "set", "typing", "on")
      #expect(try await home.run("settings", "get", "typing") == "on\n")
      reader.signal(SIGINT)
      #expect(await reader.end() == 130)
    }
  }

  @Test func timesAreShownAsIsSet() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.run("send", "me", "hello")
      func shown() async throws -> String {
        let outcome = try await home.outcome(["show", "me"], with: ["TZ": "XYZ-12"])
        #expect(outcome.status == 0)
        return outcome.output
      }
      // The home of these tests is in Greenwich.
      let universal = try await home.run("show", "me")
      #expect(try await shown() != universal)
      try await home.run("config", "set", "times", "universal")
      #expect(try await shown() == universal)
    }
  }

  @Test func conversationsAreArranged() async throws {
    try await Household.with { home in
      let bob = try await home.account("bob")
      _ = try await home.account("alice")
      try await home.run("account", "use", "alice")
      try await home.run("send", bob, "Hello")
      func chat() async throws -> [String: Any]? { try await home.json("chats").first }

      try await home.run("pin", bob)
      #expect(try await chat()?["pinned"] as? Bool == true)
      try await home.run("unpin", bob)
      #expect(try await chat()?["pinned"] as? Bool == false)
      try await home.run("mute", bob, "8h")
      let muted = try #require(try await chat()?["muted_until"] as? Double)
      #expect(abs(muted / 1000 - Date.now.timeIntervalSince1970 - 8 * 3600) < 60)
      // Without a time it is for good.
      try await home.run("mute", bob)
      let silent = try #require(try await chat()?["muted_until"] as? Double)
      #expect(silent / 1000 - Date.now.timeIntervalSince1970 > 100 * 365 * 86_400)
      try await home.run("unmute", bob)
      #expect(try await chat()?["muted_until"] == nil)
      try await home.run("unread", bob)
      #expect(try await chat()?["marked_unread"] as? Bool == true)
      try await home.run("read", bob)
      #expect(try await chat()?["marked_unread"] as? Bool == false)
      try await home.run("hide", bob)
      #expect(try await chat() == nil)
      try await home.run("unhide", bob)
      #expect(try await chat()?["id"] as? String == bob)
      try await home.run("contacts", "downloads", bob, "on")
      #expect(try await home.json("contacts", "list").map { $0["downloads"] as? Bool } == [true])
      try await home.run("contacts", "downloads", bob, "off")
      #expect(try await home.json("contacts", "list").map { $0["downloads"] as? Bool } == [false])

      #expect(try await home.outcome(["mute", bob, "soon"]).status == 64)
      #expect(try await home.outcome(["mute", "me"]).status == 65)
      #expect(try await home.outcome(["pin", "carol"]).status == 67)
      #expect(try await home.outcome(["contacts", "downloads", bob, "yes"]).status == 64)
    }
  }
}
