import SessionCore
import SessionStorage
import Testing

@testable import SessionJobs
@testable import SessionMessaging

/// The jobs of a group end when the group goes.
@Suite(.timeLimit(.minutes(5))) struct GroupGoneTests {
  /// How a group goes.
  enum End: CaseIterable {
    case left, kicked, destroyed
  }

  /// Requests one job of each kind that works for a group, all of which are due in a minute. Returns their kinds.
  private func requestEverything(
    for group: SessionID, _ person: SessionID, _ messenger: Messenger
  ) async throws -> Set<String> {
    try await messenger.context.write { [context = messenger.context] transaction, now in
      let time = context.jobTime
      let message = try Message(.groupUpdate(GroupUpdateMessage(.inviteResponse)), sentAt: now)
      let notice = Delivery(
        swarm: group, items: [], role: .notice,
        unsealed: try UnsealedMessage(message, in: .group(group), sentAt: now.stored))
      let mark = MemberMarks.Mark(person: person, event: GroupMember.Event.removal.rawValue)
      let jobs: [any JobKind] = [
        GroupCreation(group: group, note: nil), GroupInviting(group: group, person: person),
        GroupPromoting(group: group, person: person), GroupRemoval(group: group),
        GroupRevocation(group: group, people: [person], until: .max), GroupLeaving(group: group),
        GroupDestroying(group: group), GroupClearing(group: group),
        MemberMarks(group: group, marks: [mark], isShared: true), GroupPictureUpload(group: group, file: 1),
        GroupPictureDownload(group: group), ConfigSync(owner: group), ConfigRestoring(owner: group),
        SwarmDeletion(hashes: ["hash"], owner: group), notice,
      ]
      for job in jobs { try transaction.enqueue(job, .at(time + 60_000), at: time) }
      return Set(jobs.map { type(of: $0).kind })
    }
  }

  @Test(arguments: End.allCases) func allWorkForAGroupThatIsGoneEnds(end: End) async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let id = group.groupID
      let kinds = try await requestEverything(for: id, bob.id, alice)
      #expect(
        Set(alice.groups.handlers.map(\.rules.kind)).subtracting([KeptInvitation.kind]).isSubset(of: kinds))
      try await alice.author.edit { configs, _ in
        switch end {
        case .left:
          try configs.groups.remove(id)
          try configs.conversations.remove(.group(id))
        case .kicked: try configs.groups.update(id) { $0.markKicked() }
        case .destroyed: try configs.groups.update(id) { $0.markDestroyed() }
        }
      } writing: { _, _, _ in
      }
      try await alice.waitUntilIdle()
      world.swarms.recordSteps(in: id)
      let failures = try await alice.kinds().count { $0 == .groupOfferFailed || $0 == .pictureFailed }
      world.clock.advance(by: 61_000)
      while try await alice.jobs().jobs.contains(where: { kinds.contains($0.kind) && $0.state != .failed }) {
        try Task.checkCancellation()
        try await world.settle(rounds: 1)
      }
      #expect(world.swarms.recordedSteps.isEmpty)
      #expect(try await alice.jobs().jobs.filter { $0.state == .failed }.map(\.kind) == [])
      #expect(
        try await alice.kinds().count { $0 == .groupOfferFailed || $0 == .pictureFailed } == failures)
      let (steps, owners): (Int?, [String]) = try await alice.context.database.read { transaction in
        (
          try transaction.value("SELECT count(*) FROM swarmStep"),
          try transaction.configDumps().map(\.owner)
        )
      }
      #expect(steps == 0 && !owners.contains(id.address))
    }
  }
}
