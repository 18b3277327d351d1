import Foundation
import SeededNumbers
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Members of a swarm that hide messages, serve old mail, or give an empty mailbox, each with a chance of one in five:
/// a restored device acts on nothing that one member lacks, and gets each message after two polls of each of them at
/// most.
@Suite(.timeLimit(.minutes(10))) struct HostileMailboxTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SOAK"] != nil
  private static let seeds: ClosedRange<UInt64> = 1...(isSoak ? 500 : 16)
  private static let members = 7
  /// So many hostile members can pass for the witnesses that a restored device asks.
  private static let mostBelieved = OwnerInbox.restWitnesses - 1

  /// The conduct of each member; at least one is hostile, and not so many that they are believed.
  private static func conducts(_ random: inout SeededGenerator) -> [HostileSwarms.Conduct?] {
    while true {
      let conducts = (0..<members).map { _ in
        Int.random(in: 0..<5, using: &random) == 0
          ? HostileSwarms.Conduct.allCases.randomElement(using: &random) : nil
      }
      if (1...mostBelieved).contains(conducts.count { $0 != nil }) { return conducts }
    }
  }

  @Test(arguments: seeds) func hostileMembersHideNothing(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    // In every second swarm the hostile members are polled first.
    let inOrder = seed % 2 == 1
    let conducts = Self.conducts(&random).sorted { inOrder && $0 != nil && $1 == nil }
    let hostile = conducts.count { $0 != nil }
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await bob.setNickname("Al", of: alice.id)
      try await world.settle()
      await bob.suspend()
      let before = world.swarms.kept(bob.id, in: .contacts).map(\.hash)
      let swarms = HostileSwarms(
        of: bob.id, conducts, instead: world.swarms, since: world.clock.now - 1000)
      let tablet = try await restore(
        bob.context.account, from: swarms, &random, inOrder: inOrder, in: world)

      for number in 1...6 {
        world.clock.advance(by: Int64.random(in: 1000...7_200_000, using: &random))
        // The poll that was due by then: until the time goes on there is no other but those below.
        await tablet.poll()
        try await alice.send("\(number)", to: bob.id)
        try await alice.waitUntilIdle()
        let start = swarms.polled.count
        while try await tablet.bodies(in: alice.id).last != "\(number)" {
          // One that begins to lag comes once more, at the end of the turn.
          guard swarms.polled.count - start <= 2 * hostile else {
            let polled = swarms.polled.dropFirst(start).map { $0[0] }
            Issue.record("message \(number) is hidden by \(conducts) at \(polled)")
            return
          }
          await tablet.poll()
          try await tablet.waitUntilIdle()
        }
      }

      let texts = ["Hello Bob", "Hello Alice"] + (1...6).map(String.init)
      #expect(try await tablet.bodies(in: alice.id) == texts)
      // Somebody in the contacts is no stranger, and keeps the name.
      #expect(try await tablet.conversations().map(\.id) == [.person(alice.id)])
      #expect(try await tablet.conversation(.person(alice.id))?.name == "Al")
      #expect(try await !tablet.kinds().contains(.requestReceived))
      // What was there is neither replaced nor lost.
      #expect(world.swarms.kept(bob.id, in: .contacts).map(\.hash) == before)
    }
  }

  /// Who is blocked before a restored device has polled stays blocked: the first config waits for those of the account, which
  /// would overrule it.
  @Test(arguments: seeds) func earlyEditIsNotOverruled(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let conducts = Self.conducts(&random)
    let carol = try Account.generate().id
    try await withAliceAndBob { (world, alice, bob) async throws in
      for number in 1...7 {
        try await bob.setNickname("Al \(number)", of: alice.id)
        try await world.settle(rounds: 1)
      }
      let swarms = HostileSwarms(
        of: bob.id, conducts, instead: world.swarms, since: world.clock.now - 1000)
      let tablet = try await restore(bob.context.account, from: swarms, &random, in: world) { tablet in
        try await tablet.author.edit { configs, _ in
          try configs.contacts.update(carol) { $0.isBlocked = true }
        } writing: { _, _, _ in
        }
      }
      try await world.settle(upTo: 20) { try bob.blocks(carol) }
      for device in [bob, tablet] {
        #expect(try device.blocks(carol))
        #expect(try await device.conversations().map(\.id) == [.person(alice.id)])
        #expect(try await device.conversation(.person(alice.id))?.name == "Al 7")
        #expect(try await device.requests().isEmpty)
      }
    }
  }

  @Test(arguments: seeds) func firstConfigIsStoredAfterThreeMembersHadNone(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = World()
    let account = try Account.generate()
    let swarms = HostileSwarms(
      of: account.id, Array(repeating: .isEmpty, count: Self.members), instead: world.swarms,
      since: world.clock.now)
    _ = try await restore(account, from: swarms, &random, in: world) { try await $0.setName("Bob") }
    try await world.settle()
    #expect(swarms.polledBeforeChange.count >= OwnerInbox.configWitnesses)
    #expect(!world.swarms.kept(account.id, in: .profile).isEmpty)
    await world.stop()
  }

  /// A device that has nothing of its account yet but an edit, and polls in a random order, or that of the members.
  private func restore(
    _ account: Account, from swarms: HostileSwarms, _ random: inout SeededGenerator, inOrder: Bool = false,
    in world: World, afterEdit edit: ((Messenger) async throws -> Void)? = nil
  ) async throws -> Messenger {
    let numbers = Mutex(SeededGenerator(seed: random.next()))
    var environment = world.environment
    environment.swarms = swarms
    environment.chance = { inOrder ? 0 : numbers.withLock { Double.random(in: 0..<1, using: &$0) } }
    let device = try Messenger(
      account, try .inMemory(schema: .account), environment, folder: "\(world.folder)/\(UUID().uuidString)")
    if let edit {
      try await edit(device)
      // Its push is due before the first poll.
      world.clock.advance(by: ConfigSync.gathering)
    }
    let tablet = try await world.start(device)
    for _ in 0..<Self.members where try await tablet.conversations().isEmpty {
      await tablet.poll()
      try await tablet.waitUntilIdle()
    }
    return tablet
  }
}

extension Messenger {
  nonisolated func blocks(_ person: SessionID) throws -> Bool {
    try author.configs.read { configs in try configs.contacts[person]?.isBlocked } == true
  }
}
