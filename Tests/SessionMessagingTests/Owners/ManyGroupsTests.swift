import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// An account in many groups, with the production pollers.
@Suite(.timeLimit(.minutes(2))) struct ManyGroupsTests {
  /// Runs `body` with an account in many groups.
  private func withMember(
    of count: Int = 200,
    _ body: (World, _ alice: Messenger, _ bob: Messenger, [WorldGroup]) async throws -> Void
  ) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let groups = try (0..<count).map { _ in try WorldGroup() }
      try await alice.author.edit { configs, now in
        for group in groups {
          let access = try group.key.grantAccess(to: alice.id)
          try configs.groups.update(group.id) { entry in
            entry.name = "Group"
            entry.access = access
            entry.membership.joinedAtSeconds = Int64(now.seconds)
          }
        }
      } writing: { _, _, _ in
      }
      try await body(world, alice, bob, groups)
    }
  }

  @Test func allGroupsArePolledWithFewAtATime() async throws {
    try await withMember { (world, alice, _, groups) async throws in
      world.swarms.countGroupPolls()
      await alice.poll()
      #expect(groups.allSatisfy { world.swarms.polls(of: $0.id) > 0 })
      #expect(world.swarms.mostGroupPolls <= PollGate.groupPermits)
      #expect(world.swarms.mostGroupPolls > 1)
    }
  }

  @Test func failingGroupsStayWithinTheRetryBudgetAndOthersAreRead() async throws {
    try await withMember { (world, alice, bob, groups) async throws in
      let (dead, living) = (groups.prefix(100), groups.suffix(100))
      for group in dead {
        world.swarms.failPolls(of: group.id, NetworkFailure(.unreachable, "no node is there"))
      }
      try await bob.send("are you there?", to: alice.id)
      let begun = world.clock.now
      var isDone = false
      for _ in 0..<5000 where !isDone {
        world.clock.advance(by: 1000)
        try await alice.waitUntilIdle()
        try await bob.waitUntilIdle()
        isDone = living.allSatisfy { world.swarms.polls(of: $0.id) > 1 }
        if isDone { isDone = try await alice.bodies(in: bob.id).last == "are you there?" }
      }
      #expect(isDone)
      let seconds = Int(world.clock.now - begun) / 1000
      #expect(world.swarms.failedPolls <= RetryBudget.size + seconds / 2 + 1)
      #expect(dead.contains { world.swarms.polls(of: $0.id) > 0 })
    }
  }

  @Test func aThousandGroupsStartOneAfterTheOtherAndTheAccountDoesNotWait() async throws {
    try await withMember(of: 1000) { (world, alice, bob, groups) async throws in
      world.swarms.countGroupPolls()
      let step = 10
      let begun = world.clock.now
      func polled() -> Int { groups.count { world.swarms.polls(of: $0.id) > 0 } }
      try await bob.send("are you there?", to: alice.id)
      try await bob.waitUntilIdle()
      while try await alice.bodies(in: bob.id).last != "are you there?" {
        world.clock.advance(by: 500)
        try await alice.waitUntilIdle()
        // The pollers of the groups and of both accounts, and the job runners of both.
        while world.clock.sleepers < groups.count + 4 {
          try Task.checkCancellation()
          await Task.yield()
        }
        #expect(polled() <= Int(world.clock.now - begun) / step + 1)
      }
      #expect(world.clock.now - begun < 10_000)
      world.clock.advance(by: 10_000)
      while polled() < groups.count, !Task.isCancelled { await Task.yield() }
      #expect(world.swarms.mostGroupPolls <= PollGate.groupPermits)
    }
  }

  @Test func deadGroupsDoNotDelayTheAccount() async throws {
    try await withMember(of: 300) { (world, alice, bob, groups) async throws in
      for group in groups {
        world.swarms.failPolls(of: group.id, NetworkFailure(.unreachable, "no node is there"))
      }
      let (seconds, failed) = (240, world.swarms.failedPolls)
      let before = (world.swarms.polls(of: alice.id), world.swarms.polls(of: bob.id))
      for _ in 0..<seconds {
        world.clock.advance(by: 1000)
        try await alice.waitUntilIdle()
        // The pollers of the groups and of both accounts, and the job runners of both.
        while world.clock.sleepers < groups.count + 4 {
          try Task.checkCancellation()
          await Task.yield()
        }
      }
      #expect(world.swarms.failedPolls - failed <= RetryBudget.size + seconds / 2 + 1)
      #expect(world.swarms.failedPolls > failed + RetryBudget.size)
      // Bob is in no group.
      let (polls, others) = (
        world.swarms.polls(of: alice.id) - before.0, world.swarms.polls(of: bob.id) - before.1
      )
      #expect(others > 10 && abs(polls - others) <= 1, "\(polls) instead of \(others)")
    }
  }

  @Test func rapidMembershipChangesEndInTheLatestState() async throws {
    try await withMember(of: 3) { (world, alice, _, groups) async throws in
      let group = groups[0]
      for round in 0..<50 {
        try await group.leave(alice)
        if round < 49 { try await group.join(alice) }
      }
      await alice.poll()
      let polls = world.swarms.polls(of: group.id)
      for _ in 0..<5 {
        world.clock.advance(by: 60_000)
        await alice.poll()
      }
      #expect(world.swarms.polls(of: group.id) == polls)
      #expect(try await alice.conversation(group.conversation) == nil)
    }
  }

  @Test func groupsWithSecretsOfAnotherGroupAreListedButNotPolled() async throws {
    try await withMember(of: 2) { (world, alice, _, groups) async throws in
      let foreign = try groups[1].key.grantAccess(to: alice.id)
      try await alice.author.edit { configs, _ in
        try configs.groups.update(groups[0].id) { $0.access = foreign }
      } writing: { _, _, _ in
      }
      // A poll that was under way ends.
      try await world.settle()
      let polls = world.swarms.polls(of: groups[0].id)
      await alice.poll()
      #expect(world.swarms.polls(of: groups[0].id) == polls)
      #expect(try await alice.conversation(groups[0].conversation)?.kind == .group)
      try await groups[0].leave(alice)
      #expect(try await alice.conversation(groups[0].conversation) == nil)
    }
  }

  @Test func nothingIsPolledWhileSuspended() async throws {
    try await withMember(of: 5) { (world, alice, _, groups) async throws in
      await alice.poll()
      await alice.suspend()
      // Polls that were under way end.
      try await world.settle()
      let polls = groups.map { world.swarms.polls(of: $0.id) }
      for _ in 0..<10 {
        world.clock.advance(by: 60_000)
        #expect(await !alice.poll())
      }
      #expect(groups.map { world.swarms.polls(of: $0.id) } == polls)
      await alice.resume()
      try await advance(world, alice, upTo: 20, of: 5) {
        zip(groups, polls).allSatisfy { world.swarms.polls(of: $0.id) > $1 }
      }
    }
  }

  @Test func groupsWithLongDelaysArePolledSoonAfterTheNetworkReturns() async throws {
    try await withMember(of: 60) { (world, alice, _, groups) async throws in
      world.swarms.failPolls(NetworkFailure(.unreachable, "no path"))
      // Long enough for delays to double to many minutes.
      for _ in 0..<600 {
        world.clock.advance(by: 3000)
        try await alice.waitUntilIdle()
      }
      world.swarms.failPolls(nil)
      let polls = groups.map { world.swarms.polls(of: $0.id) }
      // Until the account is polled, and then until the groups have started.
      try await advance(world, alice, upTo: 60, of: 60) {
        zip(groups, polls).allSatisfy { world.swarms.polls(of: $0.id) > $1 }
      }
    }
  }

  @Test func requestedPollsIgnoreTheRetryBudget() async throws {
    try await withMember(of: 60) { (world, alice, _, groups) async throws in
      for group in groups {
        world.swarms.failPolls(of: group.id, NetworkFailure(.unreachable, "no node is there"))
      }
      for _ in 0..<3 { await alice.poll() }
      #expect(world.swarms.failedPolls >= 3 * groups.count)
    }
  }

  @Test func aGroupThatSomebodyLooksAtIsPolledOften() async throws {
    try await withMember(of: 2) { (world, alice, _, groups) async throws in
      await alice.poll()
      let group = groups[0].id
      var watch: ConversationWatch? = alice.watch(groups[0].conversation)
      for _ in 0..<20 {
        // Both accounts and the group have the same short poll interval.
        let interval = Feed.group(group).watchedInterval.milliseconds
        try await alice.waitUntilIdle()
        while world.clock.sleepers(until: world.clock.now + interval) < 3 {
          try Task.checkCancellation()
          await Task.yield()
        }
        let before = world.swarms.polls(of: group)
        world.clock.advance(by: interval)
        while world.swarms.polls(of: group) == before, !Task.isCancelled { await Task.yield() }
      }
      withExtendedLifetime(watch) {}
      watch = nil
      // The interval that has begun ends before the usual ones follow.
      for _ in 0..<40 { try await advance(world, alice) }
      let before = world.swarms.polls(of: group)
      for _ in 0..<60 { try await advance(world, alice) }
      #expect(world.swarms.polls(of: group) - before < 10)
    }
  }

  /// Advances the clock by a second, and lets woken pollers run.
  private func advance(_ world: World, _ messenger: Messenger) async throws {
    world.clock.advance(by: 1000)
    try await messenger.waitUntilIdle()
    for _ in 0..<200 { await Task.yield() }
  }

  /// Advances the clock until a condition holds, for at most this many seconds, and waits in each until everything is idle: the
  /// pollers of the groups and of both accounts, and the job runners of both.
  private func advance(
    _ world: World, _ messenger: Messenger, upTo seconds: Int, of groups: Int, until isDone: () -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for _ in 0..<seconds {
      world.clock.advance(by: 1000)
      try await messenger.waitUntilIdle()
      // A poll in progress has a timer, too.
      while !isDone() {
        try Task.checkCancellation()
        let conditions = await messenger.supervisor.conditions().values
        if world.clock.sleepers >= groups + 4, !conditions.contains(where: \.isPolling) { break }
        await Task.yield()
      }
      if isDone() { return }
    }
    Issue.record("it took longer", sourceLocation: sourceLocation)
  }
}
