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
  /// Throws unless such a message goes there, and it is named by ids and keys of the right form.
  func require(_ content: MessageContent) throws(SessionError) {
    let traits = content.kind.traits
    if case .ownDevices = self {} else { try MessageRule.syncDestination.require(content.syncTarget == nil) }
    switch self {
    case .contact(let recipient):
      try MessageRule.destination.require(traits.destinations.contains(.contact))
      try recipient.require(.standard)
    case .ownDevices:
      try MessageRule.destination.require(traits.destinations.contains(.noteToSelf) || traits.isSynced)
    case .group(let group, _):
      try MessageRule.destination.require(traits.destinations.contains(.group))
      try group.require(.group)
    case .community:
      try MessageRule.destination.require(traits.destinations.contains(.community))
    case .inbox(let recipient, let server):
      try MessageRule.destination.require(traits.destinations.contains(.inbox))
      try recipient.require(.blinded15, .blinded25)
      guard server.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    }
  }
}
