/// Something that a merge made another: how it is now, or nil when it is gone.
public enum ConfigChange: Hashable, Sendable {
  case profile(Profile)
  case contact(SessionID, Contact?)
  /// Of somebody met in a community, by the url of its server.
  case blindedContact(SessionID, server: String, BlindedContact?)
  case conversation(Conversation.Place, Conversation?)
  case group(SessionID, Group?)
  case community(Community.Place, Community?)
  case legacyGroup(SessionID, LegacyGroup?)
  case groupInfo(SessionID, GroupInfo)
  case groupMember(SessionID, in: SessionID, GroupMember?)
  /// The group has other keys: what could not be opened may open now.
  case groupKeys(SessionID)
}
