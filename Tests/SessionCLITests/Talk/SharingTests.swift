import Foundation
import Glibc
import SessionBase
import SessionMessaging
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// Several programs that use one account at the same time.
@Suite(.timeLimit(.minutes(10))) struct SharingTests {
  @Test func everyCommandWorksWhileAnotherProgramHoldsTheAccount() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      let holder = try await Self.holder(home, "alice")
      let number = try await home.run("send", "bob", "One", "--wait", "stored").trimmingCharacters(
        in: .newlines)
      try await home.run("react", number, "👍")
      try await home.run("timer", "bob", "after-send", "1h")
      try await home.run("pin", "bob")
      try await home.run("contacts", "nickname", "bob", "Bobby")
      try await home.run("profile", "set", "--name", "Alice")
      try await home.run("settings", "set", "read-receipts", "on")
      try await home.run("settings", "set", "typing", "on")
      try await home.run("unread", "bob")
      let group = try await home.run("group", "create", "Trip", "bob").trimmingCharacters(in: .newlines)
      try await home.run("group", "rename", group, "Journey")
      let file = home.path("note.txt")
      try Data("a file".utf8).write(to: file)
      try await home.run("send", "bob", "Two", "--attach", file.path)
      #expect(try await home.run("chats").contains("Journey"))
      #expect(try await home.outcome(["delete", "99"]).status == 65)
      try await home.run("delete", number, "--for-everyone")
      holder.signal(SIGTERM)
      #expect(await holder.end() == 0)
      let shown = try await home.json("receive", "--account", "bob")
      let bodies = shown.compactMap { ($0["message"] as? [String: Any])?["body"] as? String }
      #expect(bodies.contains("Two"))
      #expect(try await home.json("show", "bob").count { $0["body"] as? String == "Two" } == 1)
    }
  }

  @Test func commandsAtTheSameTimeAllSucceed() async throws {
    try await Household.with { home in
      try await home.friends()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<6 {
          group.addTask { try await home.run("send", "bob", "n\(number)", "--account", "alice") }
        }
        try await group.waitForAll()
      }
      let bodies = try await home.json("show", "bob", "--account", "alice")
        .compactMap { $0["body"] as? String }.filter { $0.hasPrefix("n") }
      #expect(bodies.sorted() == (0..<6).map { "n\($0)" })
    }
  }

  /// The program that holds the account is killed while another one waits for it: that one goes on by itself.
  @Test func aHolderThatIsKilledLosesAndDoublesNothing() async throws {
    try await Household.with { home in
      try await home.friends()
      let holder = try await Self.holder(home, "alice")
      home.cutNetwork()
      let sending = Task {
        try await home.outcome(["send", "bob", "once", "--account", "alice", "--timeout", "60s"])
      }
      // It is stored, and waits for the network.
      while try await !home.json("show", "bob", "--account", "alice").contains(where: {
        $0["body"] as? String == "once"
      }) {}
      holder.signal(SIGKILL)
      _ = await holder.end()
      home.restoreNetwork()
      let sent = try await sending.value
      #expect(sent.status == 0, "\(sent.messages)")
      let received = try await home.json("receive", "--account", "bob")
      #expect(received.count { ($0["message"] as? [String: Any])?["body"] as? String == "once" } == 1)
    }
  }

  /// The holder keeps the message and ends before it replies: the command must not send another one.
  @Test func aMessageThatAHolderKeptBeforeItsEndIsNotSentAgain() async throws {
    try await Household.with { home in
      try await home.friends()
      let account = try AccountFolder(
        "alice", in: StorageRoots(environment: ["HOME": home.program.folder.path]))
      let holder = try await Messenger.open(
        account, purpose: "session test", MessengerEnvironment(swarms: UnreachableSwarms()))
      let server = try RPCServer(
        at: home.path("server.sock").path, OneAccount("alice", holder), dataRoot: Folder.of(account.data),
        version: SessionTool.version)
      let listener = try SocketListener(at: home.path("relay.sock").path)
      await holder.tell(socket: listener.path)
      let relay = Task {
        let client = try #require(await listener.next())
        try await Self.pass(between: client, and: try StreamSocket.connect(to: server.path))
        // The lock goes before the connection, as when a process ends.
        await holder.stop()
        client.close()
      }
      let sent = try await home.outcome(["send", "bob", "once", "--account", "alice", "--timeout", "60s"])
      try await relay.value
      await server.stop()
      #expect(sent.status == 0, "\(sent.messages)")
      let shown = try await home.json("show", "bob", "--account", "alice")
      #expect(shown.count { $0["body"] as? String == "once" } == 1)
      #expect(sent.output == "\(shown.last?["id"] ?? "")\n")
    }
  }

  /// Passes on what a program and the holder of an account say, but for the reply that a message is kept.
  private static func pass(between client: StreamSocket, and server: StreamSocket) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while let piece = try await client.read() { try await server.write(piece.bytes, piece.descriptors) }
      }
      group.addTask {
        var reader = LineReader(server, limit: RPCLimits.reply)
        while let line = try await reader.next() {
          let text = String(decoding: line.bytes, as: UTF8.self)
          if text.contains(#""result":{"message""#) { return }
          try await client.write(Array((text + "\n").utf8))
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  /// A chat continues with the next program that holds the account.
  @Test func aChatSurvivesTheEndOfTheProgramThatHoldsTheAccount() async throws {
    try await Household.with { home in
      try await home.friends()
      let holder = try await Self.holder(home, "alice")
      let window = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"])
      try await window.see("This is your conversation with bob")
      try await home.run("send", "alice", "first", "--account", "bob")
      try await window.see("first")
      holder.signal(SIGKILL)
      _ = await holder.end()
      try await home.run("send", "alice", "second", "--account", "bob")
      try await window.see("second")
      try await window.enter("mine")
      try await window.see("mine")
      try await window.press("C-d")
      let screen = try await window.see("ended 0\n")
      #expect(screen.components(separatedBy: "second").count == 2)
      try await window.close()
      #expect(
        try await home.json("show", "bob", "--account", "alice").count { $0["body"] as? String == "mine" }
          == 1)
    }
  }

  /// A program that holds an account, and serves others when this returns.
  private static func holder(_ home: Household, _ account: String) async throws -> ServerProcess {
    let holder = try ServerProcess(home.program, ["receive", "--follow", "--account", account])
    _ = try await holder.line(with: "receiving for the account")
    return holder
  }
}
