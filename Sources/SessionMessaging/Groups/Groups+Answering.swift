import SessionBase
import SessionCore
import SessionJobs
import SessionStorage
import Synchronization

extension Groups {
  /// Joins a group that invited the account.
  func acceptInvitation(to group: SessionID) async throws {
    try await act { [self] in
      try author.editNow { configs, now in
        let entry = try requireInvitation(to: group, in: configs)
        try configs.acceptInvitation(to: group, at: now)
        return (isAdmin: entry.adminKey != nil, profile: try configs.ownProfile())
      } writing: { plan, transaction, now in
        let thread = try transaction.conversation(.group(group))
        try transaction.noteJoined(
          group, in: thread, asAdmin: plan.isAdmin, profile: plan.profile, at: now, context)
      }
    }
  }

  /// Declines an invitation on all our devices, and blocks its sender if so wished and known. The sender is not
  /// notified.
  func declineInvitation(to group: SessionID, blocking: Bool) async throws {
    try await act { [self] in
      let (hash, blocked) = try database.read { transaction -> (String?, Blocking?) in
        let invitation = try transaction.groupRecord(of: group)?.invitation
        guard blocking, let inviter = invitation?.inviter.flatMap({ SessionID($0) }) else {
          return (invitation?.hash, nil)
        }
        return (invitation?.hash, try transaction.blocking(of: inviter))
      }
      try author.editNow { configs, now in
        _ = try requireInvitation(to: group, in: configs)
        try configs.groups.remove(group)
        try configs.conversations.remove(.group(group))
        if let blocked { try configs.apply(blocked, at: now) }
      } writing: { _, transaction, _ in
        if let hash { try transaction.deleteInvitation(hash, context) }
      }
    }
  }

  private func requireInvitation(to group: SessionID, in configs: borrowing Configs) throws -> Group {
    guard let entry = try configs.groups[group] else {
      throw MessengerError(.noConversation, "no such group")
    }
    guard entry.membership.isInvited, entry.standing == .present else {
      throw MessengerError(.notAllowed, "there is no invitation to this group to answer")
    }
    return entry
  }
}

// MARK: - Invitations kept by earlier versions

/// An invitation that an earlier version verified and kept, because it could not handle it.
struct KeptInvitation: JobKind {
  static let kind = "groupInvitation"
  static let queue = Groups.queue

  let group: SessionID
  let sender: SessionID
  /// Milliseconds since 1970.
  let sentAt: Int64
  /// The content of the message, in base64.
  let message: String

  var uniqueKey: String? { "\(group) \(sentAt)" }
  var partition: String? { Groups.partition(of: group) }
}

extension Groups {
  func makeKeptInvitation() -> JobHandler {
    JobHandler(KeptInvitation.self) { [self] kept, context in
      // Another device may have joined, left or declined meanwhile.
      guard author.hasReadGroups.withLock({ $0 }) else {
        try await context.write { transaction in
          try transaction.add(.event(ConfigAuthor.groupsReadEvent), to: context.id)
        }
        throw JobDeferral(for: .zero)
      }
      let message = try Message(parsing: [UInt8](base64: kept.message.utf8))
      guard case .groupUpdate(let update) = message.content else { return .done }
      let invitation = GroupInvitation(
        update: update, sender: kept.sender,
        sentAt: try MessageTime(milliseconds: UInt64(clamping: kept.sentAt)))
      try await queue.run { [self] in
        try author.editNow { configs, now in
          var invitations = GroupInvitations()
          try invitations.take(invitation, under: "", into: &configs, self.context, at: now)
          return invitations
        } writing: { invitations, transaction, now in
          guard case .taken(let taken)? = invitations.verdicts[""] else { return }
          try transaction.insert(
            taken, of: invitation, hash: nil, profile: invitations.profile, at: now, self.context)
        }
      }
      return .done
    }
  }
}
