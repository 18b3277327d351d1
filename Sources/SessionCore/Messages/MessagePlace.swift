internal import CSessionCore

/// The place where a message was found, or is sent.
public enum MessagePlace: Hashable, Sendable {
  /// In our own swarm, from a contact or another own device.
  case contact
  case group(SessionID)
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

  var core: sc_message_place {
    switch self {
    case .contact: SC_PLACE_CONTACT
    case .group: SC_PLACE_GROUP
    case .community: SC_PLACE_COMMUNITY
    case .inbox: SC_PLACE_INBOX
    }
  }
}
