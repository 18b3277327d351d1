import Glibc
import Testing

@testable import SessionStorage

/// Two processes on one account see each other's changes and locks.
@Suite(.timeLimit(.minutes(5))) struct TwoProcessTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test func anotherProcessLearnsTheHolderOfTheAccount() async throws {
    let account = try AccountFolder("alice", in: StorageRoots(inside: place.path))
    try account.prepare()
    let lock = try AccountLock(account, purpose: "session daemon")
    await #expect(processExitsWith: .success) { [path = place.path as String, holder = getpid() as Int32] in
      let account = try AccountFolder("alice", in: StorageRoots(inside: path))
      #expect(
        AccountLock.holder(of: account) == .init(process: holder, purpose: "session daemon", socket: nil))
      expectFailure(.locked) { _ = try AccountLock(account, purpose: "session send") }
    }
    withExtendedLifetime(lock) {}
  }

  @Test func commitsOfAnotherProcessAreSeen() async throws {
    let database = try Database.notes(in: place)
    try await database.write { transaction in _ = try transaction.insertNote("here") }
    let observation = database.observations.observe(.notes)
    await #expect(processExitsWith: .success) { [file = place.file as String] in
      let database = try Database.open(file, key: .example(), schema: .notes, options: .impatient)
      try database.write { transaction in _ = try transaction.insertNote("there") }
      try database.close()
    }
    let changes = try #require(await observation.next())
    #expect(changes.isExternal)
    #expect(try database.notes == ["here", "there"])
  }
}
