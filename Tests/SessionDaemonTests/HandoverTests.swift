import Folders
import Foundation
import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionDaemon

/// What a daemon that starts itself anew leaves to the one that comes next.
@Suite struct HandoverTests {
  private let folder: TemporaryFolder
  private let roots: StorageRoots
  private static let environment = MessengerEnvironment(swarms: UnreachableSwarms())

  init() throws {
    folder = try TemporaryFolder()
    roots = StorageRoots(inside: folder.path("roots"))
  }

  /// Makes an account that only its key opens without a person, and returns that.
  private func make(_ name: String, isProtected: Bool = true) async throws -> DatabaseKey {
    let account = try AccountFolder(name, in: roots)
    try await Messenger.create(.generate(), name: name, in: account, Self.environment).stop()
    let keys = DatabaseKeys(path: account.key)
    let key = try keys.load()
    if isProtected { try keys.setPassphrase(SecretBytes(copying: [1])) }
    return key
  }

  private func keeper(
    only chosen: Set<String>? = nil, continuing kept: KeptAccounts = KeptAccounts(),
    _ keys: [String: DatabaseKey] = [:],
    told tell: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> AccountKeeper {
    let keeper = AccountKeeper(roots, only: chosen, continuing: kept) { account, secret in
      let secret = secret ?? keys[account.name].map { .key($0) }
      if secret == nil, try DatabaseKeys(path: account.key).protection() != .open {
        throw StorageError(.passphraseNeeded, "it needs a passphrase")
      }
      var key: DatabaseKey?
      if case .key(let known)? = secret { key = known }
      let messenger = try await Messenger.open(account, secret: secret, Self.environment)
      return AccountKeeper.Opened(messenger, key) {
        tell("handed over")
        await messenger.stop()
      } close: {
        tell("closed")
        await messenger.stop()
      }
    }
    await keeper.start()
    await keeper.untilOpened()
    return keeper
  }

  private func states(_ keeper: AccountKeeper) async -> [String: String] {
    Dictionary(uniqueKeysWithValues: await keeper.all().map { ($0.name, $0.state) })
  }

  /// The same, through the variable.
  private func passed(_ kept: KeptAccounts) throws -> KeptAccounts {
    let (text, keys) = try kept.handedOver()
    defer { withExtendedLifetime(keys) {} }
    // The other program closes the descriptor that it gets.
    let descriptor = try #require(text.split(separator: "=").last.flatMap { Int32($0) })
    let copy = dup(descriptor)
    return KeptAccounts([
      KeptAccounts.variable: text.replacing("keys=\(descriptor)", with: "keys=\(copy)")
    ])
  }

  /// Slots that need no person would open the first one; nothing but the passphrase opens the second.
  @Test func lockedAndOpenAccountsStayAsTheyAre() async throws {
    let keys = ["locked": try await make("locked"), "open": try await make("open")]
    _ = try await make("quiet", isProtected: false)
    let first = await keeper(keys)
    try await first.change("locked", .lock)
    try await first.change("quiet", .suspend)
    let before = ["locked": "locked", "open": "running", "quiet": "suspended"]
    #expect(await states(first) == before)
    let kept = try passed(await first.stop(isHandingOver: true))
    // The keyring of the system may have forgotten the key.
    for name in keys.keys { DatabaseKeys(path: try AccountFolder(name, in: roots).key).lock() }
    let second = await keeper(continuing: kept, ["locked": try #require(keys["locked"])])
    #expect(await states(second) == before)
    // Without a secret, what needs no person opens it.
    try await second.unlock("locked", nil)
    #expect(await states(second)["locked"] == "running")
    await second.stop()
    for name in keys.keys { DatabaseKeys(path: try AccountFolder(name, in: roots).key).lock() }
  }

  @Test func aLockedAccountThatNothingProtectsAnyMoreIsOpened() async throws {
    _ = try await make("alice", isProtected: false)
    var kept = KeptAccounts()
    kept.locked = ["alice", "gone"]
    let keeper = await keeper(continuing: kept)
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.stop()
  }

  @Test(.timeLimit(.minutes(1))) func anAccountThatIsLockedWhileItIsHandedOverStaysLocked() async throws {
    let key = try await make("alice")
    let (begun, gate) = (Latch(), Latch())
    let keeper = AccountKeeper(roots) { account, _ in
      let messenger = try await Messenger.open(account, secret: .key(key), Self.environment)
      return AccountKeeper.Opened(messenger, key) {
        begun.open()
        await gate.wait()
        await messenger.stop()
      } close: {
        await messenger.stop()
      }
    }
    await keeper.start()
    await keeper.untilOpened()
    let stopping = Task { await keeper.stop(isHandingOver: true) }
    await begun.wait()
    try await keeper.change("alice", .lock)
    gate.open()
    let kept = await stopping.value
    #expect(kept.locked == ["alice"])
    #expect(kept.keys.isEmpty)
  }

  @Test(.timeLimit(.minutes(1))) func anAccountThatIsBeingOpenedIsLockedWithTheScreen() async throws {
    let key = try await make("alice")
    var known = KeptAccounts()
    known.keys = ["alice": key]
    let (begun, gate) = (Latch(), Latch())
    let keeper = AccountKeeper(roots, continuing: known) { account, secret in
      guard let secret else { throw StorageError(.passphraseNeeded, "it needs a passphrase") }
      begun.open()
      await gate.wait()
      let messenger = try await Messenger.open(account, secret: secret, Self.environment)
      return AccountKeeper.Opened(messenger, key) { await messenger.stop() }
    }
    await keeper.start()
    await begun.wait()
    #expect(await states(keeper) == ["alice": "opening"])
    await keeper.lockProtected()
    gate.open()
    #expect(await states(keeper) == ["alice": "locked"])
    let kept = await keeper.stop(isHandingOver: true)
    #expect(kept.locked == ["alice"])
    #expect(kept.keys.isEmpty)
    DatabaseKeys(path: try AccountFolder("alice", in: roots).key).lock()
  }

  @Test func keysOfAccountsThatAreNotServedAreForgotten() async throws {
    let names = ["alice", "bob"]
    var known = KeptAccounts()
    for name in names { known.keys[name] = try await make(name) }
    let keeper = await keeper(only: ["alice"], continuing: known)
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.dropKeptKeys()
    await keeper.serve(only: nil)
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "running", "bob": "locked"])
    await keeper.stop()
    for name in names { DatabaseKeys(path: try AccountFolder(name, in: roots).key).lock() }
  }

  @Test func accountsAreHandedOverOrClosed() async throws {
    _ = try await make("alice", isProtected: false)
    for (isHandingOver, end) in [(true, "handed over"), (false, "closed")] {
      let (ends, telling) = AsyncStream.makeStream(of: String.self)
      let keeper = await keeper { telling.yield($0) }
      await keeper.stop(isHandingOver: isHandingOver)
      telling.finish()
      #expect(await ends.reduce(into: []) { $0.append($1) } == [end])
    }
  }

  @Test func keysAreInNoTextAndOnlyForThisProcess() async throws {
    let key = try DatabaseKey.random()
    var kept = KeptAccounts()
    kept.keys = ["alice": key]
    let (text, file) = try kept.handedOver()
    #expect(text == "\(getpid()) locked= suspended= keys=\(file.descriptor)")
    let other = KeptAccounts([
      KeptAccounts.variable: text.replacing("\(getpid()) ", with: "1 ", maxReplacements: 1)
    ])
    #expect(other.keys.isEmpty)
    let arrived = try #require(try passed(kept).keys["alice"])
    #expect(try arrived.handedOver().reveal() == key.handedOver().reveal())
    for text in [
      "", "1", "\(getpid())", "\(getpid()) keys=", "\(getpid()) keys=1", "\(getpid()) keys=x locked",
    ] {
      let kept = KeptAccounts([KeptAccounts.variable: text])
      #expect(kept.keys.isEmpty && kept.locked.isEmpty && kept.suspended.isEmpty)
    }
  }
}
