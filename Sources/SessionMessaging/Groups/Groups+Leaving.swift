import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Groups {
  /// Leaves a group. Throws `lastAdmin` for its only admin, and `lastMember` for its only member, who can delete it for
  /// everyone instead. A group that is still being created is given up.
  func leave(_ group: SessionID) async throws {
    try await act { [self] in
      guard !isUnlisted(group) else { return try discard(group, because: "it was given up") }
      try author.editNow { configs, _ in
        guard try configs.groups[group]?.membership.isInvited != true else {
          throw MessengerError(
            .notMember, "you are only invited to this group: decline the invitation instead")
        }
        let entry = try requireMember(of: group, in: configs)
        guard entry.adminKey != nil, configs.isOpen(group) else { return }
        let members = try configs.readGroup(group) { (group) throws(SessionError) in try group.allMembers() }
        let hasOtherAdmin = members.contains { member in
          member.id != own && [.promotionAccepted, .promotionSent].contains(member.status)
        }
        guard hasOtherAdmin else {
          let isAlone = members.allSatisfy { $0.id == own || $0.isBeingRemoved }
          guard !isAlone else {
            throw MessengerError(.lastMember, "you are the only member: delete the group instead")
          }
          throw MessengerError(
            .lastAdmin,
            "you are the only admin: make somebody else an admin first, or delete the group for everyone")
        }
      } writing: { _, transaction, now in
        try transaction.beginEnd(of: group, .leaving, at: now, context)
        try transaction.enqueue(GroupLeaving(group: group), at: jobTime)
      }
    }
  }

  /// Deletes a group for all members. Only for admins.
  func deleteForEveryone(_ group: SessionID) async throws {
    try await act { [self] in
      guard !isUnlisted(group) else { return try discard(group, because: "it was given up") }
      try author.editNow { configs, _ in
        _ = try requireAdmin(of: group, in: configs)
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.updateInfo { $0.isDestroyed = true }
        }
      } writing: { _, transaction, now in
        try transaction.beginEnd(of: group, .destroying, at: now, context)
        try transaction.enqueue(
          GroupDestroying(group: group), .after(.event(ConfigAuthor.syncEvent(of: group))), at: jobTime)
      }
    }
  }

  private func isUnlisted(_ group: SessionID) -> Bool {
    author.configs.read { configs in configs.unlisted.contains(group) }
  }
}

/// Tells the members of a group that we leave, and leaves it.
struct GroupLeaving: JobKind {
  static let kind = "groupLeaving"
  static let queue = Groups.queue
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.network, .accountActive]
  static let lifetime: Duration? = .seconds(24 * 3600)

  let group: SessionID

  var uniqueKey: String? { group.address }
  var partition: String? { Groups.partition(of: group) }
}

/// Leaves a group that is deleted for everyone, once that is stored.
struct GroupDestroying: JobKind {
  static let kind = "groupDestroying"
  static let queue = Groups.queue
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.network, .accountActive]

  let group: SessionID

  var uniqueKey: String? { group.address }
  var partition: String? { Groups.partition(of: group) }
}

extension Groups {
  func makeLeaving() -> JobHandler {
    JobHandler(GroupLeaving.self) { [self] leaving, end, transaction in
      try transaction.endLeaving(leaving.group, because: end.reason, at: time(), context)
    } run: { [self] leaving, context in
      if let farewell = try await farewell(to: leaving.group, context) {
        do throws(NetworkFailure) {
          try await environment.swarms.perform(
            farewell.items.map(SwarmStep.store), in: leaving.group, as: farewell.signer
          ).check()
        } catch {
          // A swarm that does not let us in has no use for the message. One node may lie.
          guard error.kind == .unauthorized else { throw error }
          guard try await context.wasRefusedBefore("access", by: error.node) else {
            throw JobFailure(.retry(), error.message)
          }
        }
      }
      try await queue.run { [self] in try forget(leaving.group) }
      return .done
    }
  }

  func makeDestroying() -> JobHandler {
    JobHandler(GroupDestroying.self) { [self] destroying, _ in
      let group = destroying.group
      if let signer = try await author.currentCredentials(for: group)?.signer {
        // The messages expire anyway.
        _ = try? await environment.swarms.perform([.deleteAll(.groupMessages)], in: group, as: signer)
      }
      try await queue.run { [self] in try forget(group) }
      return .done
    }
  }

  private struct Farewell: Sendable {
    let items: [SwarmItem]
    let signer: Storage.Signer
  }

  /// The messages for those who stay; nil if there is no way to tell them.
  private func farewell(to group: SessionID, _ context: JobContext) async throws -> Farewell? {
    let (signer, key, profile) = try await queue.run { [self] in
      (
        try author.credentials(for: group)?.signer,
        try author.openingKeys(of: group).first,
        try author.configs.read { configs in try configs.ownProfile() }
      )
    }
    guard let signer, let key else { return nil }
    let now = try time()
    let destination = try Destination(.group(group), own: own)
    let items = try await context.write { [account] transaction in
      if let sealed = try transaction.effect("sealed", of: context.id)?.result {
        return try JobPayload.decode([SealedItem].self, from: sealed).map { try $0.item() }
      }
      let timer = try transaction.conversation(.group(group)).expiry.timer
      // Messages are known by their author and time.
      let later = try MessageTime(milliseconds: now.milliseconds + 1)
      let messages = [
        try Message(.groupUpdate(GroupUpdateMessage(.memberLeft, profile: profile)), sentAt: now),
        try Message(
          .groupUpdate(GroupUpdateMessage(.memberLeftNotification, profile: profile)), sentAt: later,
          disappearing: timer),
      ]
      let items = try messages.map { message in
        SwarmItem(
          try account.encode(message, for: .group(group, key: key)), in: .groupMessages,
          for: destination.lifetime(of: message.content.kind, with: message.disappearing))
      }
      try transaction.putEffect(
        "sealed", of: context.id, isDone: true, result: JobPayload.encode(items.map(SealedItem.init)))
      return items
    }
    return Farewell(items: items, signer: signer)
  }

  /// Takes a group out of the configs, and everything of it off this device.
  private func forget(_ group: SessionID) throws {
    try author.editNow { configs, _ in
      try configs.groups.remove(group)
      try configs.conversations.remove(.group(group))
    } writing: { _, transaction, now in
      // Already done if the configs had an entry.
      try ConfigProjection(context: context, now: now).removeGroup(group, in: transaction)
      try transaction.requestFileSweep(at: jobTime)
    }
  }
}

extension WriteTransaction {
  /// Marks a group as being left or deleted, and cancels what was still to be sent there.
  fileprivate func beginEnd(
    of group: SessionID, _ state: GroupRecord.LocalState, at now: MessageTime, _ context: AccountContext
  ) throws {
    let thread = try conversation(.group(group))
    guard var record = try self.group(thread.id) else { return }
    record.localState = state
    try put(record)
    for message in try messagesWorkedOn(in: thread.id) where message.state == .sending {
      try cancelDeliveries(of: message, at: context.jobTime)
      var message = message
      (message.state, message.failure) = (.failed, "the group was left")
      try update(message)
      try tell(.messageFailed, message, at: now)
    }
    try insertOwnNote(.leaving(isDeleting: state == .destroying), in: thread, at: now, context)
    try tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
  }

  /// Returns to a group that could not be left.
  fileprivate func endLeaving(
    _ group: SessionID, because reason: String, at now: MessageTime, _ context: AccountContext
  ) throws {
    guard let thread = try thread(at: group.address), var record = try self.group(thread.id),
      record.localState == .leaving
    else { return }
    record.localState = .none
    try put(record)
    let leaving = MessageView.Note.leaving(isDeleting: false)
    for note in try notes(leaving.kind, in: thread.id) {
      var note = note
      let failed = MessageView.Note.leavingFailed(reason: reason)
      (note.kind, note.info) = (failed.kind, failed.info)
      try update(note)
      try tell(.messageChanged, note, at: now)
    }
    try tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
  }
}
