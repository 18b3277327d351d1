internal import CSessionCore

/// Tells the members who was added, removed or promoted. For display only; the group's config decides.
public struct GroupMemberChange: Hashable, Sendable {
  public enum Kind: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_group_membership
    case added = 1
    case removed, promoted
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

  init(_ change: sc_group_member_change) {
    kind = Kind(change.what)
    members = UnsafeBufferPointer(start: change.members, count: change.member_count).map { SessionID($0) }
    isHistoryShared = change.is_history_shared
  }

  func core(in arena: CoreArena) -> sc_group_member_change {
    sc_group_member_change(
      what: kind.core, members: arena.list(members.map(\.core)), member_count: members.count,
      is_history_shared: isHistoryShared)
  }
}
