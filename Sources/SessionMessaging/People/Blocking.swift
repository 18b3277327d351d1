import SessionCore
import SessionStorage

/// A person whom the user blocks or unblocks, with what is known about them.
struct Blocking: Sendable {
  let person: SessionID
  let isBlocked: Bool
  fileprivate let contact: ContactRecord?
  /// The groups to which they have invited us, to be declined.
  fileprivate let invitations: [SessionID]
}

extension Configs {
  /// Blocks a person, and declines their invitations to groups; or unblocks them.
  mutating func apply(_ blocking: Blocking, at now: MessageTime) throws {
    for group in blocking.invitations where try groups[group]?.membership.isInvited == true {
      try groups.remove(group)
      try conversations.remove(.group(group))
    }
    try contacts.update(blocking.person) { entry in
      entry.isBlocked = blocking.isBlocked
      if entry.createdAtSeconds == 0 { entry.createdAtSeconds = Int64(now.seconds) }
      if blocking.contact?.didApproveMe == true { entry.hasApprovedMe = true }
      // A request that was not accepted leaves the list of requests when blocked, and returns when unblocked.
      if blocking.contact?.isApproved != true { entry.priority = blocking.isBlocked ? .hidden : .normal }
    }
  }
}

private enum BlockingStatements {
  static let invitations: SQL = """
    SELECT t.address FROM closedGroup g JOIN thread t ON t.id = g.threadID WHERE g.inviter = ? AND g.isInvited = 1
    """
}

extension Reading where Self: ~Copyable {
  func blocking(of person: SessionID, isBlocked: Bool = true) throws -> Blocking {
    let invitations: [String] =
      isBlocked ? try values(BlockingStatements.invitations, person.address) : []
    return Blocking(
      person: person, isBlocked: isBlocked, contact: try contact(person.address),
      invitations: invitations.compactMap { SessionID($0) })
  }
}
