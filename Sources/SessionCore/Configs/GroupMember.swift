internal import CSessionCore

/// A member of a group: who they are, and how far inviting, promoting or removing them has come.
public struct GroupMember: Hashable, Sendable, Identifiable {
  /// How far it has come, in one word.
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

  /// What happens to a member.
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
  /// The invitation shares the history of messages.
  public var isGivenHistory: Bool
  public let status: Status
  /// What is to happen when the member is stored, in order.
  var events: [Event] = []

  /// Tells what happened; ``status`` follows once the member is stored.
  public mutating func note(_ event: Event) { events.append(event) }
}

extension GroupMember {
  init(_ member: sc_group_member, status: sc_group_member_status) throws(SessionError) {
    id = SessionID(member.id)
    name = try member.name.shown()
    picture = ProfilePicture(member.picture)
    profileUpdatedAtSeconds = member.profile_updated
    isAdmin = member.admin
    isGivenHistory = member.supplement
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
