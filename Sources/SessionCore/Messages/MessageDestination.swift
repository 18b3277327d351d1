internal import CSessionCore

/// Whom a message is encoded for.
public enum MessageDestination: Sendable {
  /// The swarm of an account.
  case contact(SessionID)
  /// The own swarm: a note to self, or the copy for the own devices.
  case ownDevices
  /// The swarm of a group, under the group's current key.
  case group(SessionID, key: SecretBytes)
  /// A community's room.
  case community
  /// The inbox of somebody with a blinded id, on the community server with this key.
  case inbox(SessionID, server: [UInt8])
}

extension MessageDestination {
  var place: sc_message_place {
    switch self {
    case .contact: SC_PLACE_CONTACT
    case .ownDevices: SC_PLACE_OWN_DEVICES
    case .group: SC_PLACE_GROUP
    case .community: SC_PLACE_COMMUNITY
    case .inbox: SC_PLACE_INBOX
    }
  }

  /// Throws unless it is named by ids and keys of the right form.
  func requireForm() throws(SessionError) {
    switch self {
    case .contact(let recipient): try recipient.require(.standard)
    case .group(let group, _): try group.require(.group)
    case .inbox(let recipient, let server):
      try recipient.require(.blinded15, .blinded25)
      guard server.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    case .ownDevices, .community: break
    }
  }
}
