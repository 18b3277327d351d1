import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionDaemon

/// The client library for Python, `examples/clients/session.py`.
@Suite(.timeLimit(.minutes(10))) struct PythonClientTests {
  private static let library = URL(filePath: #filePath).appending(path: "../../../../examples/clients")
    .standardizedFileURL.path

  /// Writes a program that uses the library; its path.
  private static func script(_ home: Household, _ text: String) throws -> String {
    let file = home.path("bot.py")
    let head = "import json, sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, '\(library)')\n"
    try Data((head + "from session import Session, SessionError\n" + text).utf8).write(to: file)
    return file.path
  }

  @Test func callsReturnResultsOrRaiseErrors() async throws {
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      try Data("content".utf8).write(to: home.path("note.txt"))
      try await home.with(daemon: true) {
        let script = try Self.script(
          home,
          """
          with Session("alice") as session:
              for number in range(3):
                  session.send(sys.argv[1], f"text {number} \u{1F600}")
              sent = session.call("send", to=sys.argv[1], attach=[sys.argv[2]], key="one")
              again = session.call("send", to=sys.argv[1], attach=[sys.argv[2]], key="one")
              try:
                  session.call("show", chat="Bob")
              except SessionError as error:
                  kind = [error.code, error.kind]
              print(json.dumps({
                  "bodies": [message["body"] for message in session.messages(sys.argv[1], limit=2)][:4],
                  "file": session.attachment(sent["id"]).decode(), "same": sent["id"] == again["id"], "error": kind,
                  "uploaded": session.attachment(session.call(
                      "send", to=sys.argv[1], attach=[session.upload(sys.argv[2])])["id"]).decode()}))
          """)
        let outcome = try await home.program.ranOther(
          "/usr/bin/python3", [script, bob, home.path("note.txt").path],
          with: ["HOME": home.program.folder.path, "PATH": "/usr/bin:/bin"])
        #expect(outcome.status == 0, "\(outcome.messages)")
        let printed = try JSONReader.value(of: Array(outcome.output.trimmingCharacters(in: .newlines).utf8))
        #expect(
          printed["bodies"] == .array(["", "text 2 \u{1F600}", "text 1 \u{1F600}", "text 0 \u{1F600}"]))
        #expect(printed["file"] == "content" && printed["same"] == true && printed["uploaded"] == "content")
        #expect(printed["error"] == .array([67, "unknown-person"]))
      }
    }
  }

  /// A bot is killed, and the daemon too: each message is answered once, in order.
  @Test func eventsGoOnAfterTheEndOfTheDaemonAndOfTheBot() async throws {
    try await Household.with { home in
      try await home.friends()
      let script = try Self.script(
        home,
        """
        with Session() as session:
            for event in session.events("py", accounts=["bob"], kinds=["messageReceived"], incoming=True):
                message = event.get("message")
                if message and message["body"]:
                    session.send(event["conversation"], "re " + message["body"], reply_to=message["id"], event=event)
        """)
      var daemon = try ServerProcess(home.program, ["daemon"])
      _ = try await daemon.line(with: "accounts are open")
      var bot = try Bot(home, script)
      // Events from before its reader is there do not count.
      while try await !home.json("readers", "list", "--account", "bob").contains(where: {
        $0["name"] as? String == "py"
      }) {}
      func answers() async throws -> [String] {
        try await home.json("show", "bob", "--account", "alice").compactMap { $0["body"] as? String }
          .filter { $0.hasPrefix("re ") }
      }
      for number in 0..<3 {
        try await home.run("send", "bob", "m\(number)", "--account", "alice")
        if number == 0 { while try await answers().isEmpty {} }
        if number == 1 {
          daemon.signal(SIGKILL)
          _ = await daemon.end()
          daemon = try ServerProcess(home.program, ["daemon"])
          _ = try await daemon.line(with: "accounts are open")
          await bot.killed()
          bot = try Bot(home, script)
        }
      }
      while try await answers().count < 3 {}
      #expect(try await answers() == ["re m0", "re m1", "re m2"])
      await bot.killed()
      daemon.signal(SIGTERM)
      _ = await daemon.end()
    }
  }
}
