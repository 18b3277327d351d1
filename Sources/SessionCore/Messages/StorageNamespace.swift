/// Where in a swarm things are stored.
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
}
