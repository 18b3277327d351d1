import Foundation
import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// Databases that were put back to an older state.
@Suite struct RatchetRollbackTests {
  /// Alice, whose database is a file, and Bob, who talk with forward secrecy.
  private func withStoredAlice(
    _ body: (World, StoredAlice, _ bob: Messenger) async throws -> Void
  ) async throws {
    let world = World()
    let folder = FileManager.default.temporaryDirectory.appending(path: "rollback-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bob = try await world.device(of: .generate(), name: "Bob")
    let alice = try StoredAlice(in: folder, world)
    try await alice.start()
    try await alice.messenger.send("hello", to: bob.id)
    try await world.settle()
    try await bob.send("hello", to: alice.account.id)
    try await alice.messenger.enableSecurity()
    try await bob.enableSecurity()
    try await world.settle()
    for number in 0..<2 {
      try await alice.messenger.send("alice \(number)", to: bob.id)
      try await world.settle()
      try await bob.send("bob \(number)", to: alice.account.id)
      try await world.settle()
    }
    do { try await body(world, alice, bob) } catch {
      await world.stop()
      throw error
    }
    await world.stop()
  }

  private final class StoredAlice {
    let account: Account
    private let folder: URL
    private let key: DatabaseKey
    private let world: World
    private var running: Messenger?

    init(in folder: URL, _ world: World) throws {
      account = try .generate()
      key = try DatabaseKey(.random(count: 32))
      (self.folder, self.world) = (folder, world)
    }

    private var file: URL { folder.appending(path: "messages.db") }
    private var copy: URL { folder.appending(path: "copy.db") }

    var messenger: Messenger {
      get throws { try #require(running) }
    }

    func start() async throws {
      let database = try Database.open(file.path, key: key, schema: .account)
      running = try await world.start(
        Messenger(account, database, world.environment, folder: folder.path))
    }

    func stop() async throws { await world.stop(try messenger) }

    func keepCopy() async throws {
      try await stop()
      try? FileManager.default.removeItem(at: copy)
      try FileManager.default.copyItem(at: file, to: copy)
      try await start()
    }

    func putBack() async throws {
      try await stop()
      try FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(at: copy, to: file)
      try await start()
    }
  }

  @Test func aStateFromBeforeTheLastBundleMakesANewDevice() async throws {
    try await withStoredAlice { world, alice, bob in
      let device = try await alice.messenger.deviceID()
      try await alice.keepCopy()
      try await world.pass(days: 3)
      try await alice.messenger.send("after the copy", to: bob.id)
      try await world.settle()
      try await alice.putBack()
      try await world.settle()
      #expect(try await alice.messenger.deviceID() != device)
      try await world.pass(days: 2)
      try await alice.messenger.send("from the new device", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.account.id).last == "from the new device")
      #expect(try await bob.lastLevel(in: alice.account.id) == .sr1)
      #expect(try await bob.securityNotes(in: alice.account.id).contains(.deviceAdded))
    }
  }

  @Test func aYoungerStateIsNoticedByTheFileBesideIt() async throws {
    try await withStoredAlice { world, alice, bob in
      try await alice.keepCopy()
      // The next bundle, which changes the file, and not yet the slot that the old state would compare.
      try await world.pass(days: 2)
      try await alice.messenger.send("lost here", to: bob.id)
      try await bob.send("from bob meanwhile", to: alice.account.id)
      try await world.settle()
      try await alice.putBack()
      try await alice.messenger.send("after", to: bob.id)
      try await world.settle()
      try await world.pass(days: 1, hoursApart: 1)
      try await bob.send("reaches you again", to: alice.account.id)
      try await alice.messenger.send("reaches you too", to: bob.id)
      try await world.settle()
      let (ours, theirs) = (
        try await alice.messenger.bodies(in: bob.id), try await bob.bodies(in: alice.account.id)
      )
      #expect(ours.contains("reaches you again") && theirs.contains("reaches you too"))
      #expect(theirs.count { $0 == "lost here" } == 1)
    }
  }

  /// A program may end between the change of the file and that of the database.
  @Test func aChangeOfTheMarkThatIsNotCommittedIsNoAlarm() async throws {
    try await withStoredAlice { world, alice, bob in
      struct Ends: Error {}
      let messenger = try alice.messenger
      await #expect(throws: Ends.self) {
        try await messenger.context.database.write { transaction in
          let row = try #require(try transaction.ratchetSelf())
          _ = try messenger.ratchet.nextMark(after: row.mark, in: transaction)
          throw Ends()
        }
      }
      try await alice.stop()
      try await alice.start()
      try await world.pass(days: 1, hoursApart: 1)
      #expect(try await !alice.messenger.securityNotes(in: bob.id).contains(.sessionReset))
      // Once more: the file has the right one alone again.
      try await alice.stop()
      try await alice.start()
      try await world.pass(days: 1, hoursApart: 1)
      #expect(try await !alice.messenger.securityNotes(in: bob.id).contains(.sessionReset))
    }
  }

  /// A message that does not continue its session is tried again before that counts.
  @Test func aBrokenMessageCountsAtASecondTry() async throws {
    try await withStoredAlice { world, alice, bob in
      func broken() async throws -> Int? {
        try await bob.context.database.read { try $0.value("SELECT count(*) FROM srBroken") }
      }
      try await alice.keepCopy()
      try await alice.messenger.send("first", to: bob.id)
      try await world.settle()
      try await alice.putBack()
      try await alice.messenger.send("second", to: bob.id)
      try await world.settle()
      #expect(try await broken() == 0)
      world.clock.advance(by: BrokenMessage.delay)
      try await world.settle()
      #expect(try await broken() == 1)
    }
  }

  /// The same state sends twice: nothing is shown wrongly, and both get on again.
  @Test func aStateThatSendsTwiceHeals() async throws {
    try await withStoredAlice { world, alice, bob in
      try await alice.keepCopy()
      try await alice.messenger.send("first", to: bob.id)
      try await world.settle()
      try await alice.putBack()
      try await alice.messenger.send("second", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.account.id).contains("first"))
      try await world.pass(days: 1, hoursApart: 1)
      #expect(try await bob.bodies(in: alice.account.id).contains("second"))
      try await alice.messenger.send("third", to: bob.id)
      try await bob.send("answer", to: alice.account.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.account.id).contains("third"))
      #expect(try await alice.messenger.bodies(in: bob.id).contains("answer"))
      #expect(try await bob.securityNotes(in: alice.account.id).contains(.sessionReset))
    }
  }
}
