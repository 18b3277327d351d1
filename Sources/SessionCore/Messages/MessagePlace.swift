/// Where a message was found, or goes.
public enum MessagePlace: Hashable, Sendable {
  /// In the own swarm, from a contact or another own device.
  case contact
  /// In the swarm of a group.
  case group(SessionID)
  /// In a community's room.
  case community
  /// In the inbox or outbox of a community.
  case inbox

  /// The namespace of the swarm; communities have none.
  public var namespace: StorageNamespace? {
    switch self {
    case .contact: .messages
    case .group: .groupMessages
    case .community, .inbox: nil
    }
  }
}
