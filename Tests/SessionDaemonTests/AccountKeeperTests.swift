import Folders
import Foundation
import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionDaemon

/// Accounts that the daemon opens, closes for other programs, and opens again.
@Suite(.timeLimit(.minutes(5))) struct AccountKeeperTests {
  private let folder: TemporaryFolder
  private let roots: StorageRoots

  init() throws {
    folder = try TemporaryFolder()
    roots = StorageRoots(inside: folder.path("roots"))
  }

  private static let environment = MessengerEnvironment(swarms: UnreachableSwarms())

  private func make(_ name: String) async throws {
    let messenger = try await Messenger.create(
      .generate(), name: name, in: AccountFolder(name, in: roots), Self.environment)
    await messenger.stop()
  }

  private func keeper(
    refusing refuse: @escaping @Sendable (String) throws -> Void = { _ in }
  ) async -> AccountKeeper {
    let keeper = AccountKeeper(roots) { account, _ in
      try refuse(account.name)
      let messenger = try await Messenger.open(account, Self.environment)
      return AccountKeeper.Opened(messenger) { await messenger.stop() }
    }
    await keeper.start()
    return keeper
  }

  /// A keeper that opens each account as soon as the gate is open, also one that is no longer wanted then. `begun` opens
  /// when the first is about to wait, `closed` when one was closed.
  private func keeper(behind gate: Latch, begun: Latch, closed: Latch = Latch()) async -> AccountKeeper {
    let keeper = AccountKeeper(roots) { account, _ in
      begun.open()
      // The keeper's task may be cancelled.
      let messenger = try await Task {
        await gate.wait()
        let messenger = try await Messenger.open(account, Self.environment)
        try await messenger.start()
        return messenger
      }.value
      return AccountKeeper.Opened(messenger) {
        await messenger.stop()
        closed.open()
      }
    }
    await keeper.start()
    return keeper
  }

  @Test func anAccountIsSuspendedAndResumedWhileItIsOpened() async throws {
    for changes in [[AccountChange.suspend], [.suspend, .resume]] {
      let name = "a\(changes.count)"
      try await make(name)
      let (gate, begun) = (Latch(), Latch())
      let keeper = await keeper(behind: gate, begun: begun)
      await begun.wait()
      for change in changes { try await keeper.change(name, change) }
      gate.open()
      let messenger = try await keeper.messenger(named: name)
      #expect(await messenger.isSuspended == (changes.last == .suspend))
      #expect(await states(keeper)[name] == (changes.last == .suspend ? "suspended" : "running"))
      await keeper.stop()
    }
  }

  @Test func accountsPauseWhileTheMachineSleeps() async throws {
    for name in ["alice", "bob"] { try await make(name) }
    let (gate, begun) = (Latch(), Latch())
    gate.open()
    let keeper = await keeper(behind: gate, begun: begun)
    let alice = try await keeper.messenger(named: "alice")
    let bob = try await keeper.messenger(named: "bob")
    try await keeper.change("bob", .suspend)
    await keeper.setAsleep(true)
    #expect(await alice.isSuspended)
    #expect(await bob.isSuspended)
    // Clients see what they want.
    #expect(await states(keeper) == ["alice": "running", "bob": "suspended"])
    try await keeper.change("bob", .resume)
    #expect(await bob.isSuspended)
    try await keeper.change("bob", .suspend)
    await keeper.setAsleep(false)
    #expect(await !alice.isSuspended)
    #expect(await bob.isSuspended)
    await keeper.stop()
  }

  @Test func onlyAccountsWithAPassphraseAreLockedWithTheScreen() async throws {
    for name in ["alice", "bob"] { try await make(name) }
    let (gate, begun) = (Latch(), Latch())
    gate.open()
    let keeper = await keeper(behind: gate, begun: begun)
    for name in ["alice", "bob"] { _ = try await keeper.messenger(named: name) }
    let key = try AccountFolder("alice", in: roots).key
    try DatabaseKeys(path: key).setPassphrase(SecretBytes(copying: [1]))
    await keeper.lockProtected()
    #expect(await states(keeper) == ["alice": "locked", "bob": "running"])
    await keeper.stop()
  }

  @Test func anAccountThatIsOpenedWhileTheMachineSleepsWaits() async throws {
    try await make("alice")
    let (gate, begun) = (Latch(), Latch())
    let keeper = await keeper(behind: gate, begun: begun)
    await begun.wait()
    await keeper.setAsleep(true)
    gate.open()
    let alice = try await keeper.messenger(named: "alice")
    #expect(await alice.isSuspended)
    await keeper.setAsleep(false)
    #expect(await !alice.isSuspended)
    await keeper.stop()
  }

  @Test(.timeLimit(.minutes(1))) func anAccountThatIsGoneWhenItIsOpenIsClosed() async throws {
    try await make("alice")
    let (gate, begun, closed) = (Latch(), Latch(), Latch())
    let keeper = await keeper(behind: gate, begun: begun, closed: closed)
    await begun.wait()
    await keeper.serve(only: [])
    gate.open()
    await closed.wait()
    #expect(await keeper.running().isEmpty)
    await keeper.stop()
  }

  @Test(.timeLimit(.minutes(1))) func anAccountThatIsLockedAndParkedAtATimeIsOpenedAgain() async throws {
    try await make("alice")
    let key = try AccountFolder("alice", in: roots).key
    try DatabaseKeys(path: key).setPassphrase(SecretBytes(copying: [1]))
    let (gate, begun) = (Latch(), Latch())
    let keeper = await keeper(behind: gate, begun: begun)
    await begun.wait()
    let locking = Task { try await keeper.change("alice", .lock) }
    while await states(keeper) != ["alice": "locked"] {
      try Task.checkCancellation()
      await Task.yield()
    }
    try DatabaseKeys(path: key).removePassphrase(SecretBytes(copying: [1]))
    let parking = Task { try await keeper.park("alice") }
    while await states(keeper) != ["alice": "parked"] {
      try Task.checkCancellation()
      await Task.yield()
    }
    gate.open()
    try await locking.value
    try await parking.value
    #expect(await states(keeper) == ["alice": "parked"])
    await keeper.unpark("alice")
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.stop()
  }

  @Test func anAccountThatIsLockedWhileItIsUnlockedStaysLocked() async throws {
    try await make("alice")
    let (gate, begun) = (Latch(), Latch())
    let keeper = AccountKeeper(roots) { account, passphrase in
      guard passphrase != nil else { throw StorageError(.passphraseNeeded, "it needs a passphrase") }
      begun.open()
      await gate.wait()
      let messenger = try await Messenger.open(account, Self.environment)
      return AccountKeeper.Opened(messenger) { await messenger.stop() }
    }
    await keeper.start()
    await keeper.untilOpened()
    let key = try AccountFolder("alice", in: roots).key
    let unlocking = Task { try await keeper.unlock("alice", .passphrase(SecretBytes(copying: [1]))) }
    await begun.wait()
    try DatabaseKeys(path: key).setPassphrase(SecretBytes(copying: [1]))
    try await keeper.change("alice", .lock)
    try DatabaseKeys(path: key).removePassphrase(SecretBytes(copying: [1]))
    gate.open()
    try await unlocking.value
    #expect(await states(keeper) == ["alice": "locked"])
    _ = try AccountLock(AccountFolder("alice", in: roots), purpose: "session db compact")
    await keeper.stop()
  }

  private func states(_ keeper: AccountKeeper) async -> [String: String] {
    Dictionary(uniqueKeysWithValues: await keeper.all().map { ($0.name, $0.state) })
  }

  @Test func aFailureOfOneAccountDelaysNoOther() async throws {
    for name in ["alice", "bob", "carol"] { try await make(name) }
    let keeper = await keeper { name in
      if name == "bob" { throw StorageError(.passphraseNeeded, "bob needs a passphrase") }
      if name == "carol" { throw StorageError(.corrupt, "carol is damaged") }
    }
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "running", "bob": "locked", "carol": "failed"])
    _ = try await keeper.messenger(named: "alice")
    for (name, kind) in [("bob", "account-locked"), ("carol", "failed"), ("dave", "no-account")] {
      await #expect("\(name)") { try await keeper.messenger(named: name) } throws: { error in
        (error as? RPCError)?.kind == kind
      }
    }
    await #expect { try await keeper.messenger(named: nil) } throws: { error in
      (error as? RPCError)?.kind == "account-required"
    }
    await keeper.stop()
  }

  /// A reload of the settings comes after what was wrong is mended.
  @Test(.timeLimit(.minutes(1))) func anAccountThatHasFailedIsTriedAgainAtAReload() async throws {
    try await make("alice")
    let (attempts, isMended) = (Attempts(), Attempts())
    let keeper = await keeper { _ in
      attempts.add()
      if isMended.count == 0 { throw StorageError(.corrupt, "alice is damaged") }
    }
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "failed"])
    #expect(await keeper.all().first?.failure?.contains("alice is damaged") == true)
    let before = attempts.count
    await keeper.serve(only: nil)
    await keeper.untilOpened()
    #expect(attempts.count > before)
    isMended.add()
    await keeper.serve(only: nil)
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.stop()
  }

  private final class Attempts: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
  }

  @Test func anAccountThatAnotherProgramHoldsIsOpenedWhenThatEnds() async throws {
    try await make("alice")
    var lock: AccountLock? = try AccountLock(AccountFolder("alice", in: roots), purpose: "session send")
    let keeper = await keeper()
    // The daemon is ready without it.
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "opening"])
    withExtendedLifetime(lock) {}
    lock = nil
    _ = try await keeper.messenger(named: nil)
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.stop()
  }

  @Test func anAccountStaysClosedUntilTheLastProgramIsDoneWithIt() async throws {
    try await make("alice")
    let keeper = await keeper()
    await keeper.untilOpened()
    try await keeper.park("alice")
    try await keeper.park("alice")
    #expect(await states(keeper) == ["alice": "parked"])
    // Its lock is free.
    _ = try AccountLock(AccountFolder("alice", in: roots), purpose: "session db compact")
    await keeper.unpark("alice")
    #expect(await states(keeper) == ["alice": "parked"])
    await keeper.unpark("alice")
    _ = try await keeper.messenger(named: "alice")
    await keeper.stop()
  }

  /// A program may begin to work on it after the look at the accounts.
  @Test func theStatusDoesNotWaitForAParkedAccount() async throws {
    try await make("alice")
    let keeper = await keeper()
    await keeper.untilOpened()
    #expect(await keeper.openMessenger(named: "alice") != nil)
    let accounts = EarlierAccounts(served: keeper, seen: await keeper.all())
    try await keeper.park("alice")
    #expect(await keeper.openMessenger(named: "alice") == nil)
    let greeting = Greeting(version: "1", dataRoot: try FileIdentity(of: "/"))
    let status = RPCMethod.status(greeting, connections: Counter(), CallStatistics())
    let client = try ServedClient([status], accounts)
    let call = #"{"jsonrpc":"2.0","id":1,"method":"daemon.status"}"# + "\n"
    let reply = try await client.replies(to: call).first
    #expect(reply?["result"]?["readers"] == JSONValue.array([]))
    await keeper.stop()
  }

  @Test func aLockedAccountIsOpenedWithItsPassphraseAlone() async throws {
    try await make("alice")
    let isLocked = Mutex(true)
    let keeper = await keeper { _ in
      if isLocked.withLock({ $0 }) { throw StorageError(.passphraseNeeded, "it needs a passphrase") }
    }
    await keeper.untilOpened()
    await #expect(throws: StorageError.self) {
      try await keeper.unlock("alice", .passphrase(SecretBytes(copying: [1])))
    }
    #expect(await states(keeper) == ["alice": "locked"])
    isLocked.withLock { $0 = false }
    try await keeper.unlock("alice", .passphrase(SecretBytes(copying: [2])))
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.stop()
  }

  /// A command that set a passphrase tells it right after the account was closed for it.
  @Test func anAccountIsUnlockedOnceItIsOpenedAgain() async throws {
    try await make("alice")
    let isLocked = Mutex(false)
    let keeper = await keeper { _ in
      if isLocked.withLock({ $0 }) { throw StorageError(.passphraseNeeded, "it needs a passphrase") }
    }
    _ = try await keeper.messenger(named: "alice")
    try await keeper.park("alice")
    isLocked.withLock { $0 = true }
    let unlocking = Task { try await keeper.unlock("alice", .passphrase(SecretBytes(copying: [1]))) }
    await keeper.unpark("alice")
    // It was tried with the passphrase, and not passed over because it was not locked yet.
    await #expect(throws: StorageError.self) { try await unlocking.value }
    #expect(await states(keeper) == ["alice": "locked"])
    await keeper.stop()
  }

  @Test func aNewAccountIsFoundWhenItIsAskedFor() async throws {
    let keeper = await keeper()
    try await make("alice")
    _ = try await keeper.messenger(named: "alice")
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.stop()
  }

  @Test func anAccountIsThereAsSoonAsItWasMade() async throws {
    let keeper = await keeper()
    try await make("alice")
    #expect(await keeper.all().map(\.name) == ["alice"])
    await keeper.stop()
  }

  @Test func accountsThatComeAndGoAreFollowed() async throws {
    let keeper = await keeper()
    await keeper.untilOpened()
    #expect(await states(keeper).isEmpty)
    try await make("alice")
    await keeper.look()
    _ = try await keeper.messenger(named: "alice")
    try await keeper.park("alice")
    try AccountFolder("alice", in: roots).remove()
    await keeper.look()
    #expect(await states(keeper).isEmpty)
    await keeper.unpark("alice")
    await keeper.stop()
  }

  @Test func otherAccountsAreServedAfterTheChoiceChanged() async throws {
    for name in ["alice", "bob"] { try await make(name) }
    let keeper = await keeper()
    await keeper.untilOpened()
    #expect(await keeper.running().count == 2)
    await keeper.serve(only: ["bob"])
    #expect(await states(keeper) == ["bob": "running"])
    await #expect(throws: RPCError.self) { try await keeper.messenger(named: "alice") }
    await keeper.serve(only: nil)
    _ = try await keeper.messenger(named: "alice")
    #expect(await states(keeper) == ["alice": "running", "bob": "running"])
    await keeper.stop()
  }

  @Test func aSuspendedAccountStaysSoUntilItIsResumed() async throws {
    try await make("alice")
    let keeper = await keeper()
    await keeper.untilOpened()
    try await keeper.change("alice", .suspend)
    #expect(await states(keeper) == ["alice": "suspended"])
    // What is stored can be read.
    _ = try await keeper.messenger(named: "alice").conversations()
    try await keeper.park("alice")
    await keeper.unpark("alice")
    _ = try await keeper.messenger(named: "alice")
    #expect(await states(keeper) == ["alice": "suspended"])
    try await keeper.change("alice", .resume)
    #expect(await states(keeper) == ["alice": "running"])
    await #expect(throws: RPCError.self) { try await keeper.change("bob", .suspend) }
    await keeper.stop()
  }

  @Test func aLockedAccountIsClosedAndItsKeyForgotten() async throws {
    for name in ["alice", "bob"] { try await make(name) }
    let isLocked = Mutex(false)
    let keeper = await keeper { name in
      if name == "alice", isLocked.withLock({ $0 }) { throw StorageError(.passphraseNeeded, "it is needed") }
    }
    await keeper.untilOpened()
    let messenger = try await keeper.messenger(named: "alice")
    try DatabaseKeys(path: AccountFolder("alice", in: roots).key).setPassphrase(SecretBytes(copying: [1]))
    try await keeper.change("alice", .lock)
    #expect(await states(keeper) == ["alice": "locked", "bob": "running"])
    await #expect { try await keeper.messenger(named: "alice") } throws: { error in
      (error as? RPCError)?.kind == "account-locked"
    }
    await #expect(throws: StorageError.self) { try await messenger.conversations() }
    await #expect { try await keeper.change("bob", .lock) } throws: { error in
      (error as? StorageError)?.code == .passphraseNotSet
    }
    try await keeper.park("alice")
    await #expect { try await keeper.change("alice", .lock) } throws: { ($0 as? RPCError)?.kind == "busy" }
    isLocked.withLock { $0 = true }
    await keeper.unpark("alice")
    await keeper.stop()
  }

  /// A passphrase opened it, and no keyring keeps the key: whatever another program did meanwhile, it goes on.
  @Test func aParkedAccountIsOpenedAgainWithTheKeyThatThisProgramHad() async throws {
    try await make("alice")
    let needsSecret = Mutex(false)
    let keeper = AccountKeeper(roots) { account, secret in
      if secret == nil, needsSecret.withLock({ $0 }) {
        throw StorageError(.passphraseNeeded, "it needs a passphrase")
      }
      let messenger = try await Messenger.open(account, secret: secret, Self.environment)
      return AccountKeeper.Opened(messenger, try DatabaseKeys(path: account.key).load()) {
        await messenger.stop()
      }
    }
    await keeper.start()
    await keeper.untilOpened()
    needsSecret.withLock { $0 = true }
    for _ in 0..<2 {
      try await keeper.park("alice")
      await keeper.unpark("alice")
      await keeper.untilOpened()
      #expect(await states(keeper) == ["alice": "running"])
    }
    // Another account under this name has another key.
    try await keeper.park("alice")
    try AccountFolder("alice", in: roots).remove()
    try await make("alice")
    await keeper.unpark("alice")
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "locked"])
    await keeper.stop()
  }

  /// A slot may open it without a person, as a credential does.
  @Test func aLockedAccountStaysLockedAfterAnotherProgramWorkedOnIt() async throws {
    try await make("alice")
    let keys = DatabaseKeys(path: try AccountFolder("alice", in: roots).key)
    let key = try keys.load()
    let keeper = AccountKeeper(roots) { account, _ in
      let messenger = try await Messenger.open(account, secret: .key(key), Self.environment)
      return AccountKeeper.Opened(messenger) { await messenger.stop() }
    }
    await keeper.start()
    await keeper.untilOpened()
    try keys.setPassphrase(SecretBytes(copying: [1]))
    try await keeper.change("alice", .lock)
    try await keeper.park("alice")
    await keeper.unpark("alice")
    await keeper.untilOpened()
    #expect(await states(keeper) == ["alice": "locked"])
    try await keeper.unlock("alice", .key(key))
    #expect(await states(keeper) == ["alice": "running"])
    await keeper.stop()
  }
}
