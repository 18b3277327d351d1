import Foundation
import Glibc
import SessionBase
import SessionStorage
import Synchronization
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// `session daemon restart`: the process stays, and clients that connect meanwhile wait.
@Suite(.timeLimit(.minutes(10))) struct DaemonRestartTests {
  private func fact(_ name: String, _ home: Household) async throws -> Int? {
    try await home.json("daemon", "status").first?[name] as? Int
  }

  @Test func theDaemonStartsAnewWithoutRefusingAnybody() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let daemon = try await DaemonTests.started(home)
      let reasons = Mutex<[String]>([])
      let client = try DaemonTests.client(home) { method, params in
        guard method == "bye" else { return }
        reasons.withLock { $0.append(params["reason"]?.string ?? "") }
      }
      let before = try await client.call("hello")["instance"]
      let process = try await fact("process", home)
      // Somebody connects all the time, and is always answered.
      let visits = Task {
        var instances: Set<String> = []
        while instances.count < 2 {
          try Task.checkCancellation()
          let visitor = try DaemonTests.client(home)
          // A client that was accepted before the end gets an error.
          let hello = try? await visitor.call("hello")
          if let instance = hello?["instance"]?.string { instances.insert(instance) }
          visitor.close()
        }
      }
      defer { visits.cancel() }
      let restarted = try await home.outcome(["daemon", "restart"])
      try #require(restarted.status == 0)
      #expect(restarted.messages.hasPrefix("The daemon has restarted. Its version is "))
      try await withTaskCancellationHandler {
        try await visits.value
      } onCancel: {
        visits.cancel()
      }
      await client.waitUntilGone()
      #expect(reasons.withLock { $0 } == ["restarting"])
      let again = try DaemonTests.client(home)
      #expect(try await again.call("hello")["instance"] != before)
      #expect(try await fact("process", home) == process)
      // The account is open again, and commands use the daemon.
      #expect(try await again.result("chats", ["account": "alice"])["more"] == false)
      again.close()
      // Its end is that of any other one.
      try await home.run("daemon", "restart")
      try await home.run("daemon", "stop")
      #expect(await daemon.end() == 0)
      let socket = home.path(".local/state/session/run/daemon.sock").path
      #expect(!FileManager.default.fileExists(atPath: socket))
      #expect(try await home.outcome(["daemon", "restart"]).status == 69)
    }
  }

  /// No other program gets an account in between. What a client has locked stays so, and what a person has opened, too.
  @Test func accountsStayHeldLockedAndOpenWhileTheDaemonStartsAnew() async throws {
    try await Household.with { home in
      try home.program.writeSecret("secret words\n", to: "passphrase")
      let roots = try StorageRoots(environment: ["HOME": home.program.folder.path])
      let accounts = try ["alice", "bob"].map { try AccountFolder($0, in: roots) }
      for account in accounts {
        _ = try await home.account(account.name)
        try await home.run(
          "db", "passphrase", "set", "--new", "passphrase", "--account", account.name)
      }
      let folder = home.path("credentials")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try home.program.writeSecret("secret words\n", to: "credentials/\(ServiceCredential.name)")
      let starter = home.path("starter")
      try Data("#!/bin/sh\nCREDENTIALS_DIRECTORY=\(folder.path) exec \"$@\"\n".utf8).write(to: starter)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: starter.path)
      let daemon = try ServerProcess(home.program, ["daemon"], startedBy: starter.path)
      _ = try await daemon.line(with: "accounts are open")
      func states() async throws -> [String?] {
        let status = try await home.json("daemon", "status").first
        return (status?["accounts"] as? [[String: Any]])?.map { $0["state"] as? String } ?? []
      }
      let client = try DaemonTests.client(home)
      _ = try await client.result("account.lock", ["name": "bob"])
      client.close()
      #expect(try await states() == ["running", "locked"])
      // The credential still opens bob; for alice nothing is left that could.
      for account in accounts { DatabaseKeys(path: account.key).lock() }
      let wasFree = Mutex(false)
      let isOver = Mutex(false)
      let watching = OwnThread.start {
        while !isOver.withLock({ $0 }) {
          if AccountLock.holder(of: accounts[0])?.socket == nil
            || FileLock.holder(of: Daemon.lock(in: roots)) == nil
          {
            wasFree.withLock { $0 = true }
          }
        }
      }
      #expect(watching)
      defer { isOver.withLock { $0 = true } }
      try await home.run("daemon", "restart")
      let again = try DaemonTests.client(home)
      // It waits until the account is open.
      #expect(try await again.result("chats", ["account": "alice"])["more"] == false)
      again.close()
      isOver.withLock { $0 = true }
      #expect(!wasFree.withLock { $0 })
      #expect(try await states() == ["running", "locked"])
      try await home.run("daemon", "stop")
      #expect(await daemon.end() == 0)
      for account in accounts { DatabaseKeys(path: account.key).lock() }
    }
  }

  @Test func programsDoNotSeeWhatTheDaemonIsTold() {
    let told = [
      KeptAccounts.variable, KeptLocks.variable, KeptSockets.variable, "LISTEN_PID", "LISTEN_FDS",
      "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]
    // The unit decides how a terminal is opened.
    var environment = ["HOME": "/home/alice", "SESSION_ACCOUNT": "alice", "INVOCATION_ID": "1"]
    let others = environment
    for name in told { environment[name] = "1 2" }
    #expect(Daemon.environmentForPrograms(environment) == others)
  }

  @Test(arguments: ["daemon.toml", "hooks.d/log.toml"])
  func aMistakeInTheSettingsKeepsTheDaemonThatRuns(file: String) async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.with(daemon: true) {
        let client = try DaemonTests.client(home)
        let before = try await client.call("hello")["instance"]
        try FileManager.default.createDirectory(
          at: home.path(".config/session/hooks.d"), withIntermediateDirectories: true)
        try home.program.writeSecret("no setting", to: ".config/session/\(file)")
        let refused = try await home.outcome(["daemon", "restart"])
        #expect(refused.status == 65 && refused.messages.contains("\(file), line 1"), "\(refused.messages)")
        #expect(try await client.call("hello")["instance"] == before)
        client.close()
      }
    }
  }

  @Test func thePortOfHTTPGoesOnListening() async throws {
    // Without accounts this needs no network.
    let program = try Program.atHome()
    let daemon = try ServerProcess(program, ["daemon", "--http", "127.0.0.1:0"])
    let address = try await daemon.line(with: "listening at http://")
    _ = try await daemon.line(with: "accounts are open")
    #expect(try await program.ran(["daemon", "restart"]).status == 0)
    #expect(try await daemon.line(with: "listening at http://") == address)
    #expect(try await program.ran(["daemon", "stop"]).status == 0)
    #expect(await daemon.end() == 0)
  }
}
