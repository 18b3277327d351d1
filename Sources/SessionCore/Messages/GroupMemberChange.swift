internal import CSessionCore

/// Tells the members who came, went or rose. It is to be shown; the group's config decides.
public struct GroupMemberChange: Hashable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case added, removed, promoted
  }

  public let kind: Kind
  public let members: [SessionID]
  /// True if new members can read what was written before.
  public let isHistoryShared: Bool

  public init(_ kind: Kind, members: [SessionID], isHistoryShared: Bool = false) throws(SessionError) {
    self.kind = kind
    self.members = members
    self.isHistoryShared = isHistoryShared
    try GroupUpdate.memberChange(self).check()
  }
}

extension GroupMemberChange {
  init(_ change: sc_group_member_change) {
    kind =
      switch change.what {
      case SC_GROUP_MEMBERS_ADDED: .added
      case SC_GROUP_MEMBERS_REMOVED: .removed
      default: .promoted
      }
    members = UnsafeBufferPointer(start: change.members, count: change.member_count).map { SessionID($0) }
    isHistoryShared = change.is_history_shared
  }

  func core(in arena: CoreArena) -> sc_group_member_change {
    let what =
      switch kind {
      case .added: SC_GROUP_MEMBERS_ADDED
      case .removed: SC_GROUP_MEMBERS_REMOVED
      case .promoted: SC_GROUP_MEMBERS_PROMOTED
      }
    return sc_group_member_change(
      what: what, members: arena.list(members.map(\.core)), member_count: members.count,
      is_history_shared: isHistoryShared)
  }
}
