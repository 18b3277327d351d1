internal import CSessionCore

/// The recipient for which a message is encoded.
public enum MessageDestination: Sendable {
  case contact(SessionID)
  /// Our own swarm: a note to self, or a copy for our other devices.
  case ownDevices
  /// The swarm of a group, under the group's current key.
  case group(SessionID, key: SecretBytes)
  case community
  /// The inbox of a blinded id, on the community server with this key.
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

  /// Throws unless its ids and keys have the right form.
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
