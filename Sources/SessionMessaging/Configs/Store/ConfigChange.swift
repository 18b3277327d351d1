public import SessionCore

/// A changed record: its new value, or nil if it was deleted.
public enum ConfigChange: Hashable, Sendable {
  case profile(Profile)
  case contact(SessionID, Contact?)
  /// The conversation with a contact was hidden, or their request declined. It comes before the change of the contact.
  case hiding(SessionID)
  /// A person met in a community, with the URL of its server.
  case blindedContact(SessionID, server: String, BlindedContact?)
  case readMark(ReadMark.Place, ReadMark?)
  case group(SessionID, Group?)
  case community(Community.Place, Community?)
  case legacyGroup(SessionID, LegacyGroup?)
  case groupInfo(SessionID, GroupInfo)
  case groupMember(SessionID, in: SessionID, GroupMember?)
  /// The group's keys changed: messages that could not be opened may open now.
  case groupKeys(SessionID)
}

extension ConfigChange {
  /// True if the account may have joined or left a group.
  var isOfMembership: Bool {
    guard case .group = self else { return false }
    return true
  }

  /// True if other groups or servers may have to be polled.
  var affectsFeeds: Bool {
    if case .community = self { true } else { isOfMembership }
  }
}

/// The result of merging messages into one config.
public struct ConfigMerge: Sendable {
  public let effect: ConfigEffect
  /// Messages that could not be read, with the reason. They stay in the swarm.
  public let rejected: [Rejection]
  /// The changes, in ascending order of their paths.
  public let changes: [ConfigChange]
  /// True if an admin has to rekey the group, see ``GroupConfigs/rekey()``.
  public let needsRekey: Bool
  /// True if the changes are those of one message, and thus as old as that.
  var isOneRevision = false

  public struct Rejection: Sendable {
    public let hash: String
    public let error: SessionError
  }
}

extension [ConfigChange] {
  /// Adds a changed record, or skips one that cannot be shown, as lists do: other clients may write anything, and the
  /// remaining changes must still be reported.
  mutating func tell(_ change: () throws(SessionError) -> ConfigChange) {
    if let change = try? change() { append(change) }
  }
}
