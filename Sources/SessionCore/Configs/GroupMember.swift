internal import CSessionCore

/// A member of a group, with the progress of inviting, promoting or removing them.
public struct GroupMember: Hashable, Sendable, Identifiable {
  /// That progress.
  public enum Status: UInt32, Sendable, CaseIterable {
    case inviteUnknown
    case inviteNotSent
    case inviteSending
    case inviteFailed
    case inviteSent
    case inviteAccepted
    case promotionUnknown
    case promotionNotSent
    case promotionSending
    case promotionFailed
    case promotionSent
    case promotionAccepted
    case removedUnknown
    case removed
    case removedWithMessages
  }

  /// An event in a membership.
  public enum Event: UInt32, Sendable, CaseIterable {
    case inviteNotSent
    case inviteSent
    case inviteFailed
    case inviteAccepted
    case promotion
    case promotionNotSent
    case promotionSent
    case promotionFailed
    case promotionAccepted
    case removal
    case removalWithMessages
  }

  public let id: SessionID
  public var name: String
  public var picture: ProfilePicture?
  /// In seconds since 1970; 0 if unknown.
  public var profileUpdatedAtSeconds: Int64
  public let isAdmin: Bool
  /// True if the invitation shares the message history.
  public var isGivenHistory: Bool
  public let status: Status
  /// The events to apply when the member is stored, in order.
  var events: [Event] = []

  /// Records an event; ``status`` changes once the member is stored.
  public mutating func note(_ event: Event) { events.append(event) }
}

extension GroupMember: ConfigRecord {
  init(_ member: sc_group_member, of members: OpaquePointer) throws(SessionError) {
    id = SessionID(member.id)
    name = try member.name.shown()
    picture = ProfilePicture(member.picture)
    profileUpdatedAtSeconds = member.profile_updated
    isAdmin = member.admin
    isGivenHistory = member.supplement
    let status = withUnsafePointer(to: member) { sc_group_members_status(members, $0) }
    self.status = Status(rawValue: status.rawValue) ?? .inviteUnknown
  }

  func write(to member: inout sc_group_member, over old: GroupMember, arena: CoreArena) {
    store(name, over: old.name, in: &member.name) { arena.bytes($0.utf8) }
    store(picture, over: old.picture, in: &member.picture, as: arena.picture)
    member.profile_updated = profileUpdatedAtSeconds
    member.supplement = isGivenHistory
    for event in events { sc_group_member_apply(&member, sc_group_event(rawValue: event.rawValue)) }
  }
}

/// The members of a group in the core. Only admins, who hold the group's seed, can edit them.
package struct GroupMembersConfig: ~Copyable {
  package let handle: ConfigHandle

  package init(_ group: SessionID, adminSeed: SecretBytes?, dump: [UInt8]) throws(SessionError) {
    handle = try ConfigHandle(
      config: sc_group_members_config, free: sc_group_members_free, group: group, adminSeed: adminSeed,
      dump: dump, make: sc_group_members_new)
  }

  package var count: Int {
    get throws(SessionError) { try Records.count { sc_group_members_count(&$0, handle.object) } }
  }

  package subscript(id: SessionID) -> GroupMember? {
    get throws(SessionError) {
      let members = handle.object
      return try Records.one(
        get: { member in id.withCore { sc_group_members_get(member, members, $0) } },
        as: { (member) throws(SessionError) in try GroupMember(member, of: members) })
    }
  }

  /// All members, in ascending order of their ids, including those about to be removed.
  package func all() throws(SessionError) -> [GroupMember] {
    let members = handle.object
    return try Records.all(
      first: { sc_group_members_next($0, members, nil) },
      next: { member in
        var last = member.pointee.id
        return sc_group_members_next(member, members, &last)
      },
      as: { (member) throws(SessionError) in try GroupMember(member, of: members) })
  }

  /// Changes a member, or adds one.
  package func update(_ id: SessionID, _ change: (inout GroupMember) -> Void) throws(SessionError) {
    let members = handle.object
    try Records.update(
      get: { member in
        let status = id.withCore { sc_group_members_get(member, members, $0) }
        guard status == SC_ERR_NOT_FOUND else { return status }
        id.withCore { sc_group_member_init(member, $0) }
        return SC_OK
      }, set: { sc_group_members_set(members, $0) },
      as: { (member) throws(SessionError) in try GroupMember(member, of: members) }, change)
  }

  package func remove(_ id: SessionID) throws(SessionError) -> Bool {
    try Records.erase { erased in id.withCore { sc_group_members_erase(&erased, handle.object, $0) } }
  }
}
