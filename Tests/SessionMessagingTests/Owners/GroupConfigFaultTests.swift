import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Configs of a group that are damaged, late or forged, or that nodes do not store.
@Suite(.timeLimit(.minutes(5))) struct GroupConfigFaultTests {
  private let token = [UInt8](repeating: 7, count: 36)

  /// Group info comes before its key, the program is restarted, then the key comes without a new info.
  @Test func infoThatCameBeforeItsKeyIsReadAfterARestart() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, _) async throws in
      try await withFolder { folder in
        let bob = try await world.start(
          Messenger.create(.generate(), name: "Bob", in: folder, world.environment))
        let group = try WorldGroup()
        try await group.found(by: alice, with: [bob.id])
        try await world.settle()
        await alice.suspend()
        world.swarms.failNamespaces([.groupKeys], toMembersOnly: true)
        try await group.join(bob, named: "Old")
        try await world.settle()
        #expect(try bob.author.messageKey(of: group.id) == nil)
        await world.stop(bob)
        let again = try await world.start(Messenger.open(folder, world.environment))
        world.swarms.failNamespaces([])
        try await world.settle(rounds: 5)
        #expect(try again.author.messageKey(of: group.id) != nil)
        let name = try await again.context.database.read { transaction in
          try transaction.thread(at: group.id.address).flatMap { try transaction.group($0.id)?.name }
        }
        #expect(name == "Trip")
        await world.stop(again)
      }
    }
  }

  /// A group id that is no key, which a device without this check stored.
  @Test func aGroupWithAnImpossibleIdStopsNothing() async throws {
    let world = World()
    let account = try Account.generate()
    try await withFolder { folder in
      let alice = try await world.start(
        Messenger.create(account, name: "Alice", in: folder, world.environment))
      try await world.settle()
      let laptop = try ConfigStore(account)
      let now = try alice.context.time()
      let friend = try Example.second().id
      let id = try SessionID(.group, key: [UInt8](repeating: 0xFF, count: 32))
      let access = try SecretBytes(copying: [UInt8](repeating: 3, count: 100))
      try laptop.edit { configs in
        try configs.groups.update(id) { group in
          group.name = "?"
          group.access = access
          group.membership.joinedAtSeconds = .max
          group.membership.mutedUntilSeconds = .max
        }
        try configs.contacts.update(friend) {
          $0.name = "Ann"
          $0.isApproved = true
          $0.createdAtSeconds = 1
        }
      }
      for push in laptop.pendingPushes(at: now).flatMap(\.pushes) {
        for message in push.messages { world.swarms.put(message, to: account.id, in: push.namespace) }
      }
      try await world.settle()
      let names = try await alice.contacts().map(\.name)
      #expect(names == ["Ann"])
      await world.stop(alice)
      let again = try await Messenger.open(folder, world.environment)
      await again.stop()
    }
    await world.stop()
  }

  /// A step alone, which too few nodes did, is repeated.
  @Test func aStepWithoutConfigsThatTooFewDidIsRepeated() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try await world.settle()
      world.clock.advance(by: 60_000)
      try await world.settle()
      world.swarms.failSteps { step in
        if case .revoke = step { .done(members: 1, of: 5, until: nil) } else { nil }
      }
      try await alice.context.write { [token] transaction, now in
        _ = try transaction.insertSwarmSteps(
          [.init(.revoke, payload: token)], of: group.id.address, at: now.stored)
        try alice.author.requestSync(of: group.id, in: transaction)
      }
      try await world.settle()
      world.swarms.failSteps { _ in nil }
      for _ in 0..<3 {
        world.clock.advance(by: 600_000)
        try await world.settle()
      }
      let left = try await alice.context.database.read { transaction in
        try transaction.swarmSteps(of: group.id.address).count
      }
      #expect(left == 0)
    }
  }

  /// A failure of the network is no refusal: one node alone does not end a step.
  @Test func oneRefusalAfterAFailureDoesNotEndAStep() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let calls = Mutex(0)
      world.swarms.failSteps { step in
        guard case .revoke = step else { return nil }
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        switch call {
        case 1: return .failed(NetworkFailure(.transient, "busy"))
        case 2: return .failed(NetworkFailure(.rejected, "a lie"))
        default: return nil
        }
      }
      let batch = try await alice.context.write { [token] transaction, now in
        let batch = try transaction.insertSwarmSteps(
          [.init(.revoke, payload: token)], of: group.id.address, at: now.stored)
        try alice.author.requestSync(of: group.id, in: transaction)
        return batch
      }
      let event = ConfigAuthor.stepEvent(of: try #require(batch))
      let job = try await alice.context.write { transaction, _ in
        var request = JobRequest()
        request.dependencies = [.event(event)]
        return try transaction.enqueue(ConfigRestoring(owner: group.id), request, at: 0)
      }
      for _ in 0..<4 {
        world.clock.advance(by: 600_000)
        try await world.settle()
      }
      #expect(calls.withLock { $0 } >= 3)
      let ended = try await alice.context.database.read { transaction in try transaction.job(job) }
      #expect(ended?.state != .failed)
    }
  }

  /// Asking what is left to be stored does not count as handing it out.
  @Test(arguments: 0..<16) func askingWhatIsLeftKeepsEdits(round: Int) async throws {
    // In ConfigEditsTests: anEditThatFollowsAMergeIsNotTakenBack, with a look in between.
    let account = try Example.first()
    let friend = try Example.second().id
    let world = World()
    let one = try Messenger(account, .inMemory(schema: .account), world.environment)
    let other = try ConfigStore(account)
    var swarm = Swarm()
    let name = ConfigName(.contacts, of: account.id)
    let after = try DisappearingTimer(.afterRead, seconds: 4)
    let before = try DisappearingTimer(.afterSend, seconds: 20)
    try other.edit { configs in try configs.contacts.update(friend) { $0.name = "Ann" } }
    try swarm.take(from: other)
    try swarm.give(name, to: one.author.configs)
    try one.author.configs.edit { configs in
      try configs.contacts.update(friend) { $0.nickname = "An \(round)" }
    }
    try other.edit { configs in try configs.contacts.update(friend) { $0.disappearing = before } }
    try swarm.take(from: one.author.configs)
    try swarm.take(from: other)
    for device in [one.author.configs, other] { try swarm.give(name, to: device) }
    try one.author.configs.edit { configs in
      try configs.contacts.update(friend) { $0.disappearing = after }
    }
    #expect(!one.author.isInStep(account.id))
    try swarm.take(from: other)
    try swarm.give(name, to: one.author.configs)
    try swarm.take(from: one.author.configs)
    for device in [one.author.configs, other] {
      try swarm.give(name, to: device)
      let ann = try device.read { configs in try configs.contacts[friend] }
      #expect(ann?.disappearing == after && ann?.nickname == "An \(round)")
    }
  }

  /// A damaged dump of a group is fetched again.
  @Test(arguments: ["groupKeys", "groupInfo", "groupMembers"])
  func damagedConfigsOfAGroupAreFetchedAgain(kind: String) async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, _) async throws in
      try await withFolder { folder in
        let bob = try await world.start(
          Messenger.create(.generate(), name: "Bob", in: folder, world.environment))
        let group = try WorldGroup()
        try await group.found(by: alice, with: [bob.id])
        try await world.settle()
        try await group.join(bob)
        try await world.settle()
        try await bob.context.write { transaction, _ in
          try transaction.put(
            ConfigDumpRecord(kind, of: group.id.address, content: Array("garbage".utf8), at: 1))
        }
        await world.stop(bob)
        let again = try await world.start(Messenger.open(folder, world.environment))
        try await alice.author.edit { configs, _ in
          try configs.withGroup(group.id) { (group) throws(SessionError) in
            try group.updateInfo { $0.name = "Journey" }
          }
        } writing: { _, _, _ in
        }
        try await world.settle()
        #expect(try again.author.messageKey(of: group.id) != nil)
        let (count, name) = try again.author.configs.read { configs in
          try configs.readGroup(group.id) { (group) throws(SessionError) in
            (try group.memberCount, try group.getInfo().name)
          }
        }
        #expect(count == 2 && name == "Journey")
        try await again.send("hello", to: group.conversation)
        try await world.settle()
        #expect(try await group.bodies(alice) == ["hello"])
        await world.stop(again)
      }
    }
  }

  /// Groups whose swarms are slow do not keep the account's own configs from being stored.
  @Test(.timeLimit(.minutes(1))) func slowGroupsDoNotHoldUpTheAccountsConfigs() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let groups = try (0..<6).map { _ in try WorldGroup() }
      for group in groups { try await group.found(by: alice, with: []) }
      try await world.settle()
      let ids = Set(groups.map(\.id))
      let (stored, storing) = AsyncStream.makeStream(of: Void.self)
      world.swarms.decide { swarm, items in
        if swarm == alice.id, items.contains(where: { $0.namespace == .profile }) { storing.yield() }
        return ids.contains(swarm) ? .held : .done
      }
      for group in groups {
        try await alice.author.edit { configs, _ in
          try configs.withGroup(group.id) { (group) throws(SessionError) in
            try group.updateInfo { $0.name = "Journey" }
          }
        } writing: { _, _, _ in
        }
      }
      world.clock.advance(by: 5000)
      await world.swarms.untilHeld()
      try await alice.setName("Allie")
      world.clock.advance(by: 50_000)
      // Nil when the time limit is reached.
      #expect(await stored.first { true } != nil)
      world.swarms.decide { _, _ in .done }
      world.swarms.release()
      try await world.settle()
    }
  }

  /// A node gives an old config under the name of a message: we do not delete that message.
  @Test func aConfigUnderAnothersNameDeletesNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setName("Alicia")
      try await world.settle()
      let old = try #require(world.swarms.kept(alice.id, in: .profile).last)
      try await alice.setName("Allie")
      try await world.settle()
      let victim = try #require(world.swarms.kept(alice.id).last)
      let forged = SwarmMessage(
        hash: victim.hash, data: old.data, storedAt: old.storedAt, expiresAt: old.expiresAt)
      _ = try await alice.inbox.makeInbox(of: alice.id).take(
        SwarmReply(node: "liar", [.profile: .success(SwarmReply.Page([forged]))]))
      for _ in 0..<4 {
        world.clock.advance(by: 10_000)
        try await world.settle()
      }
      #expect(world.swarms.kept(alice.id).contains { $0.hash == victim.hash })
    }
  }
}
