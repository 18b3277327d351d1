public import SessionCore
import SessionStorage

/// A group.
public struct GroupView: Hashable, Sendable, Identifiable {
  /// The state of the account in the group.
  public enum Standing: Hashable, Sendable {
    case creating
    case invited
    case joined
    case leaving
    case destroying
    /// The account was removed.
    case kicked
    /// The group was deleted for everybody.
    case destroyed
  }

  public let id: Conversation.ID
  public let standing: Standing
  /// True if this device has no key of the group: an admin has to come online.
  public let isExpired: Bool
  /// True if the swarm of the group does not let us in at the moment.
  public let hasLostAccess: Bool
  public let isAdmin: Bool
  public let name: String
  public let description: String
  /// How long messages are kept, in seconds; 0 for no limit.
  public let timerSeconds: Int64
  public let memberCount: Int
  public let inviter: SessionID?
  /// Milliseconds since 1970; 0 if unknown.
  public let createdAt: Int64
  public let joinedAt: Int64
}

/// A member of a group.
public struct GroupMemberView: Hashable, Sendable, Identifiable {
  public let id: SessionID
  /// Their nickname or name, or the beginning and end of their id.
  public let name: String
  public let isAdmin: Bool
  /// How far inviting, promoting or removing them has come.
  public let status: GroupMember.Status
  /// True if their invitation shares older messages.
  public let isGivenHistory: Bool
}

extension ConversationList {
  func group(_ id: Conversation.ID) async throws -> GroupView? {
    try await database.read { [self] transaction in
      guard let thread = try transaction.thread(at: id.address) else { return nil }
      return try view(ofGroup: thread, in: transaction)
    }
  }

  func groups() async throws -> [GroupView] {
    try await database.read { [self] transaction in
      let threads = try transaction.threads(areVisible: true) + transaction.threads(areVisible: false)
      return try threads.compactMap { thread in try view(ofGroup: thread, in: transaction) }
    }
  }

  /// Nil for other conversations.
  private func view(
    ofGroup thread: ThreadRecord, in transaction: borrowing ReadTransaction
  ) throws -> GroupView? {
    guard thread.kind == .group, let id = Conversation.ID(thread.address), case .group = id,
      let group = try transaction.group(thread.id)
    else { return nil }
    let members = try transaction.members(of: thread.id)
    return GroupView(
      id: id, standing: group.standing, isExpired: group.isExpired,
      hasLostAccess: group.accessLostAt != nil,
      isAdmin: members.contains { $0.member == own.address && $0.isAdmin }, name: group.name,
      description: group.description ?? "", timerSeconds: thread.expiry.seconds, memberCount: members.count,
      inviter: group.invitation.inviter.flatMap { SessionID($0) }, createdAt: group.formedAt,
      joinedAt: group.joinedAt)
  }

  /// The members of a group, admins first, then by name.
  func members(of id: Conversation.ID) async throws -> [GroupMemberView] {
    try await database.read { transaction in
      let thread = try transaction.conversation(id)
      let views = try transaction.members(of: thread.id).compactMap { record -> GroupMemberView? in
        guard let member = SessionID(record.member) else { return nil }
        let status = UInt32(exactly: record.status).flatMap(GroupMember.Status.init)
        return GroupMemberView(
          id: member, name: try transaction.profile(record.member)?.shownName ?? member.short,
          isAdmin: record.isAdmin, status: status ?? .inviteUnknown, isGivenHistory: record.isGivenHistory)
      }
      return views.sorted { a, b in
        (a.isAdmin ? 0 : 1, a.name, a.id.description) < (b.isAdmin ? 0 : 1, b.name, b.id.description)
      }
    }
  }
}

extension ConversationList {
  /// The names of the members of a group or room, and of others whose messages are in it. In a room a contact has the name
  /// that it has elsewhere.
  func names(in id: Conversation.ID) async throws -> [SessionID: String] {
    try await database.read { transaction in
      var server: [UInt8]?
      if case .room(let room) = id { server = try transaction.communityServer(room.server)?.publicKey }
      let thread = try transaction.conversation(id)
      let people = try transaction.members(of: thread.id).map(\.member) + transaction.authors(in: thread.id)
      var names: [SessionID: String] = [:]
      for person in people {
        guard let id = SessionID(person) else { continue }
        if let server, let account = try? id.account(on: server),
          let contact = try transaction.contact(account.address), contact.isApproved, contact.didApproveMe,
          let name = try transaction.profile(account.address)?.shownName
        {
          names[id] = name
        } else {
          names[id] = try transaction.profile(person)?.shownName
        }
      }
      return names
    }
  }
}

extension GroupRecord {
  fileprivate var standing: GroupView.Standing {
    switch localState {
    case .creating: return .creating
    case .leaving: return .leaving
    case .destroying: return .destroying
    case .none: break
    }
    if isDestroyed { return .destroyed }
    if isKicked { return .kicked }
    return isInvited ? .invited : .joined
  }
}
