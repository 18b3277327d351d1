internal import CSessionCore

/// The settings for a group, community or legacy group that the account is in.
public struct Membership: Hashable, Sendable {
  public var notifying: Notifying
  /// In seconds since 1970; 0 if not set. The same holds for the next property.
  public var mutedUntilSeconds: Int64
  public var joinedAtSeconds: Int64
  public var priority: Priority
  /// True if an invitation was not accepted yet.
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

/// A group that an account is or was in.
///
/// The configs shared by its members are in ``GroupConfigs``.
public struct Group: Hashable, Sendable, Identifiable {
  public enum Standing: Hashable, Sendable {
    case present
    /// The account was removed from it.
    case kicked
    case destroyed
    /// A value from a newer client.
    case other(Int32)
  }

  public let id: SessionID
  public var membership: Membership
  /// The name when the account joined, shown until a newer one is known.
  public var name: String
  /// The seed of the group's key, 32 bytes, which makes the account an admin.
  public var adminSeed: SecretBytes?
  /// A member's credentials for the group's swarm, 100 bytes.
  public var access: SecretBytes?
  public private(set) var standing: Standing

  public var isAdmin: Bool { adminSeed != nil }
  /// True if the account is a member.
  public var isJoined: Bool { !membership.isInvited && standing != .kicked && standing != .destroyed }

  /// Marks the account as removed and deletes the group's secrets.
  public mutating func markKicked() {
    forgetSecrets()
    if standing != .destroyed { standing = .kicked }
  }

  /// Clears the mark of a removal after a new invitation.
  public mutating func markInvited() {
    if standing == .kicked { standing = .present }
  }

  /// Marks the group as destroyed and deletes its secrets.
  public mutating func markDestroyed() {
    forgetSecrets()
    standing = .destroyed
  }

  private mutating func forgetSecrets() {
    adminSeed = nil
    access = nil
  }
}

extension Group: ConfigRecord {
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
