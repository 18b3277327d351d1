import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionDaemon

/// The client library for Swift, `examples/clients/Session.swift`.
@Suite(.timeLimit(.minutes(10))) struct SwiftClientTests {
  private static let library = URL(filePath: #filePath)
    .appending(path: "../../../../examples/clients/Session.swift").standardizedFileURL.path

  /// Calls, or answers each message once; the argument says which.
  private static let program = """
    import Foundation

    let (account, isBot) = (CommandLine.arguments[1], CommandLine.arguments.count == 2)
    // The bot has no account of its own: each event names the one it belongs to.
    let session = Session(account: isBot ? nil : account)
    do {
      guard !isBot else {
        let filter: [String: Any] = ["accounts": [account], "kinds": ["messageReceived"], "incoming": true]
        try session.events("swift", filter) { event in
          guard let message = event.message, let text = message["body"] as? String, !text.isEmpty else { return }
          try session.send(
            "re " + text, to: event.conversation, ["reply_to": message["id"]!], answering: event)
        }
      }
      let bob = CommandLine.arguments[2]
      let first = try session.send("text 😀", to: bob, ["key": "one"])
      let again = try session.send("text 😀", to: bob, ["key": "one"])
      let shown = try session.call("show", ["chat": bob, "limit": 1])["items"] as? [[String: Any]] ?? []
      var failure: [Any] = []
      do { try session.call("show", ["chat": "Bob"]) } catch let error as SessionError {
        failure = [error.code, error.kind]
      }
      let facts: [String: Any] = [
        "same": first["id"] as? Int == again["id"] as? Int, "body": shown.last?["body"] ?? "", "error": failure,
      ]
      print(String(decoding: try JSONSerialization.data(withJSONObject: facts), as: UTF8.self))
    } catch { fatalError("\\(error)") }
    """

  private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
    .map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Builds the program; its path.
  private func built(_ home: Household) async throws -> String {
    let (main, bot) = (home.path("main.swift"), home.path("bot").path)
    try Data(Self.program.utf8).write(to: main)
    let words = ["-swift-version", "6", "-warnings-as-errors", "-o", bot, main.path, Self.library]
    let outcome = try await home.program.ranOther(
      try #require(Self.compiler), words, with: ProcessInfo.processInfo.environment)
    try #require(outcome.status == 0, "\(outcome.messages)")
    return bot
  }

  /// Calls return results or throw errors; a bot that is killed, as the daemon is, answers each message once, in order.
  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func aBotIsOneFileMore() async throws {
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      let program = try await built(home)
      var daemon = try await DaemonTests.started(home)
      let called = try await home.program.ranOther(
        program, ["alice", bob], with: ["HOME": home.program.folder.path])
      #expect(called.status == 0, "\(called.messages)")
      let printed = try JSONReader.value(of: Array(called.output.trimmingCharacters(in: .newlines).utf8))
      #expect(printed["same"] == true && printed["body"] == "text 😀")
      #expect(printed["error"] == .array([67, "unknown-person"]))

      var bot = try Bot(home, running: program, "bob")
      func answers() async throws -> [String] {
        try await home.json("show", "bob", "--account", "alice").compactMap { $0["body"] as? String }
          .filter { $0.hasPrefix("re m") }
      }
      // The reader begins with its first subscription.
      while !(try await home.json("readers", "list", "--account", "bob").contains {
        $0["name"] as? String == "swift"
      }) {
      }
      for number in 0..<3 {
        try await home.run("send", "bob", "m\(number)", "--account", "alice")
        guard number == 1 else {
          while try await answers().count <= number {}
          continue
        }
        daemon.signal(SIGKILL)
        _ = await daemon.end()
        daemon = try await DaemonTests.started(home)
        await bot.killed()
        bot = try Bot(home, running: program, "bob")
      }
      #expect(try await answers() == ["re m0", "re m1", "re m2"])
      await bot.killed()
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }
}
