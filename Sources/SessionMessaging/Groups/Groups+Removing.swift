import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Groups {
  /// Removes members from a group, who cannot read what is written afterwards; with `deletingMessages`, also what they
  /// wrote, for everyone.
  func remove(_ people: [SessionID], from group: SessionID, deletingMessages: Bool) async throws {
    guard !people.isEmpty else { return }
    try await act { [self] in
      let people = Array(Set(people)).sorted()
      try author.editNow { configs, _ in
        let key = try requireAdmin(of: group, in: configs)
        guard !people.contains(own) else {
          throw MessengerError(.notAllowed, "you cannot remove yourself: leave the group instead")
        }
        for member in try requireMembers(people, of: group, in: configs) where member.isAdmin {
          throw MessengerError(.isAdmin, "\(member.id) is an admin, and admins cannot be removed")
        }
        try configs.withGroup(group) { (group) throws(SessionError) in
          for person in people {
            try group.updateMember(person) { $0.note(deletingMessages ? .removalWithMessages : .removal) }
          }
        }
        return (key: key, profile: try configs.ownProfile())
      } writing: { plan, transaction, now in
        let thread = try transaction.conversation(.group(group))
        for person in people {
          for kind in [GroupInviting.kind, GroupPromoting.kind] {
            guard let offer = try transaction.job(kind, for: GroupInviting.key(group, person)) else {
              continue
            }
            try transaction.cancel(offer.id, because: "the person was removed", at: jobTime)
          }
        }
        try transaction.announce(
          .removed, of: people, in: thread, with: plan.key, profile: plan.profile, at: now, context)
        try transaction.enqueue(GroupRemoval(group: group), at: jobTime)
        try author.requestSync(of: group, in: transaction)
      }
    }
  }
}

/// Completes the removal of marked members: revokes their access, notifies them, and gives the others a new key.
struct GroupRemoval: JobKind {
  static let kind = "groupRemoval"
  static let queue = Groups.queue
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.network, .accountActive]
  /// The delay after which a removal that the swarm refused begins again.
  static let restartDelay: Int64 = 60_000
  /// How long the other admins leave a removal to the one who began it, in milliseconds, and up to how much longer.
  static let delay: Int64 = 10_000
  static let spread: Int64 = 50_000

  let group: SessionID

  var uniqueKey: String? { group.address }
  var partition: String? { Groups.partition(of: group) }

  /// The job's record of its request to the swarm.
  fileprivate struct Notice: Codable {
    static let effect = "notice"

    let batch: SwarmStepRecord.ID.RawValue
    /// The generation of the key that the notice names.
    let generation: Int64
    let people: [SessionID]
    /// Those whose messages are deleted, and when that was asked for.
    let erased: [SessionID]
    let sentAt: Int64
  }

  /// The members who are being removed, and what that needs.
  fileprivate struct Marked: Sendable {
    let key: GroupAdminKey
    let people: [SessionID]
    let erased: [SessionID]
    let generation: Int64
    let messageKey: SecretBytes
  }
}

extension Groups {
  func makeRemoval() -> JobHandler {
    JobHandler(GroupRemoval.self) { [self] removal, end, transaction in
      guard case .failed = end else { return }
      try transaction.enqueue(
        removal, .at(jobTime.saturatingAdd(GroupRemoval.restartDelay)), at: jobTime)
    } run: { [self] removal, context in
      while true {
        if let notice = try await notice(of: context) {
          try await requireStored(notice, in: removal.group, context)
          try await finish(removal.group, notice, context)
        } else {
          guard try await hasMarked(in: removal.group) else { return .done }
          guard await poll(removal.group) else {
            throw JobFailure(.retry(), "the group could not be polled")
          }
          guard let marked = try await marked(in: removal.group) else {
            // Not an event to wait for: the poll may just have ended the group, and with it all events.
            throw JobFailure(.retry(), "the newest key of the group has not arrived")
          }
          try await requestRevocation(of: marked, context)
        }
      }
    }
  }

  private func notice(of context: JobContext) async throws -> GroupRemoval.Notice? {
    try await database.read { transaction in
      try transaction.effect(GroupRemoval.Notice.effect, of: context.id)?.result.map { result in
        try JobPayload.decode(GroupRemoval.Notice.self, from: result)
      }
    }
  }

  /// Postpones the job until the swarm has done what was asked of it. Throws if the swarm refused it.
  private func requireStored(
    _ notice: GroupRemoval.Notice, in group: SessionID, _ context: JobContext
  ) async throws {
    let batch = SwarmStepRecord.ID(rawValue: notice.batch)
    let isWaiting = try await context.write { transaction in
      guard let job = try transaction.job(context.id), job.deadline != JobRecord.hopeless else {
        throw CancellationError()
      }
      guard try transaction.hasSwarmSteps(ofBatch: batch, of: group.address) else { return false }
      let end = JobDependency.event(ConfigAuthor.stepEvent(of: batch))
      if try !transaction.waits(of: context.id).contains(where: { $0.dependency == end }) {
        try transaction.add(end, to: context.id)
      }
      return true
    }
    guard !isWaiting else { throw JobDeferral(for: .zero) }
  }

  /// True if there are members to remove, and we may.
  private func hasMarked(in group: SessionID) async throws -> Bool {
    try await queue.run { [self] in
      try author.configs.read { configs in try !configs.markedMembers(of: group, own: own).isEmpty }
    }
  }

  /// Returns the members to remove; nil until the newest key of the group is in use.
  private func marked(in group: SessionID) async throws -> GroupRemoval.Marked? {
    try await queue.run { [self] in
      try author.configs.read { configs in
        let members = try configs.markedMembers(of: group, own: own)
        guard let key = try configs.groups[group]?.adminKey, !members.isEmpty else { return nil }
        let (generation, messageKey) = try configs.readGroup(group) { (group) throws(SessionError) in
          (group.isRekeying ? nil : group.generation, try group.messageKeys().first)
        }
        guard let generation, let messageKey else { return nil }
        return GroupRemoval.Marked(
          key: key, people: members.map(\.id),
          erased: members.filter { $0.status == .removedWithMessages }.map(\.id), generation: generation,
          messageKey: messageKey)
      }
    }
  }

  /// Requests what must be in the swarm before the members are gone: their access ends, and they are notified.
  private func requestRevocation(of marked: GroupRemoval.Marked, _ context: JobContext) async throws {
    let group = marked.key.group
    let now = try time()
    var steps = try SwarmStepRecord.Request.access(.revoke, of: marked.people, with: marked.key)
    let notice = try marked.key.seal(
      KickNotice(generation: UInt64(marked.generation)), for: marked.people)
    steps.append(
      SwarmStepRecord.Request(
        .store, payload: notice, namespace: Int(StorageNamespace.groupRemovals.rawValue),
        lifetime: Int64(KickNotice.timeToLive)))
    var deletion: SwarmItem?
    if !marked.erased.isEmpty {
      let update = GroupUpdate.contentDeletion(try GroupContentDeletion(ofMembers: marked.erased))
      let message = try Message(
        .groupUpdate(GroupUpdateMessage(signing: update, with: marked.key, sentAt: now)), sentAt: now)
      let item = SwarmItem(
        try account.encode(message, for: .group(group, key: marked.messageKey)), in: .groupMessages,
        for: try Destination(.group(group), own: own).lifetime(of: message.content.kind, with: nil))
      steps.append(
        SwarmStepRecord.Request(
          .store, payload: item.data, namespace: Int(item.namespace.rawValue),
          lifetime: item.lifetime.milliseconds))
      deletion = item
    }
    try await context.write { [self, steps, deletion] transaction in
      guard let batch = try transaction.insertSwarmSteps(steps, of: group.address, at: jobTime) else {
        return
      }
      // From the start: a batch that ends before the job waits for it would count as done, even if it was refused.
      try transaction.add(.event(ConfigAuthor.stepEvent(of: batch)), to: context.id)
      if let deletion {
        try transaction.remember(
          deletion.hash(in: group), in: group, until: now.stored + deletion.lifetime.milliseconds)
      }
      let notice = GroupRemoval.Notice(
        batch: batch.rawValue, generation: marked.generation, people: marked.people, erased: marked.erased,
        sentAt: now.stored)
      try transaction.putEffect(
        GroupRemoval.Notice.effect, of: context.id, isDone: true, result: JobPayload.encode(notice))
      try author.requestSync(of: group, in: transaction)
    }
  }

  /// Takes the members off the list and makes a new key. If there is a newer key than that of the notice, those removed
  /// may have it and would ignore the notice: then the removal begins again.
  private func finish(_ group: SessionID, _ notice: GroupRemoval.Notice, _ job: JobContext) async throws {
    try await queue.run { [self] in
      try author.editNow { configs, _ -> [SessionID] in
        guard try configs.groups[group]?.adminKey != nil, configs.isOpen(group) else {
          return []
        }
        return try configs.withGroup(group) { (group) throws(SessionError) -> [SessionID] in
          guard !group.isRekeying, (group.generation ?? 0) <= notice.generation else { return [] }
          var removed: [SessionID] = []
          for person in notice.people {
            guard let member = try group.member(person), member.isBeingRemoved else { continue }
            try group.removeMember(person)
            removed.append(person)
          }
          if !removed.isEmpty { try group.rekey() }
          return removed
        }
      } writing: { removed, transaction, now in
        guard let thread = try transaction.thread(at: group.address) else { return }
        for author in notice.erased where removed.contains(author) {
          for message in try transaction.messages(by: author, in: thread.id, before: notice.sentAt) {
            try transaction.delete(message, .forEveryone, at: now, context)
          }
        }
      }
    }
    try await job.write { transaction in try transaction.deleteEffects(of: job.id) }
  }
}

extension Configs {
  /// The members of a group that an admin has to remove: all who are marked, except ourselves and the last admin. Empty
  /// unless we are an admin.
  func markedMembers(of group: SessionID, own: SessionID) throws -> [GroupMember] {
    guard try groups[group]?.adminKey != nil, isOpen(group) else { return [] }
    let members = try readGroup(group) { (group) throws(SessionError) in try group.allMembers() }
    let marked = members.filter { $0.isBeingRemoved && $0.id != own }
    let keepsAdmin = members.contains { $0.isAdmin && !marked.map(\.id).contains($0.id) }
    guard !keepsAdmin, let last = marked.last(where: \.isAdmin) else { return marked }
    return marked.filter { $0.id != last.id }
  }
}
