import Foundation
import LoopbackProxy
import Testing

@testable import SessionCLI

/// Previews of links with the real program. Only a proxy on loopback is contacted.
@Suite(.timeLimit(.minutes(10))) struct PreviewCommandTests {
  @Test func aMessageGoesWithoutThePreviewOfASiteThatDoesNotReply() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let proxy = try LoopbackProxy(.page, to: 1)
      defer { proxy.stop() }
      try await home.run("config", "set", "proxy", "http://127.0.0.1:\(proxy.port)")
      func send(_ words: String...) async throws -> (bodies: [String?], messages: String) {
        let outcome = try await home.outcome(["send", "me"] + words)
        #expect(outcome.status == 0, "\(outcome.messages)")
        return (try await home.json("show", "me").map { $0["body"] as? String }, outcome.messages)
      }
      // Off, as every account begins.
      #expect(try await send("https://example.org/off").messages.contains("preview") == false)
      let wanted = try await send("--preview", "see https://example.org/wanted")
      #expect(wanted.bodies.last == "see https://example.org/wanted")
      #expect(wanted.messages.contains("The link has no preview: "))
      #expect(try await send("--preview", "no link").messages.contains("no link that can have a preview"))
      #expect(
        try await send("--preview", "https://localhost/").messages.contains("is no host of the internet"))

      try await home.run("settings", "set", "link-previews", "on")
      #expect(try await send("https://example.org/on").messages.contains("The link has no preview: "))
      #expect(try await send("--no-preview", "https://example.org/no").messages.contains("preview") == false)
      try await home.run("config", "set", "preview_blocked", "example.org")
      #expect(try await send("https://www.example.org/").messages.contains("is blocked in the settings"))
      // There is no terminal for the question.
      try await home.run("settings", "set", "link-previews", "ask")
      #expect(try await send("https://example.org/ask").messages.contains("preview") == false)
      #expect(try await home.outcome(["settings", "set", "link-previews", "maybe"]).status == 64)
    }
  }

  @Test func aLineThatIsNoAnswerIsAMessageOfItsOwn() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let proxy = try LoopbackProxy(.page, to: 1)
      defer { proxy.stop() }
      try await home.run("config", "set", "proxy", "http://127.0.0.1:\(proxy.port)")
      try await home.run("settings", "set", "link-previews", "ask")
      let window = try await TerminalWindow(home.program, ["chat", "me"], rows: 60)
      try await window.see("/help lists the commands")
      try await window.enter("see https://one.example/")
      try await window.see("Ask one.example for a preview?")
      try await window.enter("n")
      try await window.see("  see https://one.example/\n")
      try await window.enter("see https://two.example/")
      try await window.see("Ask two.example for a preview?")
      try await window.enter("never mind")
      try await window.see("  see https://two.example/\n", "  never mind\n")
      // What waits for an answer stays as a draft.
      try await window.enter("see https://three.example/")
      try await window.see("Ask three.example for a preview?")
      try await window.press("C-d")
      try await window.see("ended 0\n")
      try await window.close()
      let sent = try await home.json("show", "me").map { $0["body"] as? String }
      #expect(sent == ["see https://one.example/", "see https://two.example/", "never mind"])
      let draft = try await home.json("draft", "show", "me").first
      #expect(draft?["text"] as? String == "see https://three.example/")
    }
  }

  @Test func onlyAFewWordsAnswer() {
    #expect(["y", "YES"].allSatisfy { LinkPreviews.answer($0) == true })
    #expect(["n", "No", ""].allSatisfy { LinkPreviews.answer($0) == false })
    #expect(["yes please", "/quit", " "].allSatisfy { LinkPreviews.answer($0) == nil })
  }
}
