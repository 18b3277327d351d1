import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

@Suite struct RegisteredNamesTests {
  /// Names of a test, and which of them were asked for.
  private final class Names: NameService {
    let accounts: [String: SessionID]
    let asked = Mutex<[String]>([])

    init(_ accounts: [String: SessionID]) { self.accounts = accounts }

    func account(named name: String) async throws(SessionError) -> SessionID? {
      asked.withLock { $0.append(name) }
      guard name != "disputed" else { throw SessionError(.nameRecord, "nodes disagree") }
      return accounts[name]
    }
  }

  @Test func aNameIsResolvedByTheNetwork() async throws {
    let world = World()
    let bob = try Account.generate().id
    let names = Names(["bob": bob])
    var environment = world.environment
    environment.names = names
    let messenger = try Messenger(.generate(), try .inMemory(schema: .account), environment)
    #expect(try await messenger.account(named: "bob") == bob)
    #expect(try await messenger.account(named: "carol") == nil)
    await expectCode(.nameRecord) { _ = try await messenger.account(named: "disputed") }
    // These cost no request.
    await expectCode(.nameLength) { _ = try await messenger.account(named: "") }
    await expectCode(.nameLength) {
      _ = try await messenger.account(named: String(repeating: "a", count: 65))
    }
    for name in ["-bob", "bob-", "b.ob", "b\u{F6}b", "b ob"] {
      await expectCode(.nameCharacters) { _ = try await messenger.account(named: name) }
    }
    #expect(names.asked.withLock { $0 } == ["bob", "carol", "disputed"])
  }

  @Test func nothingIsResolvedWithoutANetwork() async throws {
    let world = World()
    let messenger = try Messenger(.generate(), try .inMemory(schema: .account), world.environment)
    await #expect(throws: MessengerError.self) { try await messenger.account(named: "bob") }
  }

  private func expectCode(_ code: SessionError.Code, _ body: () async throws -> Void) async {
    do {
      try await body()
      Issue.record("it did not fail")
    } catch { #expect((error as? SessionError)?.code == code, "\(error)") }
  }
}
