/// The kind of a config. Configs of a swarm are stored and merged in this order: a group's keys come before the
/// configs they open.
public enum ConfigKind: Int, Sendable, CaseIterable, Comparable {
  case groupKeys
  case profile
  case contacts
  case userGroups
  case groupInfo
  case groupMembers
  case conversations
  /// Settings of this device, which are never stored in a swarm.
  case local

  /// The namespace for messages of this kind; nil if they are never stored in a swarm.
  public var namespace: StorageNamespace? {
    switch self {
    case .profile: .profile
    case .contacts: .contacts
    case .conversations: .conversations
    case .userGroups: .userGroups
    case .groupKeys: .groupKeys
    case .groupInfo: .groupInfo
    case .groupMembers: .groupMembers
    case .local: nil
    }
  }

  /// True for configs of groups, false for those of accounts.
  public var isOfGroup: Bool {
    switch self {
    case .groupKeys, .groupInfo, .groupMembers: true
    case .profile, .contacts, .conversations, .userGroups, .local: false
    }
  }

  public init?(_ namespace: StorageNamespace) {
    guard let kind = Self.allCases.first(where: { $0.namespace == namespace }) else { return nil }
    self = kind
  }

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
