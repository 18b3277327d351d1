import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Groups {
  /// Creates a group and invites its members. Returns when that is stored on this device; a job stores it in the swarm.
  func create(_ draft: GroupDraft) async throws -> SessionID {
    let details = try draft.details.checked()
    let key = try GroupAdminKey(seed: .random(count: 32))
    var picture: AttachmentRecord.ID?
    if let bytes = draft.picture {
      picture = try await files.importFiles(picture: files.checked(picture: bytes))
    }
    try await act { [self, picture] in
      let people = try requireOthers(draft.members)
      guard people.count < Self.maxMembers else { throw MessengerError.groupFull }
      try author.editNow { configs, now in
        try configs.openUnlistedGroup(with: key)
        let profile = try configs.profile.get()
        return try configs.withGroup(key.group) { (group) throws(SessionError) in
          try group.updateInfo { info in
            info.set(details)
            info.createdAtSeconds = Int64(now.seconds)
          }
          try group.updateMember(own) { member in
            member.name = profile.name
            member.picture = profile.picture
            member.profileUpdatedAtSeconds = profile.updatedAtSeconds
            member.note(.promotionAccepted)
          }
          for person in people {
            try group.updateMember(person.id) { person.join(&$0, sharingHistory: false) }
          }
          try group.rekey()
          return (info: try group.getInfo(), members: try group.allMembers())
        }
      } writing: { created, transaction, now in
        var thread = try transaction.obtainThread(at: key.group.address, .group, createdAt: now.stored)
        thread.isVisible = true
        try transaction.update(thread)
        var record = GroupRecord(thread.id, name: details.name, formedAt: now.stored)
        record.localState = .creating
        record.seed = key.seed.reveal()
        try transaction.put(record)
        var projection = ConfigProjection(context: context, now: now)
        try projection.apply(created.info, of: key.group, in: transaction)
        try projection.apply(
          created.members.map { ($0.id, $0) }, in: key.group, transaction)
        try author.request(projection.followUps, in: transaction, at: now)
        thread = try transaction.conversation(.group(key.group))
        let note =
          people.isEmpty
          ? nil
          : try transaction.insertOwnNote(
            .members(.added, people.map(\.id).sorted()), in: thread, at: now, context)
        try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
        try transaction.enqueue(GroupCreation(group: key.group, note: note?.id.rawValue), at: jobTime)
        if let picture, let file = try transaction.attachment(picture)?.fileID {
          try transaction.upload(file, of: key.group, at: now, context)
        }
      }
    }
    return key.group
  }
}

/// Stores a new group in its swarm. Only then do the account's configs list the group.
struct GroupCreation: JobKind {
  static let kind = "groupCreation"
  static let queue = ConfigSync.queue
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.network, .accountActive]

  let group: SessionID
  /// The note of the members who were added, if any.
  let note: Int64?

  var uniqueKey: String? { group.address }
  var partition: String? { ConfigSync.partition(of: group) }
}

extension Groups {
  func makeCreation() -> JobHandler {
    JobHandler(GroupCreation.self) { [self] creation, context in
      guard let stored = try await queue.run({ [self] in try prepareCreation(of: creation.group) }) else {
        return .done
      }
      guard stored.isComplete else {
        try await queue.run { [self] in
          try discard(creation.group, because: "what was stored of it cannot be read")
        }
        return .done
      }
      do throws(NetworkFailure) {
        try await environment.swarms.perform(
          stored.steps, in: creation.group, as: .admin(stored.key)
        ).check()
      } catch {
        guard [.rejected, .tooLarge].contains(error.kind),
          try await context.wasRefusedBefore("creation", by: error.node)
        else {
          throw JobFailure(.retry(after: error.retryDelay), error.message)
        }
        try await queue.run { [self] in try discard(creation.group, because: error.message) }
        return .done
      }
      try await queue.run { [self] in try finish(creation, stored) }
      return .done
    }
  }

  /// The messages of a new group.
  private struct NewGroup: Sendable {
    let key: GroupAdminKey
    let pushes: [ConfigPush]

    /// False if the dump of a config was damaged.
    var isComplete: Bool { Set(pushes.map(\.name.kind)) == Set(ConfigKind.kept(of: key.group)) }

    /// One sequence: the keys come first.
    var steps: [SwarmStep] {
      pushes.flatMap { push in
        push.messages.map { .store(SwarmItem($0, in: push.namespace, for: ConfigSync.lifetimeInSwarm)) }
      }
    }
  }

  /// Returns what to store for a new group; nil if it is not being created any more.
  private func prepareCreation(of group: SessionID) throws -> NewGroup? {
    let seed = try database.read { transaction in
      try transaction.thread(at: group.address).flatMap { thread in try transaction.group(thread.id)?.seed }
    }
    guard let seed else { return nil }
    let now = try time()
    let pushes = author.configs.pendingPushes(in: group, at: now)?.pushes ?? []
    let dumps = try author.configs.dumps(at: now)
    if !dumps.isEmpty {
      try database.write { transaction in try author.keep(dumps, in: transaction) }
    }
    return NewGroup(key: try GroupAdminKey(seed: SecretBytes(copying: seed)), pushes: pushes)
  }

  /// Lists the group in the account's configs, invites its members and tells them of each other.
  private func finish(_ creation: GroupCreation, _ stored: NewGroup) throws {
    let (group, key) = (creation.group, stored.key)
    try author.editNow { configs, now in
      guard configs.unlisted.contains(group) else { throw CancellationError() }
      for push in stored.pushes { try configs.confirm(push) }
      let (info, members) = try configs.readGroup(group) { (group) throws(SessionError) in
        (try group.getInfo(), try group.allMembers())
      }
      try configs.groups.update(group) { entry in
        entry.name = info.name
        entry.adminSeed = key.seed
        entry.membership.joinedAtSeconds = info.createdAtSeconds
      }
      try configs.conversations.update(.group(group), at: now) { _ in }
      let invited = members.filter(\.isOnlyInvited).map(\.id)
      let profile = try configs.ownProfile()
      return (
        invited: invited, profile: profile,
        invitations: sealInvitations(of: invited, with: key, to: info, profile: profile, at: now)
      )
    } writing: { created, transaction, now in
      let thread = try transaction.conversation(.group(group))
      guard var record = try transaction.group(thread.id) else { return }
      (record.localState, record.seed) = (.none, nil)
      try transaction.put(record)
      for invitation in created.invitations { try transaction.request(invitation, at: jobTime) }
      if let note = try creation.note.flatMap({
        try transaction.interaction(InteractionRecord.ID(rawValue: $0))
      }) {
        let added = try GroupMemberChange(.added, members: created.invited)
        try transaction.announce(
          .memberChange(added), noted: note, in: thread, with: key, profile: created.profile, context,
          isStored: true)
      }
      try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
    }
    author.tell(.keysStored(of: group))
  }

  /// Forgets a group that could not be created. No other device and no other person has seen it.
  func discard(_ group: SessionID, because reason: String) throws {
    try author.editNow { configs, _ in
      configs.closeGroup(group)
    } writing: { _, transaction, now in
      guard let thread = try transaction.thread(at: group.address) else { return }
      try ConfigProjection(context: context, now: now).forgetSwarm(of: group, in: transaction)
      try transaction.delete(thread, at: jobTime)
      try transaction.requestFileSweep(at: jobTime)
      var content = MessengerEvent.Content(conversation: .group(group))
      content.reason = reason
      try transaction.tell(.groupFailed, content, at: now)
    }
  }
}

extension MessengerError {
  static let groupFull = MessengerError(
    .groupFull, "a group has up to \(Groups.maxMembers) members: invite fewer people, or remove some first")
}
