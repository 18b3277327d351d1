import Foundation
import SessionBase
import Testing

@testable import SessionDaemon

/// The methods that change what opens an account, while the daemon serves it.
@Suite(.timeLimit(.minutes(5))) struct KeyMethodsTests {
  /// A client of a daemon with one account, whose name no other test uses: the kernel keeps keys by names.
  private func withClient(_ body: (Household, RPCClient, JSONValue) async throws -> Void) async throws {
    try await Household.with { home in
      let name = "k\(UInt32.random(in: 0...UInt32.max))"
      _ = try await home.account(name)
      try await home.with(daemon: true) {
        let client = try DaemonTests.client(home)
        try await body(home, client, .string(name))
        client.close()
      }
    }
  }

  /// The state of the account, once the daemon has opened it again.
  private func state(_ client: RPCClient) async throws -> JSONValue? {
    while true {
      let state = try await client.result("daemon.status")["accounts"]?.elements?.first?["state"]
      guard state == "opening" || state == "parked" else { return state }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  private func kinds(_ client: RPCClient) async throws -> [String] {
    try await client.result("key.list")["items"]?.elements?.compactMap { $0["kind"]?.string } ?? []
  }

  @Test func aPassphraseIsSetChangedAndRemoved() async throws {
    try await withClient { home, client, name in
      await expectRefusal("invalid-params", client, "db.passphrase", ["action": "set"])
      await expectRefusal("invalid-params", client, "db.passphrase", ["action": "forget", "new": "x"])
      await expectRefusal(
        "passphrase-not-set", client, "db.passphrase", ["action": "remove", "passphrase": "x"])
      #expect(try await client.result("db.passphrase", ["action": "set", "new": "first"])["type"] == "done")
      #expect(try await state(client) == "running")
      #expect(try await kinds(client).contains("passphrase"))
      await expectRefusal("passphrase-set", client, "db.passphrase", ["action": "set", "new": "again"])
      await expectRefusal(
        "wrong-passphrase", client, "db.passphrase",
        ["action": "change", "passphrase": "wrong", "new": "second"])
      await expectRefusal("invalid-params", client, "db.passphrase", ["action": "change", "new": "second"])
      // The key that it knows still works.
      #expect(try await state(client) == "running")
      let params: JSONValue = ["action": "change", "passphrase": "first", "new": ["fd": 0]]
      _ = try await client.call(
        "db.passphrase", params: params.description, [PassedFile(holding: Array("second\n".utf8))])
      #expect(try await state(client) == "running")
      _ = try await client.result("account.lock", ["name": name])
      await expectRefusal(
        "wrong-passphrase", client, "account.unlock", ["name": name, "passphrase": "first"])
      // One that is locked stays so.
      _ = try await client.result(
        "db.passphrase", ["action": "change", "passphrase": "second", "new": "third"])
      #expect(try await state(client) == "locked")
      _ = try await client.result("account.unlock", ["name": name, "passphrase": "third"])
      await expectRefusal(
        "invalid-params", client, "db.passphrase",
        ["action": "remove", "passphrase": "third", "new": "fourth"])
      _ = try await client.result("db.passphrase", ["action": "remove", "passphrase": "third"])
      #expect(try await state(client) == "running")
      #expect(try await !kinds(client).contains("passphrase"))
    }
  }

  @Test func slotsAreAddedTestedAndRemoved() async throws {
    try await withClient { home, client, name in
      #expect(try await kinds(client).sorted() == ["open", "recovery"])
      _ = try await client.result("key.add", ["kind": "passphrase", "new": "words"])
      let listed = try await client.result("key.list")["items"]?.elements ?? []
      func slot(_ kind: String) throws -> JSONValue {
        .string("\(try #require(listed.first { $0["kind"]?.string == kind }?["id"]?.integer))")
      }
      let tested = try await client.result("key.test")["items"]?.elements ?? []
      #expect(tested.map { $0["kind"] } == ["open"] && tested.map { $0["state"] } == ["works"])
      let passphrase = try slot("passphrase")
      await expectRefusal(
        "wrong-passphrase", client, "key.test", ["slot": passphrase, "passphrase": "other"])
      await expectRefusal("invalid-params", client, "key.test", ["slot": passphrase])
      let works = try await client.result("key.test", ["slot": passphrase, "passphrase": "words"])
      #expect(works["items"]?.elements?.first?["state"] == "works")
      await expectRefusal("slot-missing", client, "key.test", ["slot": "99"])
      await expectRefusal("invalid-params", client, "key.remove", ["slot": "recovery"])
      await expectRefusal("slot-missing", client, "key.remove", ["slot": "credential"])
      _ = try await client.result("key.remove", ["slot": "open"])
      #expect(try await kinds(client).sorted() == ["passphrase", "recovery"])
      #expect(try await state(client) == "running")
      // Nothing opens it without a person now.
      _ = try await client.result("key.forget")
      #expect(try await state(client) == "locked")
      _ = try await client.result("account.unlock", ["name": name, "passphrase": "words"])
      _ = try await client.result("key.move", ["kind": "open"])
      #expect(try await kinds(client).contains("open"))
      _ = try await client.result("key.forget")
      #expect(try await state(client) == "running")
      await expectRefusal("invalid-params", client, "key.add", ["kind": "keyhole"])
      await expectRefusal("invalid-params", client, "key.add", ["kind": "open", "new": "words"])
      await expectRefusal("invalid-params", client, "key.move", ["kind": "recovery"])
    }
  }

  @Test func theRecoveryPhraseOpensWhatNothingElseDoes() async throws {
    try await withClient { home, client, name in
      let phrase = try #require(try await client.result("account.export_phrase")["recovery_phrase"])
      _ = try await client.result("key.remove", ["slot": "open", "yes": true])
      #expect(try await kinds(client) == ["recovery"])
      let listed = try await client.result("key.list")["items"]?.elements?.first
      let id = JSONValue.string("\(try #require(listed?["id"]?.integer))")
      _ = try await client.result("key.test", ["slot": id, "phrase": phrase])
      let words = JSONValue.string(Array(repeating: "nonsense", count: 13).joined(separator: " "))
      await expectRefusal("data", client, "key.test", ["slot": id, "phrase": words])
      // It was open, and stays so.
      #expect(try await state(client) == "running")
      _ = try await client.result("key.forget")
      #expect(try await state(client) == "locked")
      _ = try await client.result("key.add", ["kind": "passphrase", "new": "words", "phrase": phrase])
      _ = try await client.result("account.unlock", ["name": name, "passphrase": "words"])
      #expect(try await state(client) == "running")
    }
  }

  @Test func keysNeedTheirScopes() async throws {
    try await withClient { home, client, _ in
      let settings = home.path(".config/session/sockets.d")
      try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
      try home.program.writeSecret(
        "path = \"guest.sock\"\nscopes = [\"read\", \"admin\"]\n", to: ".config/session/sockets.d/guest.toml")
      _ = try await client.result("daemon.reload")
      let guest = try RPCClient(to: settings.appending(path: "guest.sock").path)
      for method in ["db.passphrase", "key.add", "key.move", "key.remove"] {
        await expectRefusal("permission", guest, method, ["kind": "open"])
      }
      #expect(try await guest.result("key.list")["items"]?.elements?.count == 2)
      guest.close()
    }
  }

  /// Clients of a further socket may be other users.
  @Test func onlyTheOwnerChoosesProgramsThatPrintKeys() async throws {
    try await withClient { home, client, _ in
      let settings = home.path(".config/session/sockets.d")
      try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
      try home.program.writeSecret(
        "path = \"guest.sock\"\nscopes = [\"read\", \"admin\", \"secrets\"]\n",
        to: ".config/session/sockets.d/guest.toml")
      _ = try await client.result("daemon.reload")
      let guest = try RPCClient(to: settings.appending(path: "guest.sock").path)
      let file = home.path("printer-was-run").path
      for method in ["key.add", "key.move"] {
        await expectRefusal(
          "permission", guest, method,
          ["kind": "command", "word": ["/bin/sh", "-c", .string("touch \(file)")]])
      }
      #expect(!FileManager.default.fileExists(atPath: file))
      _ = try await guest.result("key.add", ["kind": "passphrase", "new": "words"])
      guest.close()
    }
  }

  @Test func theNewestLinesOfTheLogAreShown() async throws {
    try await withClient { _, client, _ in
      let all = try await client.result("log.show")
      let lines = try #require(all["items"]?.elements)
      #expect(lines.contains { $0["part"] == "daemon" && $0["event"] == "started" })
      #expect(all["more"] == false)
      let newest = try await client.result("log.show", ["limit": 1])
      #expect(newest["items"]?.elements?.count == 1 && newest["more"] == .boolean(lines.count > 1))
      let errors = try await client.result("log.show", ["level": "error"])
      #expect(errors["items"]?.elements?.allSatisfy { $0["level"] == "error" } == true)
      #expect(try await client.result("log.show", ["since_ms": 3_600_000])["items"] == all["items"])
      await expectRefusal("invalid-params", client, "log.show", ["level": "loud"])
      await expectRefusal("invalid-params", client, "log.show", ["limit": 1001])
      await expectRefusal("invalid-params", client, "log.show", ["since_ms": -1])
    }
  }
}
