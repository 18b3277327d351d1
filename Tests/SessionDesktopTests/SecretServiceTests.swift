import Foundation
import PrivateBuses
import SessionBase
import SessionCore
import Synchronization
import Testing

@testable import SessionDesktop

@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5)))
struct SecretServiceTests {
  private let server: PrivateBus

  init() throws { server = try PrivateBus() }

  private func blocking<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await WorkerQueue("test.secrets").run { try work() }
  }

  private func fake(_ change: @Sendable (inout FakeSecretService.State) -> Void = { _ in }) async throws
    -> FakeSecretService
  {
    let bus = try server.connected()
    let fake = try await blocking { try FakeSecretService(on: bus) }
    fake.state.withLock { change(&$0) }
    return fake
  }

  private func store(promptTime: Duration = .seconds(100)) async throws -> SecretService {
    let address = server.address
    return try await blocking { try SecretService(address: address, promptTime: promptTime) }
  }

  private func key(_ byte: UInt8) throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](repeating: byte, count: 32))
  }

  private func expect(
    _ failure: SecretService.Failure, _ location: SourceLocation = #_sourceLocation,
    _ work: @escaping @Sendable () throws -> Void
  ) async {
    let found = await #expect(throws: SecretService.Failure.self, sourceLocation: location) {
      try await blocking(work)
    }
    #expect(found == failure, sourceLocation: location)
  }

  @Test func keysAreKeptFoundAndForgotten() async throws {
    let (fake, store) = (try await fake(), try await store())
    let (one, two) = (try key(1), try key(2))
    try await blocking {
      try store.keep(one, as: "a", asking: false)
      try store.keep(two, as: "b", asking: false)
    }
    #expect(
      fake.state.withLock {
        $0.items.values.contains { $0.secret == Array(String(repeating: "01", count: 32).utf8) }
      })
    #expect(try await blocking { try store.keys("a", asking: false) } == [one])
    // A key that is there already may be in use.
    try await blocking { try store.keep(two, as: "a", asking: false) }
    #expect(try await blocking { try store.keys("a", asking: false) } == [one, two])
    try await blocking { try store.forget("a", asking: false) }
    await expect(.missing) { _ = try store.keys("a", asking: false) }
    #expect(try await blocking { try store.keys("b", asking: false) } == [two])
  }

  @Test func aLockedKeyringIsAbsentUnlessAPersonIsAsked() async throws {
    let (fake, store) = (try await fake(), try await store())
    let one = try key(1)
    try await blocking { try store.keep(one, as: "a", asking: false) }
    fake.state.withLock { $0.isLocked = true }
    await expect(.locked) { _ = try store.keys("a", asking: false) }
    await expect(.locked) { try store.keep(one, as: "b", asking: false) }
    #expect(try await !blocking { try store.isOpen() })
    #expect(fake.state.withLock { $0.prompts } == 0)
    #expect(try await blocking { try store.keys("a", asking: true) } == [one])
    #expect(fake.state.withLock { $0.prompts } == 1)
  }

  @Test func aPromptThatIsClosedOrNotAnsweredFails() async throws {
    let fake = try await fake {
      $0.isLocked = true
      $0.prompting = .dismissed
      $0.items["/org/freedesktop/secrets/collection/login/1"] = .init(keyID: "a", secret: [])
    }
    let store = try await store(promptTime: .milliseconds(50))
    await expect(.dismissed) { _ = try store.keys("a", asking: true) }
    #expect(fake.state.withLock { $0.dismissals } == 0)
    fake.state.withLock { $0.prompting = .never }
    await expect(.dismissed) { _ = try store.keys("a", asking: true) }
    #expect(fake.state.withLock { $0.dismissals } == 1)
  }

  @Test func withoutADefaultKeyringNothingIsKept() async throws {
    let fake = try await fake { $0.hasDefault = false }
    let store = try await store()
    let one = try key(1)
    await expect(.noCollection) { try store.keep(one, as: "a", asking: true) }
    await expect(.noCollection) { _ = try store.isOpen() }
    withExtendedLifetime(fake) {}
  }

  @Test(arguments: [
    String(repeating: "5", count: 63), String(repeating: "5", count: 65), String(repeating: "z", count: 64),
    "", "\0\u{1}",
  ])
  func valuesThatAreNoKeysAreRefused(_ value: String) async throws {
    let fake = try await fake {
      $0.items["/org/freedesktop/secrets/collection/login/1"] = .init(keyID: "a", secret: Array(value.utf8))
    }
    let store = try await store()
    await expect(.wrongAnswer) { _ = try store.keys("a", asking: false) }
    // A good one beside it is found.
    fake.state.withLock {
      $0.items["/org/freedesktop/secrets/collection/login/2"] = .init(
        keyID: "a", secret: Array(String(repeating: "02", count: 32).utf8))
    }
    #expect(try await blocking { try store.keys("a", asking: false) } == [try key(2)])
  }

  @Test func aStoreThatOnlySaysThatItKeepsAKeyIsNoticed() async throws {
    let (fake, store) = (try await fake { $0.losesItems = true }, try await store())
    let (one, two) = (try key(1), try key(2))
    await expect(.notKept) { try store.keep(one, as: "a", asking: false) }
    fake.state.withLock { $0.losesItems = false }
    try await blocking { try store.keep(one, as: "a", asking: false) }
    fake.state.withLock { $0.losesItems = true }
    await expect(.notKept) { try store.keep(two, as: "a", asking: false) }
  }

  @Test func anItemMayVanish() async throws {
    let (fake, store) = (try await fake(), try await store())
    let one = try key(1)
    try await blocking { try store.keep(one, as: "a", asking: false) }
    fake.state.withLock { $0.vanishing = true }
    let failure = await #expect(throws: SecretService.Failure.self) {
      try await blocking { _ = try store.keys("a", asking: false) }
    }
    guard case .bus(let bus)? = failure else { return #expect(Bool(false), "\(failure as Any)") }
    #expect(bus.kind == .refused("org.freedesktop.Secret.Error.NoSuchObject"))
  }

  @Test func otherAnswersAreErrors() async throws {
    let fake = try await fake { $0.isWrong = true }
    let store = try await store()
    let one = try key(1)
    await expect(.wrongAnswer) { _ = try store.keys("a", asking: false) }
    await expect(.wrongAnswer) { try store.keep(one, as: "a", asking: false) }
    withExtendedLifetime(fake) {}
  }

  @Test func aBusWithoutAStoreIsAnError() async throws {
    let failure = await #expect(throws: SecretService.Failure.self) { _ = try await store() }
    guard case .bus? = failure else { return #expect(Bool(false), "\(failure as Any)") }
  }

  /// The same with a store that people use.
  @Test(.enabled(if: GnomeKeyring.isPossible, "\(GnomeKeyring.reason)"))
  func theKeyringOfGnomeKeepsAKey() async throws {
    let keyring = try await GnomeKeyring(on: server)
    let store = try await store()
    let (one, two) = (try key(1), try key(2))
    #expect(try await blocking { try store.isOpen() })
    await expect(.missing) { _ = try store.keys("a", asking: false) }
    try await blocking { try store.keep(one, as: "a", asking: false) }
    try await blocking { try store.keep(two, as: "b", asking: false) }
    #expect(try await blocking { try store.keys("a", asking: false) } == [one])
    try await blocking { try store.forget("a", asking: false) }
    await expect(.missing) { _ = try store.keys("a", asking: false) }
    #expect(try await blocking { try store.keys("b", asking: false) } == [two])
    withExtendedLifetime(keyring) {}
  }
}
