import Foundation
import SeededNumbers
import SessionBase
import SessionCore
import SessionJobs
import SessionStorage
import Testing

@testable import SessionMessaging

/// A program ends behind each commit of what it does, and the next one goes on: nothing is lost, and nothing comes
/// twice.
@Suite(.timeLimit(.minutes(10))) struct EveryCommitTests {
  /// Alice, whose programs end, and Bob. They know each other, and are in a group.
  private struct People {
    let world = World()
    let alice: MemoryDevice
    let bob: Messenger
    let group: WorldGroup
    let rooms: HistoryRooms

    init() async throws {
      rooms = try HistoryRooms(world.servers)
      alice = try await MemoryDevice(of: .generate(), in: world)
      bob = try await world.device(of: .generate(), name: "Bob")
      group = try WorldGroup()
      try await bob.send("Hello", to: alice.messenger.id)
      try await world.settle(rounds: 2)
      try await alice.messenger.send("Hello", to: bob.id)
      try await group.found(by: bob, with: [alice.messenger.id])
      try await group.join(alice.messenger)
      try await world.settle(rounds: 2)
    }
  }

  /// The distance between the commits that are tried: all of them take a minute.
  private static let step = ProcessInfo.processInfo.environment["SOAK"] == nil ? 5 : 1

  /// Runs an action of Alice once for each of its commits, with a program that ends behind it. The next program repeats
  /// the action, as a user or script would. `check` looks at where that led.
  private func atEveryCommit(
    _ action: (People, Messenger) async throws -> Void, check: (People, Messenger) async throws -> Void
  ) async throws -> Int {
    for count in stride(from: 0, to: Int.max, by: Self.step) {
      let people = try await People()
      let world = people.world
      let hasEnded = try await people.alice.crash(afterCommits: count, in: world) { alice in
        try await action(people, alice)
        for _ in 0..<3 {
          world.clock.advance(by: 3100)
          for messenger in [alice, people.bob] {
            await messenger.poll()
            try await messenger.waitUntilIdle()
          }
        }
      }
      if hasEnded { try await action(people, people.alice.messenger) }
      try await world.settle(rounds: 4)
      try await check(people, people.alice.messenger)
      #expect(
        try await people.alice.messenger.jobs().jobs.allSatisfy { $0.isAtRest }, "after \(count) commits")
      await world.stop()
      if !hasEnded { return count }
    }
    return 0
  }

  @Test func messagesToPeopleAndGroupsAreSentOnce() async throws {
    let commits = try await atEveryCommit { people, alice in
      try await alice.send(OutgoingText("one"), to: .person(people.bob.id), key: try #require(SendKey("1")))
      try await alice.send(
        OutgoingText("two"), to: people.group.conversation, key: try #require(SendKey("2")))
    } check: { people, alice in
      for messenger in [alice, people.bob] {
        let other = messenger === alice ? people.bob.id : alice.id
        #expect(try await messenger.bodies(in: other).filter { $0 == "one" }.count == 1)
        #expect(try await messenger.texts(in: people.group.conversation) == ["two"])
      }
      for conversation in [Conversation.ID.person(people.bob.id), people.group.conversation] {
        let own = try await alice.messages(in: conversation).filter(\.isOutgoing)
        #expect(own.allSatisfy { $0.state == .sent })
      }
    }
    #expect(commits > 8)
  }

  @Test func scheduledMessagesAreSentOnce() async throws {
    let commits = try await atEveryCommit { people, alice in
      let time = SendTime(people.world.clock.now + SendTime.leastDelay)
      try await alice.schedule(
        OutgoingText("one"), to: .person(people.bob.id), at: time, key: SendKey("1"))
      try await alice.schedule(
        OutgoingText("two"), to: people.group.conversation, at: time, key: SendKey("2"))
      people.world.clock.advance(by: SendTime.leastDelay)
      try await alice.waitUntilIdle()
    } check: { people, alice in
      for messenger in [alice, people.bob] {
        let other = messenger === alice ? people.bob.id : alice.id
        #expect(try await messenger.bodies(in: other).filter { $0 == "one" }.count == 1)
        #expect(try await messenger.texts(in: people.group.conversation) == ["two"])
      }
      let scheduled = try await alice.scheduledMessages()
      #expect(scheduled.map(\.state) == [.sent, .sent])
    }
    #expect(commits > 8)
  }

  @Test func messagesFromPeopleAndGroupsComeOnce() async throws {
    let commits = try await atEveryCommit { people, alice in
      guard try await people.bob.bodies(in: alice.id).count < 4 else { return }
      try await people.bob.send("one", to: alice.id)
      try await people.bob.send("two", to: people.group.conversation)
      let first = try #require(try await people.bob.messages(in: .person(alice.id)).last)
      try await people.bob.react("👍", to: first.id)
      try await people.bob.waitUntilIdle()
    } check: { people, alice in
      let count = try await people.bob.bodies(in: alice.id).filter { $0 == "one" }.count
      #expect(try await alice.bodies(in: people.bob.id).filter { $0 == "one" }.count == count)
      let texts = try await alice.texts(in: people.group.conversation)
      #expect(texts.count == count && Set(texts) == ["two"])
      let told = try await alice.events(limit: 1000).filter { $0.kind == .messageReceived }
      #expect(told.count == Set(told.map(\.message)).count && told.count == 1 + 2 * count)
      #expect(try await alice.messages(in: .person(people.bob.id)).contains { !$0.reactions.isEmpty })
    }
    #expect(commits > 3)
  }

  @Test func messagesOfRoomsComeOnce() async throws {
    var random = SeededGenerator(seed: 7)
    let commits = try await atEveryCommit { people, alice in
      try people.rooms.join(alice.context.database)
      // As a change of memberships would do.
      await alice.context.queue.run { alice.author.tell(.memberships) }
      guard people.rooms.count == 0 else { return }
      while people.rooms.count < 20 { try people.rooms.post(at: people.world.clock, using: &random) }
    } check: { people, alice in
      try await people.rooms.check(alice, at: 0)
    }
    #expect(commits > 3)
  }

  @Test func editsOfConfigsReachOtherDevices() async throws {
    let commits = try await atEveryCommit { people, alice in
      try await alice.setName("Alicia")
      try await alice.setNickname("Bobby", of: people.bob.id)
      try await alice.setPinned(true, people.group.conversation)
    } check: { people, alice in
      let tablet = try await people.world.device(of: alice.context.account)
      try await people.world.settle(rounds: 2)
      for device in [alice, tablet] {
        #expect(try await device.name() == "Alicia")
        #expect(try await device.conversation(.person(people.bob.id))?.name == "Bobby")
        #expect(try await device.conversation(people.group.conversation)?.isPinned == true)
      }
    }
    #expect(commits > 3)
  }
}

extension JobStatus {
  /// True if it neither failed nor waits for something that may not come.
  fileprivate var isAtRest: Bool {
    switch state {
    case .waiting(let blockers): !blockers.contains { if case .event = $0 { true } else { false } }
    case .running, .failed, .setAside: false
    }
  }
}
