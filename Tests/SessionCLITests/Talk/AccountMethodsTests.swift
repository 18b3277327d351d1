import Foundation
import Glibc
import SessionBase
import Synchronization
import Testing

@testable import SessionDaemon

/// The methods that make, restore and delete accounts, and work on their folders.
@Suite(.timeLimit(.minutes(10))) struct AccountMethodsTests {
  private func withClient(
    hear: @escaping @Sendable (String, JSONValue) -> Void = { _, _ in },
    _ body: (Household, RPCClient) async throws -> Void
  ) async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.with(daemon: true) {
        let client = try DaemonTests.client(home, hear: hear)
        try await body(home, client)
        client.close()
      }
    }
  }

  private func state(of account: String, _ client: RPCClient) async throws -> JSONValue? {
    guard case .array(let accounts)? = try await client.result("daemon.status")["accounts"] else {
      return nil
    }
    return accounts.first { $0["name"]?.string == account }?["state"]
  }

  @Test func anAccountIsRunningWhenItWasMadeOrRestored() async throws {
    try await withClient { home, client in
      let made = try await client.result("account.new", ["name": "dora", "network": "devnet"])
      #expect(made["name"] == "dora")
      #expect(try await state(of: "dora", client) == "running")
      #expect(try await client.result("profile.show", ["account": "dora"])["name"] == "dora")
      let sent = try await client.result(
        "send", ["account": "alice", "to": made["id"] ?? .null, "text": "Welcome", "wait": "stored"])
      #expect(sent["body"] == "Welcome")
      let exported = try await client.result("account.export_phrase", ["account": "dora"])
      #expect(exported["id"] == made["id"])
      let phrase = try #require(exported["recovery_phrase"]?.string)
      #expect(try await client.result("account.delete", ["name": "dora", "yes": true])["type"] == "done")
      #expect(try await state(of: "dora", client) == nil)
      let restored = try await client.result(
        "account.restore", ["name": "dora", "network": "devnet", "phrase": .string(phrase)])
      #expect(restored["id"] == made["id"])
      #expect(try await client.result("sync", ["account": "dora"])["caught_up"] == true)
      // The words may come in a file, of which no text of the call has a copy.
      let params: JSONValue = ["name": "twin", "network": "devnet", "phrase": ["fd": 0]]
      let twin = try await client.call(
        "account.restore", params: params.description, [PassedFile(holding: Array("\(phrase)\n".utf8))])
      #expect(twin["id"] == made["id"])
      #expect(try await state(of: "twin", client) == "running")
    }
  }

  @Test func whatCannotBeMadeOrDeletedHasItsName() async throws {
    try await withClient { home, client in
      let words = JSONValue.string(Array(repeating: "nonsense", count: 13).joined(separator: " "))
      for (kind, method, params) in [
        ("account-exists", "account.new", ["name": "alice", "network": "devnet"]),
        ("invalid-params", "account.new", ["name": "../x", "network": "devnet"]),
        ("invalid-params", "account.new", [:]),
        ("invalid-params", "account.new", ["name": "x", "network": "file.json"]),
        ("invalid-params", "account.new", ["name": "x", "network": "devnet", "passphrase": ""]),
        ("invalid-params", "account.new", ["name": "x", "network": "devnet", "passphrase": ["fd": 0]]),
        ("no-file", "account.new", ["name": "x", "network": "/nowhere/file.json"]),
        ("invalid-params", "account.restore", ["name": "x", "network": "devnet"]),
        ("data", "account.restore", ["name": "x", "network": "devnet", "phrase": words]),
        ("invalid-params", "account.delete", ["name": "alice"]),
        ("invalid-params", "account.delete", ["name": "alice", "yes": false]),
        ("no-account", "account.delete", ["name": "missing", "yes": true]),
        ("no-account", "db.compact", ["account": "missing"]),
      ] as [(String, String, JSONValue)] {
        await expectRefusal(kind, client, method, params)
      }
      let states = (try await state(of: "x", client), try await state(of: "alice", client))
      #expect(states.0 == nil && states.1 == "running")
    }
  }

  @Test func aNewAccountCanHaveAPassphrase() async throws {
    try await withClient { home, client in
      _ = try await client.result(
        "account.new", ["name": "safe", "network": "devnet", "passphrase": "open sesame"])
      #expect(try await state(of: "safe", client) == "running")
      _ = try await client.result("account.lock", ["name": "safe"])
      await expectRefusal("account-locked", client, "chats", ["account": "safe"])
      await expectRefusal(
        "wrong-passphrase", client, "account.unlock", ["name": "safe", "passphrase": "wrong"])
      // Nothing opens it without a person.
      await expectRefusal("passphrase-needed", client, "account.unlock", ["name": "safe"])
      #expect(try await state(of: "safe", client) == "locked")
      _ = try await client.result("account.unlock", ["name": "safe", "passphrase": "open sesame"])
      #expect(try await state(of: "safe", client) == "running")
    }
  }

  @Test func theSettingsDecideWhatProtectsANewAccount() async throws {
    try await withClient { home, client in
      try await home.run("config", "set", "key_store", "passphrase")
      await expectRefusal("invalid-params", client, "account.new", ["name": "safe", "network": "devnet"])
      #expect(try await state(of: "safe", client) == nil)
      _ = try await client.result(
        "account.new", ["name": "safe", "network": "devnet", "passphrase": "open sesame"])
      #expect(try await state(of: "safe", client) == "running")
      // There is no such credential: an error, and no open account.
      try await home.run("config", "set", "key_store", "credential")
      await expectRefusal("data", client, "account.new", ["name": "other", "network": "devnet"])
      #expect(try await state(of: "other", client) == nil)
      try await home.run("config", "set", "key_store", "open")
      _ = try await client.result("account.new", ["name": "other", "network": "devnet"])
      #expect(try await state(of: "other", client) == "running")
    }
  }

  @Test func aDeletedAccountEndsItsSubscriptionsAndTheRightsToIt() async throws {
    let ends = Mutex<[JSONValue]>([])
    let ended = Latch()
    let hear: @Sendable (String, JSONValue) -> Void = { method, params in
      guard method == "subscription.ended" else { return }
      ends.withLock { $0.append(params["kind"] ?? .null) }
      ended.open()
    }
    try await withClient(hear: hear) { home, client in
      _ = try await client.result("account.new", ["name": "dora", "network": "devnet"])
      try await home.run("daemon", "token", "new", "both", "--account", "dora", "--account", "alice")
      try await home.run("daemon", "token", "new", "one", "--account", "dora")
      for (path, text) in [
        ("sockets.d/bots.toml", "path = \"bots.sock\"\naccounts = [\"dora\"] # hers\n"),
        ("hooks.d/answer.toml", "accounts = [\"alice\", \"dora\"]\nexec = [\"/bin/cat\"]\n"),
      ] {
        let file = home.path(".config/session/\(path)")
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try home.program.writeSecret(text, to: ".config/session/\(path)")
      }
      _ = try await client.result("daemon.reload")
      try home.program.writeSecret(
        "accounts = [\"dora\"]\nexecute = 1\n", to: ".config/session/hooks.d/broken.toml")
      let guest = try RPCClient(to: home.path(".config/session/sockets.d/bots.sock").path)
      #expect(
        try await guest.call("hello")["accounts"]
          == .array([
            [
              "name": "dora",
              "id": try await client.result("account.show", ["account": "dora"])["id"] ?? .null,
              "state": "running",
            ]
          ]))
      _ = try await client.result("events.subscribe", ["account": "dora", "reader": "bot"])
      _ = try await client.result("account.delete", ["name": "dora", "yes": true])
      await ended.wait()
      #expect(ends.withLock { $0 } == ["account-deleted"])
      let tokens = try await home.json("daemon", "token", "list")
      #expect(tokens.map { $0["accounts"] as? [String] } == [["alice"], []])
      func text(_ path: String) throws -> String {
        try String(contentsOf: home.path(".config/session/\(path)"), encoding: .utf8)
      }
      #expect(try text("sockets.d/bots.toml") == "path = \"bots.sock\"\naccounts = []  # hers\n")
      #expect(try text("hooks.d/answer.toml") == "accounts = [\"alice\"]\nexec = [\"/bin/cat\"]\n")
      #expect(try text("hooks.d/broken.toml").contains("dora"))
      // Another account of that name is none that the socket serves.
      _ = try await client.result("account.new", ["name": "dora", "network": "devnet"])
      await guest.waitUntilGone()
      let later = try RPCClient(to: home.path(".config/session/sockets.d/bots.sock").path)
      #expect(try await later.call("hello")["accounts"] == .array([]))
    }
  }

  @Test func aDatabaseIsCompactedAndSalvagedWhileItsAccountIsServed() async throws {
    try await withClient { home, client in
      let compaction = try await client.result("db.compact")
      #expect((compaction["bytes_after"]?.integer ?? 0) > 0)
      let copy = home.path("copy.db").path
      let salvage = try await client.result("db.salvage", ["to": .string(copy)])
      #expect(salvage["whole"] == true && salvage["path"]?.string == copy)
      #expect(FileManager.default.fileExists(atPath: copy))
      let replaced = try await client.result("db.salvage", ["replace": true])
      #expect(replaced["path"] == nil)
      // The account is opened again.
      #expect(try await client.result("chats")["more"] == false)
      #expect(try await state(of: "alice", client) == "running")
      #expect(try await client.result("db.check")["sound"] == true)
      await expectRefusal("invalid-params", client, "db.salvage", [:])
      await expectRefusal("invalid-params", client, "db.salvage", ["to": "copy.db"])
      await expectRefusal("cannot-create", client, "db.salvage", ["to": .string(copy)])
      // A second replacement would overwrite the damaged database.
      await expectRefusal("duplicate", client, "db.salvage", ["replace": true])
      #expect(try await client.result("chats")["more"] == false)
      #expect(try await state(of: "alice", client) == "running")
    }
  }

  @Test func theListOfNodesIsFetchedAgainWhileAccountsAreServed() async throws {
    try await withClient { home, client in
      func expectConnection() async throws {
        #expect(try await client.result("sync")["caught_up"] == true)
        #expect(try await client.result("net.status")["state"] == "connected")
      }
      try await expectConnection()
      #expect(try await client.result("net.reset")["type"] == "done")
      try await expectConnection()
      #expect(try await home.outcome(["net", "reset"]).messages == "Cached network data deleted.\n")
      try await expectConnection()
    }
  }
}
