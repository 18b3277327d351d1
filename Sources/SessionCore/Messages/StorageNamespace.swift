/// A namespace in a swarm.
public struct StorageNamespace: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int16

  public init(rawValue: Int16) {
    self.rawValue = rawValue
  }

  /// Messages to an account.
  public static let messages = Self(rawValue: 0)
  /// Messages in a group.
  public static let groupMessages = Self(rawValue: 11)
  /// Notices to members who were removed; they can still read them.
  public static let groupRemovals = Self(rawValue: -11)
  /// Configs shared by an account's devices, see ``ConfigKind``.
  public static let profile = Self(rawValue: 2)
  public static let contacts = Self(rawValue: 3)
  public static let conversations = Self(rawValue: 4)
  public static let userGroups = Self(rawValue: 5)
  /// Configs shared by a group's members.
  public static let groupKeys = Self(rawValue: 12)
  public static let groupInfo = Self(rawValue: 13)
  public static let groupMembers = Self(rawValue: 14)

  /// Bundles of prekeys, one for each device of an account. Anyone reads them, and each holds one message.
  public static let bundles = (0..<8).map { slot in Self(rawValue: Int16(-24041 - 20 * slot)) }
}
