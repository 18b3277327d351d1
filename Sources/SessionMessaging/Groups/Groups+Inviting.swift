import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Groups {
  /// Invites people to a group, and those again who have not accepted yet. With `sharingHistory`, they get the keys to
  /// what was written before.
  func invite(_ people: [SessionID], to group: SessionID, sharingHistory: Bool) async throws {
    guard !people.isEmpty else { return }
    // Right after another change, the newest key may be in the swarm only.
    if sharingHistory, try await queue.run({ [author] in try author.messageKey(of: group) }) == nil {
      _ = await poll(group)
    }
    try await act { [self] in
      let people = try requireOthers(people)
      try author.editNow { configs, _ in
        let key = try requireAdmin(of: group, in: configs)
        let members = try configs.readGroup(group) { (group) throws(SessionError) in try group.allMembers() }
        let known = Dictionary(members.map { ($0.id, $0) }) { first, _ in first }
        for person in people {
          guard let member = known[person.id] else { continue }
          guard !member.isBeingRemoved else { throw MessengerError.removalPending(person.id) }
          guard member.isOnlyInvited else {
            throw MessengerError(.alreadyMember, "\(person.id) is already a member of this group")
          }
        }
        let added = people.filter { known[$0.id] == nil }
        guard members.count(where: { !$0.isBeingRemoved }) + added.count <= Self.maxMembers else {
          throw MessengerError.groupFull
        }
        var plan = InvitationPlan(key: key, profile: try configs.ownProfile())
        plan.added = added.map(\.id)
        plan.again = people.map(\.id).filter { known[$0] != nil }
        // Earlier keys are shared before there is a newer one.
        plan.steps = try configs.stepsOfInvitation(of: plan.added, to: group, with: key, sharingHistory)
        let informed = plan.again.filter { sharingHistory || known[$0]?.isGivenHistory == true }
        for person in plan.again {
          plan.steps += try configs.stepsOfInvitation(
            of: [person], to: group, with: key, informed.contains(person))
        }
        try configs.withGroup(group) { (group) throws(SessionError) in
          for person in added {
            try group.updateMember(person.id) { person.join(&$0, sharingHistory: sharingHistory) }
          }
          for person in plan.again {
            try group.updateMember(person) { member in
              member.isGivenHistory = informed.contains(person)
              member.note(.inviteNotSent)
            }
          }
          if !added.isEmpty { try group.rekey() }
        }
        return plan
      } writing: { plan, transaction, now in
        let thread = try transaction.conversation(.group(group))
        let batch = try transaction.insertSwarmSteps(plan.steps, of: group.address, at: jobTime)
        for person in plan.added + plan.again {
          try transaction.request(GroupInviting(group: group, person: person), after: batch, at: jobTime)
        }
        if !plan.added.isEmpty {
          try transaction.announce(
            .added, of: plan.added, seesHistory: sharingHistory, in: thread, with: plan.key,
            profile: plan.profile, at: now, context)
        }
        try author.requestSync(of: group, in: transaction)
      }
    }
  }

  private struct InvitationPlan: Sendable {
    let key: GroupAdminKey
    let profile: MessageProfile?
    var added: [SessionID] = []
    /// People who were invited before.
    var again: [SessionID] = []
    var steps: [SwarmStepRecord.Request] = []
  }
}

extension Configs {
  /// The number of tokens in one request.
  static let maxTokens = 50
  /// The size of a message in a swarm.
  private static let maxMessage = 76_800

  /// The requests that must precede an invitation: they let the people into the swarm, and give them earlier keys.
  fileprivate func stepsOfInvitation(
    of people: [SessionID], to group: SessionID, with key: GroupAdminKey, _ sharesHistory: Bool
  ) throws -> [SwarmStepRecord.Request] {
    guard !people.isEmpty else { return [] }
    var steps = try SwarmStepRecord.Request.access(.unrevoke, of: people, with: key)
    guard sharesHistory else { return steps }
    guard try readGroup(group, { $0.generation != nil && !$0.isRekeying }) else {
      throw MessengerError(
        .groupNotReady, "the newest key of the group has not arrived yet: try again in a moment")
    }
    steps += try supplements(of: group, for: people.sorted()).map { message in
      SwarmStepRecord.Request(
        .store, payload: message, namespace: Int(StorageNamespace.groupKeys.rawValue),
        lifetime: ConfigSync.lifetimeInSwarm.milliseconds)
    }
    return steps
  }

  /// Messages with all keys of the group for some members, in as many parts as fit.
  private func supplements(of group: SessionID, for people: [SessionID]) throws -> [[UInt8]] {
    let whole = try readGroup(group) { (group) throws(SessionError) in try group.supplement(for: people) }
    guard whole.count > Self.maxMessage, people.count > 1 else { return [whole] }
    let half = people.count / 2
    return try supplements(of: group, for: Array(people[..<half]))
      + supplements(of: group, for: Array(people[half...]))
  }
}

extension SwarmStepRecord.Request {
  /// Requests that grant or revoke the access of members.
  static func access(
    _ kind: SwarmStepRecord.Kind, of people: [SessionID], with key: GroupAdminKey
  ) throws -> [SwarmStepRecord.Request] {
    let tokens = try people.sorted().map { person in try key.accessToken(of: person) }
    return stride(from: 0, to: tokens.count, by: Configs.maxTokens).map { start in
      SwarmStepRecord.Request(
        kind, payload: Array(tokens[start..<min(start + Configs.maxTokens, tokens.count)].joined()))
    }
  }
}

extension MessengerError {
  static func removalPending(_ person: SessionID) -> MessengerError {
    MessengerError(.removalPending, "\(person) is still being removed: try again when that is done")
  }
}
