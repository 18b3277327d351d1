internal import CSessionCore

/// What an account keeps of a group, community or legacy group it is in.
public struct Membership: Hashable, Sendable {
  public var notifying: Notifying
  /// In seconds since 1970; 0 for none, as the following.
  public var mutedUntilSeconds: Int64
  public var joinedAtSeconds: Int64
  public var priority: Priority
  /// And not accepted yet.
  public var isInvited: Bool

  init(_ membership: sc_membership) {
    notifying = Notifying(membership.notify)
    mutedUntilSeconds = membership.mute_until_s
    joinedAtSeconds = membership.joined_s
    priority = Priority(membership.priority)
    isInvited = membership.invited
  }

  var core: sc_membership {
    sc_membership(
      notify: notifying.core, mute_until_s: mutedUntilSeconds, joined_s: joinedAtSeconds,
      priority: priority.number, invited: isInvited)
  }
}

/// A group an account is in, or was.
///
/// What its members keep in step is in ``GroupConfigs``.
public struct Group: Hashable, Sendable, Identifiable {
  public enum Standing: Hashable, Sendable {
    case present
    /// The account was removed from it.
    case kicked
    case destroyed
    /// What newer clients say.
    case other(Int32)
  }

  public let id: SessionID
  public var membership: Membership
  /// As it was when the account joined, to be shown while nothing better is known.
  public var name: String
  /// The seed of the group's key, 32 bytes, which makes the account an admin.
  public var adminSeed: SecretBytes?
  /// What a member reaches the group's swarm with, 100 bytes.
  public var access: SecretBytes?
  public private(set) var standing: Standing

  public var isAdmin: Bool { adminSeed != nil }
  /// True if the account takes part in it.
  public var isJoined: Bool { !membership.isInvited && standing != .kicked && standing != .destroyed }

  /// The account was removed: it has no more secrets of the group.
  public mutating func markKicked() {
    forgetSecrets()
    if standing != .destroyed { standing = .kicked }
  }

  /// Who was removed and is invited again is in again.
  public mutating func markInvited() {
    if standing == .kicked { standing = .present }
  }

  /// The group is no more.
  public mutating func markDestroyed() {
    forgetSecrets()
    standing = .destroyed
  }

  private mutating func forgetSecrets() {
    adminSeed = nil
    access = nil
  }
}

extension Group {
  init(_ group: sc_user_group) throws(SessionError) {
    id = SessionID(group.id)
    membership = Membership(group.membership)
    name = try group.name.shown()
    adminSeed = try group.seed.secret()
    access = try group.access.secret()
    standing = Standing(group.standing)
  }

  func write(to group: inout sc_user_group, over old: Group, arena: CoreArena) {
    group.membership = membership.core
    store(name, over: old.name, in: &group.name) { arena.bytes($0.utf8) }
    store(adminSeed, over: old.adminSeed, in: &group.seed, as: arena.bytes)
    store(access, over: old.access, in: &group.access, as: arena.bytes)
    group.standing = standing.number
  }
}

extension Group.Standing {
  init(_ number: Int32) {
    self =
      switch number {
      case Int32(SC_GROUP_PRESENT.rawValue): .present
      case Int32(SC_GROUP_KICKED.rawValue): .kicked
      case Int32(SC_GROUP_DESTROYED.rawValue): .destroyed
      default: .other(number)
      }
  }

  var number: Int32 {
    switch self {
    case .present: Int32(SC_GROUP_PRESENT.rawValue)
    case .kicked: Int32(SC_GROUP_KICKED.rawValue)
    case .destroyed: Int32(SC_GROUP_DESTROYED.rawValue)
    case .other(let number): number
    }
  }
}
