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

extension [ConfigChange] {
  /// Adds what a record is now. One that cannot be shown is passed over, as it is in lists: other clients may write
  /// anything, and what came with it has to be told all the same.
  mutating func tell(_ change: () throws(SessionError) -> ConfigChange) {
    if let change = try? change() { append(change) }
  }
}
