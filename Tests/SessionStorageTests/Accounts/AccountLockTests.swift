import Glibc
import Testing

@testable import SessionStorage

@Suite struct AccountLockTests {
  private let folder: Workplace
  private let account: AccountFolder

  init() throws {
    folder = try Workplace()
    account = try AccountFolder("alice", in: StorageRoots(inside: folder.path("roots")))
    try account.prepare()
  }

  @Test func theSecondProcessLearnsTheHolderOfTheLock() throws {
    let lock = try AccountLock(account, purpose: "session daemon")
    #expect(
      AccountLock.holder(of: account)
        == AccountLock.Holder(process: getpid(), purpose: "session daemon", socket: nil))
    #expect { try AccountLock(account, purpose: "session send") } throws: { error in
      (error as? StorageError)?.code == .locked
        && "\(error)" == "the account alice is in use by session daemon (process \(getpid()))"
    }
    withExtendedLifetime(lock) {}
  }

  @Test func theLockGoesWithItsHolder() throws {
    do {
      let lock = try AccountLock(account, purpose: "first")
      withExtendedLifetime(lock) {}
    }
    #expect(AccountLock.holder(of: account) == nil)
    let next = try AccountLock(account, purpose: "second")
    #expect(AccountLock.holder(of: account)?.purpose == "second")
    withExtendedLifetime(next) {}
  }

  @Test func accountsAreLockedApart() throws {
    let other = try AccountFolder("bob", in: StorageRoots(inside: folder.path("roots")))
    try other.prepare()
    let first = try AccountLock(account, purpose: "first")
    let second = try AccountLock(other, purpose: "second")
    withExtendedLifetime((first, second)) {}
  }

  /// A killed process leaves a file with its name in it, which locks nothing.
  @Test func aNameWithoutALockMeansNothing() throws {
    try folder.write([UInt8]("4711 session daemon\n".utf8), to: folder.name(account.lock))
    #expect(AccountLock.holder(of: account) == nil)
    let lock = try AccountLock(account, purpose: "session send")
    withExtendedLifetime(lock) {}
  }
}
