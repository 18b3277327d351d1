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
    let areAccounts = members.allSatisfy { $0.kind == .standard }
    try MessageRule.groupMembers.require(!members.isEmpty && areAccounts)
    self.kind = kind
    self.members = members
    self.isHistoryShared = isHistoryShared
  }
}

extension GroupMemberChange {
  /// What signatures name the change by.
  var number: UInt32 { type.rawValue }

  private var type: Sc__GroupUpdateMemberChangeMessage__Type {
    switch kind {
    case .added: SC__GROUP_UPDATE_MEMBER_CHANGE_MESSAGE__TYPE__ADDED
    case .removed: SC__GROUP_UPDATE_MEMBER_CHANGE_MESSAGE__TYPE__REMOVED
    case .promoted: SC__GROUP_UPDATE_MEMBER_CHANGE_MESSAGE__TYPE__PROMOTED
    }
  }

  init(_ fields: Sc__GroupUpdateMemberChangeMessage) throws(SessionError) {
    let kind: Kind =
      switch fields.type {
      case SC__GROUP_UPDATE_MEMBER_CHANGE_MESSAGE__TYPE__ADDED: .added
      case SC__GROUP_UPDATE_MEMBER_CHANGE_MESSAGE__TYPE__REMOVED: .removed
      default: .promoted
      }
    let members = try texts(fields.member_session_ids, count: fields.n_member_session_ids)
    try self.init(
      kind, members: members.accountIDs,
      isHistoryShared: fields.has_history_shared != 0 && fields.history_shared != 0)
  }

  func write(
    to arena: ContentArena, signature: [UInt8]
  ) -> UnsafeMutablePointer<Sc__GroupUpdateMemberChangeMessage> {
    let fields = arena.make(sc__group_update_member_change_message__init)
    fields.pointee.type = type
    fields.pointee.n_member_session_ids = members.count
    fields.pointee.member_session_ids = arena.list(members.map { arena.text($0.description) })
    fields.pointee.has_history_shared = isHistoryShared ? 1 : 0
    fields.pointee.history_shared = isHistoryShared ? 1 : 0
    fields.pointee.admin_signature = arena.data(signature)
    return fields
  }
}

extension [String] {
  /// Those of the texts that are account ids.
  var accountIDs: [SessionID] { compactMap { SessionID($0) }.filter { $0.kind == .standard } }
}
