import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// Commands that find the socket of a daemon that does not run yet.
@Suite(.timeLimit(.minutes(10))) struct ActivationTests {
  /// Listens as systemd does, and becomes the daemon at the first connection.
  private static let listener = """
    import os, select, socket, sys
    listening = socket.socket(socket.AF_UNIX)
    os.makedirs(os.path.dirname(sys.argv[1]), 0o700, exist_ok=True)
    listening.bind(sys.argv[1])
    listening.listen(16)
    print("listening", file=sys.stderr, flush=True)
    select.select([listening], [], [])
    os.dup2(listening.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES=sys.argv[2])
    os.execv(sys.argv[3], sys.argv[3:])
    """

  private func listening(
    _ home: Household, as name: String = "rpc", at path: String = ".local/state/session/run/daemon.sock"
  ) async throws -> ServerProcess {
    let script = home.path("listener")
    let socket = home.path(path).path
    try Data("#!/bin/sh\nexec /usr/bin/python3 -c '\(Self.listener)' \(socket) \(name) \"$@\"\n".utf8).write(
      to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
    let process = try ServerProcess(home.program, ["daemon"], startedBy: script.path)
    _ = try await process.line(with: "listening")
    return process
  }

  @Test func aCommandStartsTheDaemonThroughItsSocketAndUsesIt() async throws {
    try await Household.with { home in
      try await home.friends()
      let daemon = try await listening(home)
      try await home.run("send", "bob", "Hi", "--account", "alice")
      let status = try await home.json("daemon", "status")
      #expect((status.first?["accounts"] as? [[String: Any]])?.count == 2)
      try await home.run("daemon", "stop")
      #expect(await daemon.end() == 0)
    }
  }

  @Test func aSocketOfTheServiceManagerHasTheRulesOfItsFile() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try FileManager.default.createDirectory(
        at: home.path(".config/session/sockets.d"), withIntermediateDirectories: true)
      let socket = home.path("run/group.sock").path
      let rules = "path = \"\(socket)\"\nmode = \"0660\"\nscopes = [\"read\"]\n"
      try home.program.writeSecret(rules, to: ".config/session/sockets.d/group.toml")
      let daemon = try await listening(home, as: "group", at: "run/group.sock")
      let client = try RPCClient(to: socket)
      #expect(try await client.call("hello")["scopes"] == ["read"])
      await #expect { try await client.call("daemon.stop") } throws: { ($0 as? RPCError)?.code == 77 }
      // Other rules take effect on the same socket.
      try home.program.writeSecret(
        rules.replacing("[\"read\"]", with: "[\"read\", \"send\"]"),
        to: ".config/session/sockets.d/group.toml")
      try await home.run("daemon", "reload")
      #expect(try await RPCClient(to: socket).call("hello")["scopes"] == ["read", "send"])
      try await home.run("daemon", "restart")
      // It is passed on, and its file stays.
      #expect(try await RPCClient(to: socket).call("hello")["scopes"] == ["read", "send"])
      try await home.run("daemon", "stop")
      #expect(await daemon.end() == 0)
      #expect(FileManager.default.fileExists(atPath: socket))
    }
  }

  @Test func aSocketWithoutRulesEndsTheStart() async throws {
    try await Household.with { home in
      let daemon = try await listening(home, as: "unknown", at: "run/unknown.sock")
      let client = try RPCClient(to: home.path("run/unknown.sock").path)
      _ = try await daemon.line(with: "passes a socket \"unknown\", and there is no sockets.d/unknown.toml")
      #expect(await daemon.end() == 78)
      client.close()
    }
  }

  @Test(arguments: [("secret words\n", "running"), ("other words\n", "locked")])
  func theDaemonOpensAnAccountWithTheCredentialThatItIsHanded(_ credential: String, _ state: String)
    async throws
  {
    try await Household.with { home in
      _ = try await home.account("alice")
      try home.program.writeSecret("secret words\n", to: "passphrase")
      try await home.run("db", "passphrase", "set", "--new", "passphrase")
      try await home.run("account", "lock", "alice")
      let folder = home.path("credentials")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try home.program.writeSecret(credential, to: "credentials/\(ServiceCredential.name)")
      let starter = home.path("starter")
      try Data("#!/bin/sh\nCREDENTIALS_DIRECTORY=\(folder.path) exec \"$@\"\n".utf8).write(to: starter)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: starter.path)
      let daemon = try ServerProcess(home.program, ["daemon"], startedBy: starter.path)
      if state == "locked" { _ = try await daemon.line(with: "is not the passphrase of an account") }
      _ = try await daemon.line(with: "accounts are open")
      let status = try await home.json("daemon", "status").first
      #expect((status?["accounts"] as? [[String: Any]])?.first?["state"] as? String == state)
      try await home.run("daemon", "stop")
      #expect(await daemon.end() == 0)
      _ = try await home.outcome(["account", "lock", "alice"])
    }
  }

  @Test func aDaemonThatCannotStartKeepsNoCommandFromItsWork() async throws {
    try await Household.with { home in
      try await home.friends()
      let daemon = try await listening(home)
      try FileManager.default.createDirectory(
        at: home.path(".config/session"), withIntermediateDirectories: true)
      try home.program.writeSecret("no setting", to: ".config/session/daemon.toml")
      let sent = try await home.outcome(["send", "bob", "Hi", "--account", "alice"])
      #expect(sent.status == 0 && sent.messages.contains("the daemon did not start"))
      #expect(await daemon.end() == 65)
      // Nothing listens there any more, which needs no word.
      #expect(try await home.outcome(["send", "bob", "Hi", "--account", "alice"]).messages == "")
    }
  }
}
