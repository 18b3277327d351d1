import Foundation
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Programs end between the commits of a change to a group, and the next ones complete it.
@Suite(.timeLimit(.minutes(5))) struct GroupCrashTests {
  /// Alice and Bob, who know each other, and Carol, who knows Alice. All have devices whose programs can end.
  private final class People {
    let world = World()
    let alice: MemoryDevice
    let bob: MemoryDevice
    let carol: MemoryDevice

    init() async throws {
      var devices: [MemoryDevice] = []
      for name in ["Alice", "Bob", "Carol"] {
        let device = try await MemoryDevice(of: .generate(), in: world)
        try await device.messenger.setName(name)
        devices.append(device)
      }
      (alice, bob, carol) = (devices[0], devices[1], devices[2])
      for person in [bob, carol] { try await alice.messenger.send("Hello", to: person.messenger.id) }
      try await world.settle(rounds: 2)
      for person in [bob, carol] { try await person.messenger.send("Hello", to: alice.messenger.id) }
      try await world.settle(rounds: 2)
    }

    /// A group of Alice and Bob, in which each has written.
    func group() async throws -> Conversation.ID {
      let group = try await alice.messenger.createGroup(GroupDraft(name: "Trip", members: [bob.messenger.id]))
      try await world.settle(rounds: 5)
      try await alice.messenger.send("Hers", to: group)
      world.clock.advance(by: 100)
      try await bob.messenger.send("His", to: group)
      try await world.settle()
      return group
    }

    /// Ends a program after some commits of an action and of the work that follows, if it makes so many. If the action
    /// itself did not complete, the next program repeats it; `isBegun` tells whether it did.
    func crash(
      _ device: MemoryDevice, after count: Int, _ action: (Messenger) async throws -> Void,
      unless isBegun: (Messenger) async throws -> Bool
    ) async throws {
      _ = try await device.crash(afterCommits: count, in: world) { messenger in
        try await action(messenger)
        // Jobs go on meanwhile. To wait until none runs would be to wait for a program that may have ended.
        for _ in 0..<12 {
          world.clock.advance(by: 1100)
          await messenger.poll()
        }
      }
      if try await !isBegun(device.messenger) { try await action(device.messenger) }
      for _ in 0..<8 { try await world.settle() }
    }

    /// No job waits for something that does not come, and nothing is left of groups that are gone.
    func checkRest() async throws {
      for messenger in [alice, bob, carol].map(\.messenger) {
        let stuck = try await messenger.jobs().jobs.filter { job in
          switch job.state {
          case .waiting(let blockers):
            blockers.contains { if case .event = $0 { true } else { false } }
          case .running, .failed, .setAside: true
          }
        }
        #expect(stuck.isEmpty)
        let joined = try await messenger.groups().filter { $0.standing == .joined }.map(\.id.address)
        let (steps, dumps): (Int?, [String]) = try await messenger.context.database.read { transaction in
          (
            try transaction.value("SELECT count(*) FROM swarmStep"),
            try transaction.configDumps().map(\.owner)
          )
        }
        #expect(steps == 0)
        #expect(Set(dumps) == Set(joined + [messenger.id.address]))
      }
    }
  }

  /// The numbers of commits after which a program ends: some of those that it makes, or each.
  private static let commits = Array(
    ProcessInfo.processInfo.environment["SOAK"] == nil
      ? stride(from: 0, to: 12, by: 4) : stride(from: 0, to: 40, by: 1))

  private func withPeople(_ body: (People) async throws -> Void) async throws {
    let people = try await People()
    do {
      try await body(people)
      try await people.checkRest()
    } catch {
      await people.world.stop()
      throw error
    }
    await people.world.stop()
  }

  @Test(arguments: commits) func aCreationIsCompleted(commits: Int) async throws {
    try await withPeople { people in
      let bob = people.bob.messenger.id
      try await people.crash(people.alice, after: commits) { alice in
        let group = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob]))
        try await alice.send(OutgoingText("First"), to: group, key: try #require(SendKey("first")))
      } unless: { alice in
        guard let group = try await alice.groups().first else { return false }
        try await alice.send(OutgoingText("First"), to: group.id, key: try #require(SendKey("first")))
        return true
      }
      let alice = people.alice.messenger
      let groups = try await alice.groups()
      #expect(groups.map(\.standing) == [.joined])
      let group = try #require(groups.first).id
      for member in [people.alice, people.bob].map(\.messenger) {
        #expect(try await member.group(group)?.standing == .joined)
        #expect(try await member.texts(in: group) == ["First"])
        #expect(try await member.notes(in: group) == [.members(.added, [bob])])
      }
      #expect(people.world.swarms.kept(group.groupID, in: .groupKeys).count == 1)
    }
  }

  @Test(arguments: commits, [false, true])
  func anInvitationIsCompleted(commits: Int, sharingHistory: Bool) async throws {
    try await withPeople { people in
      let (group, carol) = (try await people.group(), people.carol.messenger.id)
      try await people.crash(people.alice, after: commits) { alice in
        try await alice.invite([carol], to: group, sharingHistory: sharingHistory)
      } unless: { alice in
        try await alice.members(of: group).contains { $0.id == carol }
      }
      let note = MessageView.Note.members(.added, [carol], seesHistory: sharingHistory)
      for member in [people.alice, people.bob].map(\.messenger) {
        #expect(try await member.notes(in: group).filter { $0 == note }.count == 1)
        #expect(try await member.members(of: group).count == 3)
      }
      let hers = people.carol.messenger
      #expect(try await hers.group(group)?.standing == .joined)
      #expect(try await hers.texts(in: group) == (sharingHistory ? ["Hers", "His"] : []))
      try await people.alice.messenger.send("Welcome", to: group)
      try await people.world.settle()
      #expect(try await hers.texts(in: group).last == "Welcome")
    }
  }

  @Test(arguments: commits, [false, true])
  func aRemovalIsCompleted(commits: Int, deletingMessages: Bool) async throws {
    try await withPeople { people in
      let (group, bob) = (try await people.group(), people.bob.messenger.id)
      try await people.crash(people.alice, after: commits) { alice in
        try await alice.remove([bob], from: group, deletingMessages: deletingMessages)
      } unless: { alice in
        try await !alice.members(of: group).contains { $0.id == bob && $0.status == .inviteAccepted }
      }
      let alice = people.alice.messenger
      #expect(try await alice.members(of: group).map(\.id) == [alice.id])
      #expect(try await alice.notes(in: group).filter { $0 == .members(.removed, [bob]) }.count == 1)
      #expect(try await alice.texts(in: group) == (deletingMessages ? ["Hers"] : ["Hers", "His"]))
      #expect(try await people.bob.messenger.group(group)?.standing == .kicked)
      #expect(try await people.bob.messenger.messages(in: group).isEmpty)
    }
  }

  @Test(arguments: commits) func leavingIsCompleted(commits: Int) async throws {
    try await withPeople { people in
      let group = try await people.group()
      try await people.crash(people.bob, after: commits) { bob in
        try await bob.leave(group)
      } unless: { bob in
        try await bob.group(group)?.standing != .joined
      }
      let (alice, bob) = (people.alice.messenger, people.bob.messenger)
      #expect(try await bob.conversation(group) == nil)
      #expect(try await bob.group(group) == nil)
      #expect(try await alice.members(of: group).map(\.id) == [alice.id])
      #expect(try await alice.notes(in: group).filter { $0 == .members(.left, [bob.id]) }.count == 1)
    }
  }

  @Test(arguments: commits) func aDeletionForEveryoneIsCompleted(commits: Int) async throws {
    try await withPeople { people in
      let group = try await people.group()
      try await people.crash(people.alice, after: commits) { alice in
        try await alice.deleteForEveryone(group)
      } unless: { alice in
        try await alice.group(group)?.standing != .joined
      }
      #expect(try await people.alice.messenger.conversation(group) == nil)
      #expect(try await people.alice.messenger.group(group) == nil)
      #expect(try await people.bob.messenger.group(group)?.standing == .destroyed)
      #expect(try await people.bob.messenger.messages(in: group).isEmpty)
      #expect(people.world.swarms.kept(group.groupID, in: .groupMessages).isEmpty)
    }
  }

  @Test(arguments: commits) func aRemovalOfOurselvesIsCompleted(commits: Int) async throws {
    try await withPeople { people in
      let group = try await people.group()
      // Nothing of his is under way any more when the notice arrives.
      try await people.world.settle()
      try await people.crash(people.bob, after: commits) { bob in
        try await people.alice.messenger.remove([bob.id], from: group, deletingMessages: false)
        for _ in 0..<4 {
          people.world.clock.advance(by: 3100)
          try await people.alice.messenger.waitUntilIdle()
          await people.alice.messenger.poll()
        }
      } unless: { _ in
        true
      }
      let bob = people.bob.messenger
      #expect(try await bob.group(group)?.standing == .kicked)
      #expect(try await bob.messages(in: group).isEmpty)
      #expect(try await bob.kinds().filter { $0 == .groupEnded }.count == 1)
      try await people.alice.messenger.invite([bob.id], to: group)
      for _ in 0..<6 { try await people.world.settle() }
      #expect(try await bob.group(group)?.standing == .joined)
    }
  }
}
