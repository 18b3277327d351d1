import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage
import Synchronization
import Testing

@testable import SessionDaemon

/// What a client may do with its scopes and accounts.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
  /// Accounts that note whose messenger is wanted, and have none.
  private final class NotedAccounts: ServedAccounts {
    let noted = Mutex<[String]>([])

    func all() -> [ServedAccount] {
      ["alice", "bob", "carol"].map { ServedAccount(name: $0, id: nil, state: "running") }
    }

    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    func messenger(named name: String?) throws -> Messenger {
      note(name ?? "?")
      throw RPCError(75, "busy", "there is no messenger")
    }

    func openMessenger(named name: String) -> Messenger? {
      note(name)
      return nil
    }

    func park(_ name: String) { note(name) }
    func unpark(_ name: String) { note(name) }
    func release(to process: Int32) {}
    func unlock(_ name: String, _ secret: KeySecret?) { note(name) }
    func change(_ name: String, _ change: AccountChange) { note(name) }
    func isDeleted(_ name: String) -> Bool { false }

    private func note(_ name: String) { noted.withLock { $0.append(name) } }
  }

  private func call(_ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"# + "\n"
  }

  private func kind(of reply: JSONValue?) -> String? { reply?["error"]?["data"]?["kind"]?.string }

  @Test(arguments: RPCScope.allCases, RPCScope.allCases)
  func aMethodNeedsItsScope(_ needed: RPCScope, _ given: RPCScope) async throws {
    let method = RPCMethod("act", needs: needed) { _ in "1" }
    let reply = try await ServedClient([method], NoAccounts(), RPCAccess([given])).replies(to: call("act"))
      .first
    #expect((reply?["result"] == 1) == (needed == given))
    guard needed != given else { return }
    #expect(kind(of: reply) == "permission" && reply?["error"]?["code"] == 77)
    #expect(reply?["error"]?["data"]?["scope"]?.string == needed.rawValue)
  }

  @Test func batchesNeedTheScopesOfTheirCalls() async throws {
    let method = RPCMethod("act", needs: .send) { _ in "1" }
    let batch = "[\(call("act").dropLast()),\(call("daemon.ping").dropLast())]\n"
    let reply = try await ServedClient([method], NoAccounts(), RPCAccess([.read])).replies(to: batch).first
    guard case .array(let replies)? = reply else {
      Issue.record("no array: \(String(describing: reply))")
      return
    }
    #expect(replies.count == 2 && replies.contains { kind(of: $0) == "permission" })
  }

  @Test func whoMayUseSomeAccountsLearnsNothingOfAll() {
    #expect(throws: Never.self) { try RPCAccess([.admin]).requireAllAccounts(for: "the log") }
    for accounts in [["bob"], []] as [Set<String>] {
      #expect {
        try RPCAccess([.admin], accounts: accounts).requireAllAccounts(for: "the log")
      } throws: {
        ($0 as? RPCError)?.kind == "permission"
      }
    }
  }

  @Test func theGreetingTellsScopesAndThePermittedAccounts() async throws {
    let client = try ServedClient([], NotedAccounts(), RPCAccess([.send, .read], accounts: ["bob", "dave"]))
    let reply = try await client.replies(to: call("hello")).first
    #expect(reply?["result"]?["scopes"] == ["read", "send"])
    #expect(reply?["result"]?["accounts"] == [["name": "bob", "state": "running"]])
  }

  @Test func otherAccountsDoNotExist() async throws {
    let accounts = NotedAccounts()
    let method = RPCMethod("act", needs: nil) { call in "\(try await call.messenger().id)" }
    for (params, expected) in [
      (#"{"account":"alice"}"#, "no-account"), (#"{"account":"bob"}"#, "busy"), ("{}", "busy"),
    ] {
      let client = try ServedClient([method], accounts, RPCAccess([], accounts: ["bob"]))
      #expect(kind(of: try await client.replies(to: call("act", params)).first) == expected)
    }
    let greeting = try ServedClient([], accounts, RPCAccess([], accounts: ["bob"]))
    #expect(
      kind(of: try await greeting.replies(to: call("hello", #"{"account":"alice"}"#)).first) == "no-account")
    // Only the permitted account was reached.
    #expect(accounts.noted.withLock { $0 } == ["bob", "bob"])
  }

  @Test func anAccountIsNamedAmongSeveralPermittedOnes() async throws {
    let method = RPCMethod("act", needs: nil) { call in "\(try await call.messenger().id)" }
    let client = try ServedClient([method], NotedAccounts(), RPCAccess([], accounts: ["alice", "bob"]))
    let reply = try await client.replies(to: call("act")).first
    #expect(kind(of: reply) == "account-required")
    #expect(reply?["error"]?["data"]?["accounts"] == ["alice", "bob"])
  }

  @Test func accountsOutsideAreNeitherParkedNorUnlocked() async throws {
    let accounts = NotedAccounts()
    let permitted = PermittedAccounts(served: accounts, names: ["bob"])
    await #expect(throws: RPCError.self) { try await permitted.park("alice") }
    await #expect(throws: RPCError.self) {
      try await permitted.unlock("alice", .passphrase(SecretBytes(copying: [1])))
    }
    await permitted.unpark("alice")
    try await permitted.park("bob")
    await permitted.unpark("bob")
    #expect(accounts.noted.withLock { $0 } == ["bob", "bob"])
  }

  /// What lets calls go on without a time limit.
  @Test func onlyClientsThatMayAdministerAreProgramsOfThisProject() async throws {
    let hello = call("hello", "{\"internal\":\(Greeting.internalVersion)}")
    let restricted = try ServedClient([], NoAccounts(), RPCAccess([.read, .send, .manage, .secrets]))
    #expect(kind(of: try await restricted.replies(to: hello).first) == "permission")
    #expect(try await ServedClient().replies(to: hello).first?["result"] != nil)
  }

  @Test func methodsBetweenOurProgramsNeedTheScopeAdmin() {
    #expect(RPCMethod.messenger.allSatisfy { $0.scope == .admin })
  }
}
