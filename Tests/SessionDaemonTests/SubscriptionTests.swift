import Folders
import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionDaemon

/// Subscriptions to several accounts, and to signals.
@Suite(.timeLimit(.minutes(1))) struct SubscriptionTests {
  private static let environment = MessengerEnvironment(swarms: UnreachableSwarms())

  private let folder: TemporaryFolder
  private let roots: StorageRoots

  init() throws {
    folder = try TemporaryFolder()
    roots = StorageRoots(inside: folder.path("roots"))
  }

  private func make(_ name: String) async throws {
    let messenger = try await Messenger.create(
      .generate(), in: AccountFolder(name, in: roots), Self.environment)
    await messenger.stop()
  }

  /// Serves accounts with these names; those in `locked` need a passphrase, which is any.
  private func serving(
    _ names: String..., locked: Set<String> = [],
    body: (AccountKeeper, RPCClient, AsyncStream<(method: String, params: JSONValue)>) async throws -> Void
  ) async throws {
    for name in names { try await make(name) }
    let keeper = AccountKeeper(roots) { account, passphrase in
      guard passphrase != nil || !locked.contains(account.name) else {
        throw StorageError(.passphraseNeeded, "it needs a passphrase")
      }
      let messenger = try await Messenger.open(account, Self.environment)
      return AccountKeeper.Opened(messenger) { await messenger.stop() }
    }
    await keeper.start()
    await keeper.untilOpened()
    let server = try RPCServer(
      at: folder.path("socket"), keeper, dataRoot: roots.data, version: "1",
      methods: RPCMethod.events(SubscriptionTable()) { delivered, _ in
        "{\"cursor\":\(delivered.event.id.rawValue)}"
      })
    let (told, telling) = AsyncStream.makeStream(of: (method: String, params: JSONValue).self)
    let client = try RPCClient(to: server.path) { telling.yield(($0, $1)) }
    try await doing {
      try await body(keeper, client, told)
    } andThen: {
      client.close()
      await server.stop()
      await keeper.stop()
    }
  }

  /// Makes an event in an account; its number.
  @discardableResult
  private func happen(_ name: String, _ keeper: AccountKeeper) async throws -> JSONValue {
    let messenger = try await keeper.messenger(named: name)
    try await messenger.setName("n\(try await messenger.lastEvent().rawValue % 1_000_000)")
    return .integer(try await messenger.lastEvent().rawValue)
  }

  private func kind(_ client: RPCClient, _ params: JSONValue) async -> String? {
    do {
      _ = try await client.call("events.subscribe", params)
      return nil
    } catch { return (error as? RPCError)?.kind }
  }

  private func names(_ subscribed: JSONValue) -> [JSONValue?] {
    guard case .array(let positions)? = subscribed["positions"] else { return [] }
    return positions.map { $0["account"] }
  }

  @Test func oneSubscriptionHasTheEventsOfSeveralAccounts() async throws {
    try await serving("alice", "bob", "carol") { keeper, client, told in
      let subscribed = try await client.call(
        "events.subscribe", ["reader": "bot", "accounts": .array(["alice", "carol"])])
      #expect(names(subscribed) == ["alice", "carol"])
      var heard = told.makeAsyncIterator()
      try await happen("bob", keeper)
      for name in ["carol", "alice"] {
        let cursor = try await happen(name, keeper)
        let (method, params) = try #require(await heard.next())
        #expect(method == "event" && params["account"] == .string(name))
        #expect(params["event"]?["cursor"] == cursor)
        _ = try await client.call(
          "events.ack", ["reader": "bot", "account": .string(name), "cursor": cursor])
        let reader = try await keeper.messenger(named: name).reader("bot")
        #expect(.integer(reader?.acknowledged.rawValue ?? 0) == cursor)
      }
      // A reader has one subscription in each account.
      #expect(await kind(client, ["reader": "bot", "account": "carol"]) == "reader-busy")
      #expect(await kind(client, ["reader": "bot", "account": "bob"]) == nil)
      #expect(
        await kind(client, ["reader": "bot", "accounts": .array(["carol"]), "take_over": true]) == nil)
      let (method, params) = try #require(await heard.next())
      #expect(method == "subscription.ended" && params["kind"] == "taken-over")
      #expect(params["subscription"] == subscribed["subscription"])
      #expect(await kind(client, ["reader": "bot", "account": "alice"]) == nil)
    }
  }

  @Test func aSubscriptionThatFailsChangesNoOther() async throws {
    try await serving("alice") { keeper, client, told in
      _ = try await client.call("events.subscribe", ["reader": "bot"])
      var heard = told.makeAsyncIterator()
      let reader = try await keeper.messenger(named: "alice").reader("bot")
      #expect(
        await kind(client, ["reader": "bot", "from": .integer(1 << 53), "take_over": true])
          == "invalid-params")
      #expect(await kind(client, ["reader": "bot", "from": "start"]) == "reader-busy")
      #expect(try await keeper.messenger(named: "alice").reader("bot")?.acknowledged == reader?.acknowledged)
      let cursor = try await happen("alice", keeper)
      let (method, params) = try #require(await heard.next())
      #expect(method == "event" && params["event"]?["cursor"] == cursor)
    }
  }

  @Test func aConnectionHasALimitedNumberOfSubscriptions() async throws {
    try await serving("alice") { keeper, client, _ in
      // All at once: those that are being made count, too.
      let failures = await withTaskGroup(of: String?.self) { group -> [String] in
        for _ in 0..<66 {
          group.addTask {
            do { _ = try await client.call("events.subscribe", ["account": "alice"]) } catch {
              return (error as? RPCError)?.kind ?? "\(error)"
            }
            return nil
          }
        }
        var failures: [String] = []
        for await failure in group { if let failure { failures.append(failure) } }
        return failures
      }
      #expect(failures == ["limit-reached", "limit-reached"])
    }
  }

  @Test func allAccountsAreThoseThatOpenLater() async throws {
    try await serving("alice", "bob", locked: ["bob"]) { keeper, client, told in
      let subscribed = try await client.call("events.subscribe", ["reader": "bot", "accounts": "*"])
      #expect(names(subscribed) == ["alice"])
      var heard = told.makeAsyncIterator()
      for name in ["bob", "carol"] {
        if name == "bob" {
          try await keeper.unlock("bob", .passphrase(SecretBytes(copying: [1])))
        } else {
          try await make("carol")
          await keeper.look()
        }
        let newest = try await keeper.messenger(named: name).lastEvent().rawValue
        let (method, params) = try #require(await heard.next())
        #expect(method == "subscription.account" && params["account"] == .string(name))
        #expect(params["subscription"] == subscribed["subscription"] && params["pending"] == 0)
        #expect(params["cursor"] == .integer(newest))
        let cursor = try await happen(name, keeper)
        let event = try #require(await heard.next())
        #expect(event.method == "event" && event.params["event"]?["cursor"] == cursor)
      }
      // One that goes ends nothing.
      try await keeper.park("carol")
      try AccountFolder("carol", in: roots).remove()
      await keeper.look()
      let cursor = try await happen("alice", keeper)
      let event = try #require(await heard.next())
      #expect(event.params["account"] == "alice" && event.params["event"]?["cursor"] == cursor)
    }
  }

  @Test func aSubscriptionPausesWhileItsAccountIsClosedOrLocked() async throws {
    try await serving("alice", "bob", locked: ["bob"]) { keeper, client, told in
      try await keeper.unlock("bob", .passphrase(SecretBytes(copying: [1])))
      _ = try await client.call("events.subscribe", ["reader": "bot", "account": "bob"])
      var heard = told.makeAsyncIterator()
      try await keeper.park("bob")
      await keeper.unpark("bob")
      // It is locked now.
      await keeper.untilOpened()
      #expect(await kind(client, ["account": "bob"]) == "account-locked")
      try await keeper.unlock("bob", .passphrase(SecretBytes(copying: [1])))
      let cursor = try await happen("bob", keeper)
      let event = try #require(await heard.next())
      #expect(event.method == "event" && event.params["event"]?["cursor"] == cursor)
    }
  }

  @Test func aSubscriptionBeginsWhenItsAccountIsBackAndEndsWithIt() async throws {
    try await serving("alice", "bob") { keeper, client, told in
      try await keeper.park("bob")
      let subscribed = try await client.call("events.subscribe", ["account": "bob", "from": "start"])
      #expect(names(subscribed) == [])
      await keeper.unpark("bob")
      var heard = told.makeAsyncIterator()
      #expect(await heard.next()?.method == "subscription.account")
      try await keeper.park("bob")
      try AccountFolder("bob", in: roots).remove()
      await keeper.look()
      while let (method, params) = await heard.next() {
        guard method == "subscription.ended" else { continue }
        #expect(params["kind"] == "account-deleted")
        break
      }
      await keeper.unpark("bob")
    }
  }

  @Test func wrongParametersAreRefused() async throws {
    try await serving("alice", "bob", locked: ["bob"]) { keeper, client, _ in
      let cases: [(JSONValue, String)] = [
        (["accounts": .array([])], "invalid-params"), (["accounts": "**"], "no-account"),
        (["accounts": .array(["alice", "alice"])], "invalid-params"),
        (["accounts": .array(["alice", 5])], "invalid-params"), (["accounts": true], "invalid-params"),
        (["account": "alice", "accounts": "*"], "invalid-params"), ([:], "account-required"),
        (["accounts": .array(["alice", "bob"])], "account-locked"),
        (["accounts": .array(["alice", "carol"])], "no-account"), (["account": "carol"], "no-account"),
        (["accounts": "*", "from": 5], "invalid-params"),
        (["accounts": "*", "from": "end"], "invalid-params"),
        (["account": "alice", "signals": .array(["typing", "tipping"])], "invalid-params"),
        (["account": "alice", "signals": true], "invalid-params"),
        (["account": "alice", "requests": "no"], "invalid-params"),
        (["account": "alice", "take_over": 1], "invalid-params"),
        (["account": "alice", "window": 0], "invalid-params"),
        (["account": "alice", "window": 1001], "invalid-params"),
        (["account": "alice", "kind": "messageReceived"], "invalid-params"),
      ]
      for (params, kind) in cases {
        #expect(await self.kind(client, params) == kind, "\(params)")
      }
      for (method, params) in [
        ("events.ack", ["reader": "bot", "cursor": 0, "account": "alice", "until": 5]),
        ("events.next", ["reader": "bot", "account": "alice", "kind": "x"]), ("daemon.ping", ["now": true]),
        ("events.unsubscribe", ["id": "s1"]), ("hello", ["acount": "alice"]),
      ] as [(String, JSONValue)] {
        await #expect("\(method)") { try await client.call(method, params) } throws: { error in
          guard let error = error as? RPCError else { return false }
          return error.kind == "invalid-params" && error.details.contains { $0.name == "member" }
        }
      }
    }
  }

  // MARK: - Signals

  @Test func statesOfAccountsAndJobsAreSignals() async throws {
    try await serving("alice") { keeper, client, told in
      _ = try await client.call(
        "events.subscribe", ["kinds": .array([]), "signals": .array(["account", "jobs", "network"])])
      var heard = told.makeAsyncIterator()
      var first: [String: JSONValue] = [:]
      while first.count < 3, let (method, params) = await heard.next() {
        #expect(method == "signal" && params["account"] == "alice")
        first[params["kind"]?.string ?? ""] = params
      }
      #expect(first["account"]?["state"] == "running" && first["network"]?["state"] == "disconnected")
      #expect(first["jobs"]?["failed"] == 0)
      try await keeper.park("alice")
      while let (_, params) = await heard.next() { if params["state"] == "parked" { break } }
      await keeper.unpark("alice")
      // The next messenger of the account is followed, too.
      while let (_, params) = await heard.next() { if params["kind"] == "network" { break } }
    }
  }

  @Test func theNewestSignalAboutASubjectReplacesTheOneBefore() async throws {
    func signal(_ account: String, _ state: String) -> Signal {
      Signal(ServedAccount(name: account, id: nil, state: state))
    }
    let box = SignalBox()
    box.put(signal("alice", "opening"))
    box.put(signal("bob", "opening"))
    box.put(signal("alice", "running"))
    #expect(await box.next() == signal("alice", "running"))
    #expect(await box.next() == signal("bob", "opening"))
    for number in 0...SignalBox.limit { box.put(signal("a\(number)", "running")) }
    #expect(await box.next() == signal("a1", "running"))
    let waiting = Task { await SignalBox().next() }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }
}
