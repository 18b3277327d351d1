import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Requests that precede the configs of an owner, in the same sequence.
@Suite(.timeLimit(.minutes(5))) struct SwarmStepTests {
  private let token = [UInt8](repeating: 7, count: 36)

  private func withGroup(_ body: (World, WorldGroup, Messenger) async throws -> Void) async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, _) async throws in
      let group = try WorldGroup()
      try await group.found(by: alice, with: [])
      try await world.settle()
      try await body(world, group, alice)
    }
  }

  /// Renames the group, with steps that must be done before. Returns the batch of the steps.
  private func rename(
    _ group: WorldGroup, to name: String, by admin: Messenger, after steps: [SwarmStepRecord.Request]
  ) async throws -> SwarmStepRecord.ID? {
    try await admin.author.edit { [group] configs, _ in
      try configs.withGroup(group.id) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = name }
      }
    } writing: { [group] _, transaction, now in
      try transaction.insertSwarmSteps(steps, of: group.id.address, at: now.stored)
    }
  }

  private func left(of group: WorldGroup, _ admin: Messenger) async throws -> Int {
    try await admin.context.database.read { transaction in
      try transaction.swarmSteps(of: group.id.address).count
    }
  }

  @Test func stepsRunInOrderBeforeTheConfigs() async throws {
    try await withGroup { (world, group, alice) async throws in
      _ = try await rename(
        group, to: "Journey", by: alice,
        after: [
          .init(.unrevoke, payload: token + token), .init(.revoke, payload: token),
          .init(.store, payload: [1, 2, 3], namespace: 12, lifetime: 60_000),
          .init(.delete, payload: Array("a\nb".utf8)),
        ])
      world.swarms.recordSteps(in: group.id)
      try await world.settle()
      let steps = try #require(world.swarms.recordedSteps.first)
      let item = SwarmItem([1, 2, 3], in: .groupKeys, for: .seconds(60))
      #expect(
        steps.prefix(4) == [
          .unrevoke([token, token]), .revoke([token]), .store(item), .delete(["a", "b"]),
        ])
      guard case .store(let last)? = steps.last else {
        Issue.record("the configs come last")
        return
      }
      #expect(steps.count == 5 && last.namespace == .groupInfo)
      #expect(try await left(of: group, alice) == 0)
    }
  }

  @Test func failedStepsAreRetriedBeforeTheConfigs() async throws {
    try await withGroup { (world, group, alice) async throws in
      let before = world.swarms.kept(group.id, in: .groupInfo).map(\.hash)
      _ = try await rename(group, to: "Journey", by: alice, after: [.init(.revoke, payload: token)])
      world.swarms.failSteps { step in
        if case .revoke = step { .failed(NetworkFailure(.transient, "the node is busy")) } else { nil }
      }
      try await world.settle(rounds: 1)
      #expect(try await left(of: group, alice) == 1)
      #expect(world.swarms.kept(group.id, in: .groupInfo).map(\.hash) == before)
      // Less than half of the swarm is not enough.
      world.swarms.failSteps { step in
        if case .revoke = step { .done(members: 2, of: 5, until: nil) } else { nil }
      }
      try await world.settle()
      #expect(try await left(of: group, alice) == 1)
      world.swarms.failSteps { _ in nil }
      world.clock.advance(by: 600_000)
      try await world.settle()
      #expect(try await left(of: group, alice) == 0)
      #expect(world.swarms.kept(group.id, in: .groupInfo).map(\.hash) != before)
    }
  }

  /// Adds a job that waits for steps.
  private func job(
    after batch: SwarmStepRecord.ID?, of group: WorldGroup, _ messenger: Messenger
  ) async throws -> JobRecord.ID {
    let event = ConfigAuthor.stepEvent(of: try #require(batch))
    return try await messenger.context.write { [group] transaction, _ in
      var request = JobRequest()
      request.dependencies = [.event(event)]
      return try transaction.enqueue(ConfigRestoring(owner: group.id), request, at: 0)
    }
  }

  @Test func overdueStepsOutliveTheEndOfTheProgram() async throws {
    let world = World()
    let folder = try AccountFolder("alice", in: StorageRoots(inside: world.folder))
    let alice = try await world.start(
      Messenger.create(.generate(), name: "Alice", in: folder, world.environment))
    let group = try WorldGroup()
    try await group.found(by: alice, with: [])
    try await world.settle()
    await alice.suspend()
    _ = try await rename(group, to: "Journey", by: alice, after: [.init(.revoke, payload: token)])
    world.clock.advance(by: 25 * 3_600_000)
    world.swarms.failSteps { step in
      if case .revoke = step { .failed(NetworkFailure(.transient, "the program ends")) } else { nil }
    }
    world.swarms.decide { swarm, _ in swarm == group.id ? .held : .done }
    await alice.resume()
    await world.swarms.untilHeld()
    await world.stop(alice)
    let again = try await Messenger.open(folder, world.environment)
    #expect(try await left(of: group, again) == 1)
    await again.stop()
    await world.stop()
  }

  @Test func stepsRefusedTwiceAreDroppedAndConfigsAreStored() async throws {
    try await withGroup { (world, group, alice) async throws in
      let before = world.swarms.kept(group.id, in: .groupInfo).map(\.hash)
      let batch = try await rename(
        group, to: "Journey", by: alice, after: [.init(.revoke, payload: token)])
      let job = try await job(after: batch, of: group, alice)
      world.swarms.failSteps { step in
        if case .revoke = step { .failed(NetworkFailure(.rejected, "no such token")) } else { nil }
      }
      for _ in 0..<3 {
        world.clock.advance(by: 600_000)
        try await world.settle()
      }
      #expect(try await left(of: group, alice) == 0)
      #expect(world.swarms.kept(group.id, in: .groupInfo).map(\.hash) != before)
      let ended = try await alice.context.database.read { transaction in try transaction.job(job) }
      #expect(ended?.state == .failed && ended?.failure == "no such token")
    }
  }

  @Test func stepsRefusedByOneNodeAreRepeated() async throws {
    try await withGroup { (world, group, alice) async throws in
      _ = try await rename(group, to: "Journey", by: alice, after: [.init(.revoke, payload: token)])
      world.swarms.failSteps { step in
        guard case .revoke = step else { return nil }
        return .failed(NetworkFailure(.rejected, "no such token", by: MemorySwarms.nodes[0]))
      }
      for _ in 0..<5 {
        world.clock.advance(by: 600_000)
        try await world.settle()
      }
      #expect(try await left(of: group, alice) == 1)
      world.swarms.failSteps { step in
        guard case .revoke = step else { return nil }
        return .failed(NetworkFailure(.rejected, "no such token", by: MemorySwarms.nodes[1]))
      }
      for _ in 0..<2 {
        world.clock.advance(by: 600_000)
        try await world.settle()
      }
      #expect(try await left(of: group, alice) == 0)
    }
  }

  @Test func stepsThatFailForADayAreDropped() async throws {
    try await withGroup { (world, group, alice) async throws in
      let before = world.swarms.kept(group.id, in: .groupInfo).map(\.hash)
      let batch = try await rename(
        group, to: "Journey", by: alice, after: [.init(.revoke, payload: token)])
      let job = try await job(after: batch, of: group, alice)
      world.swarms.failSteps { step in
        if case .revoke = step { .failed(NetworkFailure(.transient, "the node is busy")) } else { nil }
      }
      for _ in 0..<23 {
        world.clock.advance(by: 3_600_000)
        try await world.settle(rounds: 1)
      }
      #expect(try await left(of: group, alice) == 1)
      for _ in 0..<3 {
        world.clock.advance(by: 3_600_000)
        try await world.settle(rounds: 1)
      }
      #expect(try await left(of: group, alice) == 0)
      #expect(world.swarms.kept(group.id, in: .groupInfo).map(\.hash) != before)
      let ended = try await alice.context.database.read { transaction in try transaction.job(job) }
      #expect(ended?.state == .failed && ended?.failure == "the node is busy")
    }
  }

  @Test func jobsWaitingForAnEditResumeWhenItIsStored() async throws {
    try await withGroup { (world, group, alice) async throws in
      world.swarms.setReachable(false)
      _ = try await rename(group, to: "Journey", by: alice, after: [])
      let event = ConfigAuthor.syncEvent(of: group.id)
      let job = try await alice.context.write { transaction, _ in
        var request = JobRequest()
        request.dependencies = [.event(event)]
        return try transaction.enqueue(ConfigRestoring(owner: group.id), request, at: 0)
      }
      try await world.settle()
      func isWaiting() async throws -> Bool {
        try await alice.context.database.read { transaction in
          try transaction.job(job)?.state == .waiting && transaction.isAwaited(event: event)
        }
      }
      #expect(try await isWaiting())
      world.swarms.setReachable(true)
      try await world.settle()
      #expect(try await !isWaiting())
    }
  }
}
