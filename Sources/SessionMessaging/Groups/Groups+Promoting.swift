import SessionCore
import SessionJobs
import SessionStorage

extension Groups {
  /// Makes members admins, or offers that again to those who have not accepted yet. This cannot be undone: they get the
  /// key of the group.
  func promote(_ people: [SessionID], in group: SessionID) async throws {
    guard !people.isEmpty else { return }
    try await act { [self] in
      let people = Array(Set(people)).sorted()
      try author.editNow { configs, _ in
        let key = try requireAdmin(of: group, in: configs)
        try database.read { transaction in
          for person in people { try ratchet.checkIdentity(of: person, shownAt: nil, in: transaction) }
        }
        // Acceptances are written into the configs a little later.
        let accepted = try database.read { transaction in try transaction.acceptances(in: group) }
        let members = try requireMembers(people, of: group, in: configs)
        for member in members {
          guard member.status != .promotionAccepted else {
            throw MessengerError(.isAdmin, "\(member.id) is already an admin of this group")
          }
          guard !member.isOnlyInvited || accepted.contains(member.id) else {
            throw MessengerError(
              .notAllowed, "\(member.id) has not accepted the invitation yet: only members can become admins")
          }
        }
        try configs.withGroup(group) { (group) throws(SessionError) in
          for member in members {
            try group.updateMember(member.id) { member in
              if member.isOnlyInvited { member.note(.inviteAccepted) }
              member.note(.promotion)
            }
          }
        }
        return (
          key: key, profile: try configs.ownProfile(), new: members.filter { !$0.isAdmin }.map(\.id),
          again: members.filter(\.isAdmin).map(\.id)
        )
      } writing: { plan, transaction, now in
        let thread = try transaction.conversation(.group(group))
        for person in plan.new + plan.again {
          try transaction.request(afterSync: GroupPromoting(group: group, person: person), at: jobTime)
        }
        if !plan.new.isEmpty {
          try transaction.announce(
            .promoted, of: plan.new, in: thread, with: plan.key, profile: plan.profile, at: now, context)
        }
        try author.requestSync(of: group, in: transaction)
      }
    }
  }

  /// Returns members of a group. Throws for people who are none, or are being removed.
  func requireMembers(
    _ people: [SessionID], of group: SessionID, in configs: borrowing Configs
  ) throws -> [GroupMember] {
    try people.map { person in
      let member = try configs.readGroup(group) { (group) throws(SessionError) in try group.member(person) }
      guard let member else {
        throw MessengerError(.notMember, "\(person) is not a member of this group: invite them first")
      }
      guard !member.isBeingRemoved else { throw MessengerError.removalPending(person) }
      return member
    }
  }
}
