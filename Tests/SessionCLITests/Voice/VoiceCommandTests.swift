import Foundation
import Testing

@testable import SessionCLI

/// Voice messages with the real program, and programs for sound that are scripts.
@Suite(.timeLimit(.minutes(5))) struct VoiceCommandTests {
  private func script(_ name: String, _ text: String, in home: Household) throws {
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: home.path(name))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path(name).path)
  }

  @Test func aVoiceMessageIsSentAndPlayed() async throws {
    try await Household.with { home in
      try await home.friends()
      try Data(Sounds.m4a(milliseconds: 12_000)).write(to: home.path("hello.m4a"))
      try await home.run("send", "bob", "--voice", "hello.m4a", "--account", "alice")
      try await home.run("settings", "set", "auto-download", "voice", "off", "--account", "bob")
      try await home.run("receive", "--ack", "--account", "bob")
      let message = try #require(try await home.json("show", "alice", "--account", "bob").last)
      let file = try #require((message["attachments"] as? [[String: Any]])?.first)
      #expect(file["kind"] as? String == "voice-message" && file["content_type"] as? String == "audio/mp4")
      #expect(file["name"] as? String == "voice.m4a" && file["duration_ms"] == nil)
      let id = "\(try #require(message["id"] as? Int))"

      // It reaches the player whole, and can be moved about in.
      try script("player", "/bin/cat > \(home.path("played").path); read -r x < /dev/stdin; exit 0", in: home)
      try await home.run("config", "set", "audio_player", home.path("player").path)
      try await home.run("play", id, "--account", "bob")
      #expect(try Data(contentsOf: home.path("played")) == Data(Sounds.m4a(milliseconds: 12_000)))
      let heard = try #require(try await home.json("show", "alice", "--account", "bob").last)
      let length = (heard["attachments"] as? [[String: Any]])?.first?["duration_ms"] as? Int
      #expect(length == 12_000 && heard["read"] as? Bool == false)
      #expect(try await home.run("show", "alice", "--account", "bob").contains("voice.m4a  (0:12, "))

      try script("player", "exit 3", in: home)
      let failed = try await home.outcome(["play", id, "--account", "bob"])
      #expect(failed.status == 69 && failed.messages.contains("player exits with 3"))
      #expect(try await home.outcome(["play", id, "2", "--account", "bob"]).status == 65)
      #expect(try await home.outcome(["play", "1", "--account", "bob"]).status == 65)
      try await home.run("config", "set", "audio_player", "/absent/player")
      #expect(try await home.outcome(["play", id, "--account", "bob"]).status == 69)
    }
  }

  /// A player would ask the addresses of a list.
  @Test func aFileThatIsNoRecordingDoesNotReachThePlayer() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try Data("#EXTM3U\nhttp://127.0.0.1:1/\n".utf8).write(to: home.path("list.mp3"))
      try script("player", "/bin/cat > \(home.path("played").path)", in: home)
      try await home.run("config", "set", "audio_player", home.path("player").path)
      try await home.run("send", "me", "--attach", "list.mp3")
      let message = try #require(try await home.json("show", "me").last)
      let id = "\(try #require(message["id"] as? Int))"
      let refused = try await home.outcome(["play", id, "1"])
      #expect(refused.status == 65 && refused.messages.contains("the file is no recording"))
      #expect(!FileManager.default.fileExists(atPath: home.path("played").path))
    }
  }

  @Test func aRecordingIsMadeByAProgram() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try Data(Sounds.wav(milliseconds: 700)).write(to: home.path("sound.wav"))
      try Data(Sounds.m4a(milliseconds: 700)).write(to: home.path("sound.m4a"))
      try script("recorder", "/bin/cp \(home.path("sound.wav").path) \"$1\"", in: home)
      try script(
        "converter", "/bin/cat \"$1\" >/dev/null; /bin/cp \(home.path("sound.m4a").path) \"$2\"", in: home)
      try await home.run("config", "set", "audio_recorder", "\(home.path("recorder").path) OUTPUT")
      try await home.run("config", "set", "audio_converter", "\(home.path("converter").path) INPUT OUTPUT")
      try await home.run("send", "me", "--record", "--record-for", "5m")
      let message = try #require(try await home.json("show", "me").last)
      let file = try #require((message["attachments"] as? [[String: Any]])?.first)
      #expect(file["kind"] as? String == "voice-message" && file["duration_ms"] as? Int == 700)

      try script("recorder", "exit 1", in: home)
      let silent = try await home.outcome(["send", "me", "--record", "--record-for", "5m"])
      #expect(silent.status == 69 && silent.messages.contains("nothing was recorded"))
    }
  }

  @Test func aRecordingGoesOnUntilReturn() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try Data(Sounds.wav(milliseconds: 700)).write(to: home.path("sound.wav"))
      try Data(Sounds.m4a(milliseconds: 700)).write(to: home.path("sound.m4a"))
      try script(
        "recorder",
        """
        trap 'exit 1' INT; /bin/cp \(home.path("sound.wav").path) "$1"
        : > \(home.path("ready").path); while :; do /bin/sleep 0.05; done
        """, in: home)
      try script(
        "converter", "/bin/cat \"$1\" >/dev/null; /bin/cp \(home.path("sound.m4a").path) \"$2\"", in: home)
      try await home.run("config", "set", "audio_recorder", "\(home.path("recorder").path) OUTPUT")
      try await home.run("config", "set", "audio_converter", "\(home.path("converter").path) INPUT OUTPUT")
      let window = try await TerminalWindow(home.program, ["send", "me", "--record"])
      try await window.see("Recording. Return sends it, Esc discards it.")
      while !FileManager.default.fileExists(atPath: home.path("ready").path) {
        try Task.checkCancellation()
        await Task.yield()
      }
      // An arrow discards nothing.
      try await window.press("Up")
      try await window.press("Enter")
      try await window.see("ended 0\nicanon\necho\n")
      try await window.close()
      let message = try #require(try await home.json("show", "me").last)
      let file = try #require((message["attachments"] as? [[String: Any]])?.first)
      #expect(file["kind"] as? String == "voice-message" && file["duration_ms"] as? Int == 700)
    }
  }

  @Test func aVoiceMessageGoesAlone() async throws {
    for words in [
      ["--voice", "x", "text"], ["--voice", "x", "--attach", "y"], ["--voice", "x", "--record"],
      ["--record-for", "20s"], ["--record", "--record-for", "6m"], ["--record", "--record-for", "0s"],
      ["--record"], ["--voice", "x", "--draft"], ["--preview", "--no-preview", "hi"],
      ["--preview", "--in", "2h", "hi"],
    ] {
      let world = MemoryIO()
      #expect(await world.run(["send", "me"] + words) == .usage, "\(words)")
    }
  }
}
