import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

@Suite struct UpkeepTests {
  @Test func unneededHashesAreForgotten() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.send("remembered", to: bob.id)
      try await world.settle()
      func remembered() async throws -> Int {
        try await bob.context.database.read { transaction in
          try transaction.seenMessages(expiredBefore: .max).count
        }
      }
      #expect(try await remembered() > 0)
      world.clock.advance(by: 40 * 86_400_000)
      try await world.settle(rounds: 2)
      #expect(try await remembered() == 0)
      #expect(try await bob.last(in: alice.id).body == "remembered")
    }
  }

  @Test func failedJobsAreKeptForAWeek() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.decide { swarm, _ in
        swarm == bob.id ? .refused(NetworkFailure(.rejected, "no")) : .done
      }
      try await alice.send("refused", to: bob.id)
      try await world.settle(rounds: 1)
      #expect(try await alice.jobs().counts[.failed] == 1)
      world.clock.advance(by: 86_400_000)
      try await world.settle(rounds: 1)
      #expect(try await alice.jobs().counts[.failed] == 1)
      world.clock.advance(by: 7 * 86_400_000)
      try await world.settle(rounds: 1)
      #expect(try await alice.jobs().counts[.failed] ?? 0 == 0)
    }
  }

  /// A program may change how long events are kept while the account is open.
  @Test func eventsAreKeptForAsLongAsTheProgramSaysNow() async throws {
    let limit = Mutex(1000)
    let world = World()
    var environment = world.environment
    environment.retention = {
      EventRetention(settledAge: 0, settledCount: limit.withLock { $0 })
    }
    let alice = try await world.start(
      Messenger(
        .generate(), .inMemory(schema: .account), environment, folder: "\(world.folder)/alice"))
    for number in 0..<5 { try await alice.send("\(number)", to: alice.id) }
    try await world.settle()
    func kept() async throws -> Int { try await alice.events(after: .init(rawValue: 0), limit: 1000).count }
    let before = try await kept()
    world.clock.advance(by: 86_400_000)
    try await world.settle(rounds: 2)
    #expect(try await kept() == before)
    limit.withLock { $0 = 2 }
    world.clock.advance(by: 86_400_000)
    try await world.settle(rounds: 2)
    #expect(try await kept() == 2)
    await world.stop()
  }

  @Test func messagesOfADeletedConversationAreNotSent() async throws {
    try await withAliceAndBob { world, alice, bob in
      let before = world.swarms.kept(bob.id).count
      await alice.suspend()
      try await alice.send("gone", to: bob.id)
      try await alice.deleteConversation(.person(bob.id))
      await alice.resume()
      try await world.settle()
      #expect(world.swarms.kept(bob.id).count == before)
    }
  }

  @Test func aConversationTakesItsWorkAlong() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.send("look", attachments: [OutgoingFile(.bytes(png(2, 2)))], to: alice.id)
      try await world.settle()
      let theirs = try #require(try await alice.last(in: bob.id).attachments.first)
      await alice.suspend()
      try await alice.send("gone", to: bob.id)
      try await alice.send("", attachments: [OutgoingFile(.bytes(png(3, 3)))], to: bob.id)
      try await alice.download(theirs.id)
      let kinds: Set = [
        Delivery.kind, AttachmentUpload.kind, AttachmentSending.kind, AttachmentDownload.kind,
      ]
      #expect(kinds.isSubset(of: try await alice.jobs().jobs.map(\.kind)))
      try await alice.deleteConversation(.person(bob.id))
      #expect(kinds.isDisjoint(with: try await alice.jobs().jobs.map(\.kind)))
      await alice.resume()
      try await world.settle()
      #expect(try await alice.jobs().counts[.failed] ?? 0 == 0)
      #expect(world.files.requests(.get) == 0 && world.files.uploads == 1)
    }
  }

  @Test func wordsAreFoundPageByPage() async throws {
    try await withAliceAndBob { world, alice, bob in
      for number in 0..<5 { try await alice.send("needle \(number)", to: bob.id) }
      try await world.settle()
      let first = try await bob.search("needle", limit: 3)
      #expect(first.messages.map(\.body) == ["needle 4", "needle 3", "needle 2"])
      #expect(first.hasMore)
      let rest = try await bob.search("needl", in: .person(alice.id), after: first, limit: 3)
      #expect(rest.messages.map(\.body) == ["needle 1", "needle 0"])
      #expect(!rest.hasMore)
      #expect(try await bob.search("hay").messages.isEmpty)
    }
  }

  @Test func obsoleteConfigsAreDeletedAfterARestart() async throws {
    try await withFolder { folder in
      let world = World()
      let first = try await world.start(
        try await Messenger.create(.generate(), name: "One", in: folder, world.environment))
      try await world.settle()
      let old = world.swarms.kept(first.id, in: .profile).map(\.hash)
      #expect(old.count == 1)
      // The new one is stored without a reply: the old one is still there.
      world.swarms.decide { _, _ in .refused(NetworkFailure(.transient, "no path")) }
      try await first.setName("Two")
      try await world.settle(rounds: 1)
      await world.stop(first)
      world.swarms.decide { _, _ in .done }
      let second = try await world.start(try await Messenger.open(folder, world.environment))
      try await world.settle(rounds: 4)
      let kept = world.swarms.kept(second.id, in: .profile).map(\.hash)
      #expect(kept.count == 1 && kept != old)
      #expect(try await second.name() == "Two")
      await world.stop()
    }
  }
}
