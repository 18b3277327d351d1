import Foundation
import SeededNumbers
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Members of a swarm that hide messages, serve old mail, or give an empty mailbox, each with a chance of one in five:
/// a restored device acts on nothing that one member alone lacks, and gets each message within one poll more than there
/// are hostile members.
@Suite(.timeLimit(.minutes(10))) struct HostileMailboxTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SOAK"] != nil
  private static let seeds: ClosedRange<UInt64> = 1...(isSoak ? 500 : 16)
  private static let members = 7
  /// So many hostile members can pass for the witnesses that a restored device asks.
  private static let mostBelieved = OwnerInbox.configWitnesses - 1

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
    let conducts = Self.conducts(&random)
    let hostile = conducts.count { $0 != nil }
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await bob.setNickname("Al", of: alice.id)
      try await world.settle()
      await bob.suspend()
      let before = world.swarms.kept(bob.id, in: .contacts).map(\.hash)
      let swarms = HostileSwarms(
        of: bob.id, conducts, instead: world.swarms, since: world.clock.now - 1000)
      let tablet = try await restore(bob.context.account, from: swarms, &random, in: world)

      for number in 1...6 {
        world.clock.advance(by: Int64.random(in: 1000...7_200_000, using: &random))
        try await alice.send("\(number)", to: bob.id)
        try await alice.waitUntilIdle()
        let start = swarms.polled.count
        while try await tablet.bodies(in: alice.id).last != "\(number)" {
          guard swarms.polled.count - start <= hostile else {
            Issue.record("message \(number) is hidden for more than \(hostile) polls by \(conducts)")
            return
          }
          await tablet.poll()
          try await tablet.waitUntilIdle()
        }
      }

      let texts = ["Hello Bob", "Hello Alice"] + (1...6).map(String.init)
      #expect(try await tablet.bodies(in: alice.id) == texts)
      // Whoever is in the contacts is no stranger, and keeps the name.
      #expect(try await tablet.conversations().map(\.id) == [.person(alice.id)])
      #expect(try await tablet.conversation(.person(alice.id))?.name == "Al")
      #expect(try await !tablet.kinds().contains(.requestReceived))
      // What was there is neither replaced nor lost.
      #expect(world.swarms.kept(bob.id, in: .contacts).map(\.hash) == before)
    }
  }

  /// A device that has nothing of its account yet, and polls in a random order.
  private func restore(
    _ account: Account, named name: String? = nil, from swarms: HostileSwarms,
    _ random: inout SeededGenerator, in world: World
  ) async throws -> Messenger {
    let numbers = Mutex(SeededGenerator(seed: random.next()))
    var environment = world.environment
    environment.swarms = swarms
    environment.chance = { numbers.withLock { Double.random(in: 0..<1, using: &$0) } }
    let device = try Messenger(
      account, try .inMemory(schema: .account), environment, folder: "\(world.folder)/\(UUID().uuidString)")
    if let name { try await device.setName(name) }
    let tablet = try await world.start(device)
    for _ in 0..<Self.members where try await tablet.conversations().isEmpty {
      await tablet.poll()
      try await tablet.waitUntilIdle()
    }
    return tablet
  }
}
