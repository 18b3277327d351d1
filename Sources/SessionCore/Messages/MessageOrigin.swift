/// The source of bytes to decode, with the data needed to do so.
public enum MessageOrigin: Sendable {
  case ownSwarm
  /// The swarm of a group; the group's keys are tried in order.
  case group(SessionID, keys: [SecretBytes])
  /// A community's room: its server says who posted it, and when.
  case community(sender: SessionID, postedAt: MessageTime)
  /// The inbox or outbox of the community server with this key.
  case inbox(server: [UInt8], sender: SessionID, recipient: SessionID, postedAt: MessageTime)

  public var place: MessagePlace {
    switch self {
    case .ownSwarm: .contact
    case .group(let group, _): .group(group)
    case .community: .community
    case .inbox: .inbox
    }
  }

  /// When a community's server accepted it.
  var postedAt: MessageTime? {
    switch self {
    case .ownSwarm, .group: nil
    case .community(_, let postedAt), .inbox(_, _, _, let postedAt): postedAt
    }
  }
}
