public import SessionCore

/// Something that is another now: how it is, or nil when it is gone.
public enum ConfigChange: Hashable, Sendable {
  case profile(Profile)
  case contact(SessionID, Contact?)
  /// Of somebody met in a community, by the url of its server.
  case blindedContact(SessionID, server: String, BlindedContact?)
  case readMark(ReadMark.Place, ReadMark?)
  case group(SessionID, Group?)
  case community(Community.Place, Community?)
  case legacyGroup(SessionID, LegacyGroup?)
  case groupInfo(SessionID, GroupInfo)
  case groupMember(SessionID, in: SessionID, GroupMember?)
  /// The group has other keys: what could not be opened may open now.
  case groupKeys(SessionID)
}

extension ConfigChange {
  /// True if the account may be in a group now in which it was not, or the other way round.
  var isOfMembership: Bool {
    guard case .group = self else { return false }
    return true
  }
}

/// What came of merging messages into one config.
public struct ConfigMerge: Sendable {
  public let effect: ConfigEffect
  /// Messages that were not understood, and why; they stay where they are stored.
  public let rejected: [Rejection]
  /// What is another now, in ascending order of where it stands.
  public let changes: [ConfigChange]
  /// True if an admin has to rekey the group, see ``GroupConfigs/rekey()``.
  public let needsRekey: Bool

  public struct Rejection: Sendable {
    public let hash: String
    public let error: SessionError
  }
}

extension [ConfigChange] {
  /// Adds what a record is now. One that cannot be shown is passed over, as it is in lists: other clients may write
  /// anything, and what came with it has to be told all the same.
  mutating func tell(_ change: () throws(SessionError) -> ConfigChange) {
    if let change = try? change() { append(change) }
  }
}
