import SessionBase
import SessionCore
import SessionStorage

// The limits of a group, and the checks before an action in it.

extension Groups {
  /// The number of members, including ourselves and without those being removed.
  static let maxMembers = 100

  /// Returns the key with which we administer a group. Throws the reason why we cannot.
  func requireAdmin(of group: SessionID, in configs: borrowing Configs) throws -> GroupAdminKey {
    let entry = try requireMember(of: group, in: configs)
    guard let key = entry.adminKey, configs.isOpen(group) else {
      throw MessengerError(.notAdmin, "only admins of the group can do this: ask one of them")
    }
    return key
  }

  /// Returns our entry of a group that we are in. Throws the reason if we are not, are leaving, or the group ended.
  func requireMember(of group: SessionID, in configs: borrowing Configs) throws -> Group {
    guard let entry = try configs.groups[group] else {
      guard !configs.unlisted.contains(group) else {
        throw MessengerError(.groupNotReady, "the group is still being created: try again in a moment")
      }
      throw MessengerError(.noGroup, "no such group")
    }
    guard !entry.membership.isInvited else {
      throw MessengerError(.notMember, "you are only invited to this group: accept the invitation first")
    }
    let isDestroyed =
      try entry.standing == .destroyed
      || (configs.isOpen(group)
        && configs.readGroup(group) { (group) throws(SessionError) in try group.getInfo().isDestroyed })
    guard !isDestroyed else {
      throw MessengerError(
        .groupDestroyed, "this group was deleted for everyone: delete its conversation")
    }
    guard entry.credentials(of: account) != nil else { throw MessengerError.notMember }
    let state = try database.read { transaction in
      try transaction.groupRecord(of: group)?.localState
    }
    guard [nil, GroupRecord.LocalState.none].contains(state) else {
      throw MessengerError(
        .notMember, "you are leaving this group: to return, ask an admin to invite you again")
    }
    return entry
  }

  /// Returns other people, each once, with what is known about them. Throws if one of them cannot be a member of a
  /// group, or is blocked.
  func requireOthers(_ people: [SessionID]) throws -> [GroupNewcomer] {
    var seen: Set<SessionID> = []
    let others = people.filter { seen.insert($0).inserted }
    for person in others {
      guard person.kind == .standard else {
        throw MessengerError(.invalidRecipient, "only accounts can be members of a group, not \(person)")
      }
      guard person != own else {
        throw MessengerError(.invalidRecipient, "you cannot invite yourself")
      }
    }
    return try database.read { transaction in
      try others.map { person in
        guard try transaction.contact(person.address)?.isBlocked != true else {
          throw MessengerError(.blocked, "\(person) is blocked: unblock them to invite them")
        }
        try ratchet.checkIdentity(of: person, shownAt: nil, in: transaction)
        return GroupNewcomer(id: person, profile: try transaction.profile(person.address))
      }
    }
  }
}

/// A person to be invited to a group.
struct GroupNewcomer: Sendable {
  let id: SessionID
  let profile: ProfileRecord?

  /// The person as a new member, or invited again.
  func join(_ member: inout GroupMember, sharingHistory: Bool) {
    if let profile { member.describe(as: profile) }
    member.isGivenHistory = sharingHistory
    member.note(.inviteNotSent)
  }
}

extension GroupMember {
  /// True while an admin is removing the member.
  var isBeingRemoved: Bool {
    switch status {
    case .removedUnknown, .removed, .removedWithMessages: true
    default: false
    }
  }

  /// True if the member was invited, and has not accepted yet.
  var isOnlyInvited: Bool {
    switch status {
    case .inviteUnknown, .inviteNotSent, .inviteSending, .inviteFailed, .inviteSent: true
    default: false
    }
  }

  /// True if the member was promoted, and has not accepted yet.
  var isBeingPromoted: Bool {
    switch status {
    case .promotionUnknown, .promotionNotSent, .promotionSending, .promotionFailed, .promotionSent: true
    default: false
    }
  }
}
