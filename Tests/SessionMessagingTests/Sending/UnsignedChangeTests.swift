import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Deletions and shorter lifetimes that some members of a swarm have not signed are repeated.
@Suite struct UnsignedChangeTests {
  private let minute: Int64 = 60_000

  @Test func attemptsComeMoreAndMoreSeldomForADay() {
    var (times, now): ([Int64], Int64) = ([], 0)
    while let next = UnsignedChange.nextAttempt(ofChangeAt: 0, now: now, chance: 0), times.count < 100 {
      times.append(next / minute)
      now = next
    }
    #expect(times == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440])
  }

  @Test func delaysAreShorterByChance() {
    func delay(_ chance: Double) -> Int64? {
      UnsignedChange.nextAttempt(ofChangeAt: 0, now: 3_600_000, chance: chance).map { $0 - 3_600_000 }
    }
    #expect(delay(0) == 3_600_000)
    #expect(delay(0.5) == 3_150_000)
    #expect(delay(1) == 2_700_000)
  }

  @Test(arguments: [0, 0.5, 1]) func theLastAttemptIsAfterADay(chance: Double) {
    let day = UnsignedChange.timeLimit
    for age in [day - 1, day - minute, day * 3 / 4] {
      #expect(UnsignedChange.nextAttempt(ofChangeAt: 0, now: age, chance: chance) == day)
    }
  }

  @Test func olderChangesAreNotRepeated() {
    let day = UnsignedChange.timeLimit
    for (start, now) in [(0, day), (0, day + 1), (.min, 0), (.min, .max)] as [(Int64, Int64)] {
      #expect(UnsignedChange.nextAttempt(ofChangeAt: start, now: now, chance: 0) == nil)
    }
  }

  @Test func changesOfAClockThatWasAheadCountAsNew() {
    for (start, now) in [(1, 0), (.max, 0), (.max, .min)] as [(Int64, Int64)] {
      #expect(UnsignedChange.nextAttempt(ofChangeAt: start, now: now, chance: 0) == now + minute)
    }
  }

  // MARK: - Deletions

  /// A message of Alice's, of which she deletes her own copies.
  private func delete(_ alice: Messenger, _ bob: Messenger, _ world: World) async throws -> String {
    let id = try await alice.send("mine alone", to: bob.id)
    try await world.settle()
    let hash = try #require(world.swarms.kept(alice.id).last?.hash)
    world.swarms.recordSteps(in: alice.id)
    try await alice.delete(id, .onOwnDevices)
    return hash
  }

  /// The requests to delete a message.
  private func deletions(of hash: String, _ world: World) -> Int {
    world.swarms.recordedSteps.joined().count { step in
      if case .delete(let hashes) = step { hashes.contains(hash) } else { false }
    }
  }

  private func jobs(_ messenger: Messenger, _ kind: String) async throws -> Int {
    try await messenger.jobs().jobs.count { $0.kind == kind }
  }

  @Test func deletionIsRepeatedUntilADeadMemberHasSignedIt() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let id = try await alice.send("mine alone", to: bob.id)
      try await world.settle()
      let hash = try #require(world.swarms.kept(alice.id).last?.hash)
      world.swarms.kill(1, of: alice.id, for: 10 * minute, catchingUpAfter: 0)
      try await alice.delete(id, .onOwnDevices)
      try await world.settle()
      // The dead one still has it.
      #expect(world.swarms.kept(alice.id).contains { $0.hash == hash })
      #expect(try await jobs(alice, SwarmDeletion.kind) == 1)
      world.clock.advance(by: 11 * minute)
      try await world.settle(upTo: 20) {
        world.clock.advance(by: minute)
        return try await jobs(alice, SwarmDeletion.kind) == 0
      }
      #expect(!world.swarms.kept(alice.id).contains { $0.hash == hash })
      #expect(try await jobs(alice, SwarmDeletion.kind) == 0)
    }
  }

  @Test func deletionThatAllMembersSignedIsNotRepeated() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let hash = try await delete(alice, bob, world)
      for _ in 0..<5 {
        try await world.settle(rounds: 1)
        world.clock.advance(by: 3_600_000)
      }
      #expect(deletions(of: hash, world) == 1)
    }
  }

  @Test func deletionIsGivenUpAfterADay() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.failSteps { step in
        if case .delete = step { .done(members: 6, of: 7, until: nil) } else { nil }
      }
      let hash = try await delete(alice, bob, world)
      for _ in 0..<52 {
        try await world.settle(rounds: 1)
        world.clock.advance(by: 30 * minute)
      }
      #expect(try await jobs(alice, SwarmDeletion.kind) == 0)
      #expect((6...12).contains(deletions(of: hash, world)))
      #expect(try await alice.jobs().counts[.failed] ?? 0 == 0)
    }
  }

  @Test func deletionGoesOnForADayAfterTheClockWasSetBack() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.failSteps { step in
        if case .delete = step { .done(members: 6, of: 7, until: nil) } else { nil }
      }
      world.swarms.recordSteps(in: alice.id)
      try await alice.context.write { [context = alice.context] transaction, _ in
        let now = context.jobTime
        let deletion = SwarmDeletion(
          hashes: ["hash"], owner: context.own, unsignedSince: now + 3 * UnsignedChange.timeLimit)
        try transaction.enqueue(deletion, at: now)
      }
      try await world.settle(rounds: 1)
      #expect(deletions(of: "hash", world) == 1)
      #expect(try await jobs(alice, SwarmDeletion.kind) == 1)
      for _ in 0..<26 {
        world.clock.advance(by: 60 * minute)
        try await world.settle(rounds: 1)
      }
      #expect((4...12).contains(deletions(of: "hash", world)))
      #expect(try await jobs(alice, SwarmDeletion.kind) == 0)
    }
  }

  @Test func smallRepetitionsOfAnHourAreOneJob() throws {
    func key(_ count: Int, owner: SessionID? = nil, since start: Int64?) -> String? {
      let hashes = (0..<count).map { "\($0)" }
      return SwarmDeletion(hashes: hashes, owner: owner, unsignedSince: start).uniqueKey
    }
    let owner = try Account.generate().id
    let hour = 60 * minute
    #expect(key(1, since: 0) != nil && key(1, since: 0) == key(2, since: hour - 1))
    #expect(key(1, since: 0) != key(1, since: hour))
    #expect(key(1, since: 0) != key(1, owner: owner, since: 0))
    #expect(key(1, since: nil) == nil)
    #expect(key(UnsignedChange.maxMerged + 1, since: 0) == nil)
    let merged = SwarmDeletion(hashes: ["b", "a"], owner: owner, unsignedSince: 1).merged(
      with: SwarmDeletion(hashes: ["c", "a"], owner: owner, unsignedSince: 2))
    #expect(merged.hashes == ["a", "b", "c"] && merged.owner == owner && merged.unsignedSince == 2)
  }

  /// The waiting jobs after so many requests.
  private func waiting<Kind: JobKind>(after count: Int, _ request: (String) -> Kind) throws -> [JobRecord] {
    let database = try Database.inMemory(schema: .account)
    try database.write { transaction in
      for number in 0..<count { try transaction.enqueue(request("\(number)"), at: 1) }
    }
    return try database.read { transaction in try transaction.jobs(.waiting, limit: 1000) }
  }

  @Test(arguments: [10, 11, 12, 500]) func repetitionsDoNotGrowWithoutLimit(count: Int) throws {
    // The one that makes a job too large is its last.
    let full = UnsignedChange.maxMerged + 1
    let deletions = try waiting(after: count) { SwarmDeletion(hashes: [$0], unsignedSince: 1) }
    let shortenings = try waiting(after: count) {
      ExpiryShortening(hashes: [$0], expiry: 1, unsignedSince: 1)
    }
    for jobs in [deletions, shortenings] {
      #expect(jobs.count == (count + full - 1) / full)
      #expect(jobs.count { $0.uniqueKey != nil } == (count % full == 0 ? 0 : 1))
    }
    let deleted = try deletions.map { job in
      try SwarmDeletion.decode(job.payload, version: job.version).hashes
    }
    let shortened = try shortenings.map { job in
      try ExpiryShortening.decode(job.payload, version: job.version).hashes
    }
    for hashes in [deleted, shortened] {
      #expect(hashes.allSatisfy { $0.count <= full })
      #expect(Set(hashes.joined()).count == count)
    }
  }

  @Test func failedRepetitionIsNoFailure() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.failSteps { step in
        if case .delete = step { .done(members: 6, of: 7, until: nil) } else { nil }
      }
      let hash = try await delete(alice, bob, world)
      try await world.settle()
      world.swarms.failSteps { step in
        if case .delete = step { .failed(NetworkFailure(.rejected, "no")) } else { nil }
      }
      world.clock.advance(by: 2 * minute)
      try await world.settle()
      #expect(deletions(of: hash, world) >= 2)
      #expect(try await alice.jobs().counts[.failed] ?? 0 == 0)
      #expect(try await jobs(alice, SwarmDeletion.kind) == 1)
    }
  }

  @Test func replacedConfigsAreDeletedAtAllMembers() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let old = Set(world.swarms.kept(alice.id, in: .contacts).map(\.hash))
      world.swarms.kill(1, of: alice.id, for: 10 * minute, catchingUpAfter: 0)
      try await alice.setNickname("Bobby", of: bob.id)
      try await world.settle()
      await alice.suspend()
      let unsigned = try await alice.context.database.read { transaction in
        try transaction.jobs(.waiting, limit: 100)
      }
      let hashes = try unsigned.filter { $0.kind == SwarmDeletion.kind }.flatMap { job -> [String] in
        let deletion = try SwarmDeletion.decode(job.payload, version: job.version)
        return deletion.unsignedSince == nil ? [] : deletion.hashes
      }
      #expect(!old.isEmpty && old.isSubset(of: hashes))
    }
  }

  @Test func configInUseIsNotDeletedAgain() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let hash = try #require(world.swarms.kept(alice.id, in: .contacts).last?.hash)
      let other = world.swarms.put([1, 2, 3], to: alice.id, in: .contacts)
      try await alice.context.write { [context = alice.context] transaction, _ in
        try transaction.enqueue(
          SwarmDeletion(hashes: [hash, other], owner: context.own, unsignedSince: context.jobTime),
          at: context.jobTime)
      }
      try await world.settle()
      let kept = world.swarms.kept(alice.id, in: .contacts).map(\.hash)
      #expect(kept.contains(hash) && !kept.contains(other))
    }
  }

  // MARK: - Lifetimes

  /// Shortens the lifetime of a message in Bob's swarm, of which one member is dead for a while.
  private func shorten(
    to lifetime: Int64, deadFor time: Int64, _ body: (World, Messenger, String) async throws -> Void
  ) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let hash = try #require(world.swarms.kept(bob.id).last?.hash)
      world.swarms.kill(0, of: bob.id, for: time, catchingUpAfter: 0)
      world.swarms.recordSteps(in: bob.id)
      try await bob.context.write { [context = bob.context] transaction, now in
        try transaction.enqueue(
          ExpiryShortening(hashes: [hash], expiry: now.stored + lifetime), at: context.jobTime)
      }
      try await world.settle(rounds: 1)
      #expect(world.swarms.shortenings == 1)
      #expect(try await jobs(bob, ExpiryShortening.kind) == 1)
      try await body(world, bob, hash)
    }
  }

  @Test func shorterLifetimeIsRequestedUntilAllMembersHaveSignedIt() async throws {
    try await shorten(to: 3_600_000, deadFor: 90_000) { (world, bob, hash) async throws in
      for _ in 0..<3 {
        world.clock.advance(by: minute)
        try await world.settle(rounds: 1)
      }
      #expect(world.swarms.shortenings == 3)
      #expect(try await jobs(bob, ExpiryShortening.kind) == 0)
      #expect(deletions(of: hash, world) == 0)
    }
  }

  @Test func messageWhoseTimeIsOverIsDeletedInstead() async throws {
    try await shorten(to: 30_000, deadFor: 90_000) { (world, bob, hash) async throws in
      for _ in 0..<6 {
        world.clock.advance(by: minute)
        try await world.settle(rounds: 1)
      }
      #expect(world.swarms.shortenings == 1)
      #expect(deletions(of: hash, world) >= 1)
      #expect(try await jobs(bob, ExpiryShortening.kind) == 0)
      #expect(try await jobs(bob, SwarmDeletion.kind) == 0)
    }
  }

  @Test func messageIsDeletedWhenItsTimeIsOverAndNotLater() async throws {
    let hour = 60 * minute
    // Before, attempts come after 1, 2, 4, 8 and 16 hours.
    try await shorten(to: 20 * hour, deadFor: 30 * hour) { (world, bob, hash) async throws in
      for _ in 0..<19 {
        world.clock.advance(by: hour)
        try await world.settle(rounds: 1)
      }
      #expect(deletions(of: hash, world) == 0)
      world.clock.advance(by: hour)
      try await world.settle(rounds: 1)
      #expect(deletions(of: hash, world) == 1)
      #expect(try await jobs(bob, ExpiryShortening.kind) == 0)
    }
  }

  @Test func deletionOfAMessageWhoseTimeIsOverHasADayOfItsOwn() async throws {
    let hour = 60 * minute
    try await shorten(to: 23 * hour, deadFor: 40 * hour) { (world, bob, hash) async throws in
      for _ in 0..<28 {
        world.clock.advance(by: hour)
        try await world.settle(rounds: 1)
      }
      #expect(deletions(of: hash, world) >= 2)
      #expect(try await jobs(bob, SwarmDeletion.kind) >= 1)
    }
  }

  @Test func shorteningGoesOnAfterTheClockWasSetBack() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.kill(0, of: bob.id, for: 10 * minute, catchingUpAfter: 0)
      try await bob.context.write { [context = bob.context] transaction, now in
        let time = context.jobTime
        let day = UnsignedChange.timeLimit
        let shortening = ExpiryShortening(
          hashes: ["hash"], expiry: now.stored + day, unsignedSince: time + 3 * day)
        try transaction.enqueue(shortening, at: time)
      }
      try await world.settle(rounds: 1)
      #expect(world.swarms.shortenings == 1)
      #expect(try await jobs(bob, ExpiryShortening.kind) == 1)
      world.clock.advance(by: 11 * minute)
      try await world.settle(rounds: 1)
      #expect(world.swarms.shortenings == 2)
      #expect(try await jobs(bob, ExpiryShortening.kind) == 0)
    }
  }

  @Test func shorteningsThatEndInTheSameMinuteAreRepeatedTogether() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.kill(0, of: bob.id, for: 60 * minute, catchingUpAfter: 0)
      world.swarms.recordSteps(in: bob.id)
      try await bob.context.write { [context = bob.context] transaction, now in
        let end = (now.stored / 60_000 + 10) * 60_000
        let time = context.jobTime
        try transaction.enqueue(ExpiryShortening(hashes: ["one"], expiry: end + 1000), at: time)
        try transaction.enqueue(ExpiryShortening(hashes: ["two"], expiry: end + 2000), at: time)
      }
      try await world.settle(rounds: 1)
      #expect(world.swarms.shortenings == 2)
      #expect(try await jobs(bob, ExpiryShortening.kind) == 1)
      world.clock.advance(by: 2 * minute)
      try await world.settle(rounds: 1)
      #expect(world.swarms.shortenings == 3)
      world.clock.advance(by: 10 * minute)
      try await world.settle(rounds: 1)
      #expect(deletions(of: "one", world) == 1 && deletions(of: "two", world) == 1)
    }
  }

  @Test func requestsAboutLifetimesDoNotHoldUpTheSweep() {
    #expect(ExpiryShortening.queue.name != DisappearingSweep.queue.name)
    #expect(SwarmDeletion.queue.name != FileSweeping.queue.name)
    #expect(SwarmDeletion.queue.name != Upkeep.queue.name)
  }
}
