import SessionCore
import SessionStorage

/// The destination of messages, and everything that depends only on it.
struct Destination: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    case person(SessionID)
    /// Note to Self, and copies of messages to people.
    case ownDevices
    case group(SessionID)
    /// A room of a community, whose server keeps the messages.
    case room(Community.Place)
    /// Somebody of whom only the id in a community is known, whose server brings the messages.
    case blinded(SessionID)
  }

  /// When a message is sealed.
  enum Sealing: Hashable, Sendable {
    /// When it is written: the key never changes.
    case atCommit
    /// When it is delivered: the key may have changed since it was written.
    case atDelivery
  }

  let place: Place
  /// The account or group whose swarm keeps the messages; our own account if a community's server keeps them.
  let swarm: SessionID

  /// Throws `invalidRecipient` for a conversation that messages cannot be sent to.
  init(_ conversation: Conversation.ID, own: SessionID) throws(MessengerError) {
    switch conversation {
    case .person(let id) where id.isBlinded: (place, swarm) = (.blinded(id), own)
    case .person(let id):
      try id.requireRecipient()
      (place, swarm) = (id == own ? .ownDevices : .person(id), id)
    case .group(let id):
      guard id.kind == .group else {
        throw MessengerError(.invalidRecipient, "this is not a group id")
      }
      (place, swarm) = (.group(id), id)
    case .room(let room): (place, swarm) = (.room(room), own)
    }
  }
}

extension Destination {
  var conversation: Conversation.ID {
    switch place {
    case .person, .ownDevices: .person(swarm)
    case .group: .group(swarm)
    case .room(let room): .room(room)
    case .blinded(let id): .person(id)
    }
  }

  /// Deliveries of one partition keep their order.
  var partition: String { conversation.address }

  var sealing: Sealing {
    switch place {
    case .person, .ownDevices: .atCommit
    case .group, .room, .blinded: .atDelivery
    }
  }

  /// True if our other devices get a copy. Otherwise they read the message themselves.
  var hasCopy: Bool {
    switch place {
    case .person: true
    case .ownDevices, .group, .room, .blinded: false
    }
  }

  /// True if files can go there: both sides need a server that they share.
  var takesFiles: Bool {
    switch place {
    case .person, .ownDevices, .group, .room: true
    case .blinded: false
    }
  }

  /// True if we poll the swarm or server, so that our own messages come back from it.
  var isPolled: Bool {
    switch place {
    case .person: false
    case .ownDevices, .group, .room, .blinded: true
    }
  }

  /// True if messages carry our name and picture.
  var showsProfile: Bool {
    switch place {
    case .person, .group, .room, .blinded: true
    case .ownDevices: false
    }
  }

  /// True for kinds of messages that can be sent there.
  func accepts(_ kind: MessageKind) -> Bool {
    let destinations = kind.traits.destinations
    return switch place {
    case .person: destinations.contains(.contact)
    case .ownDevices: destinations.contains(.noteToSelf)
    case .group: destinations.contains(.group)
    // Reactions, edits and deletions are calls of the server.
    case .room, .blinded: kind == .visible
    }
  }

  /// How long the swarm keeps a message; a server decides that itself.
  func lifetime(of kind: MessageKind, with timer: DisappearingTimer?) -> Duration {
    let traits = kind.traits
    let milliseconds =
      switch place {
      case .person: traits.timeToLive(with: timer, in: .contact)
      case .ownDevices: traits.timeToLive(with: timer, in: .contact, isNoteToSelf: true)
      case .group(let id): traits.timeToLive(with: timer, in: .group(id))
      case .room: traits.timeToLive(with: nil, in: .community)
      case .blinded: traits.timeToLive(with: nil, in: .inbox)
      }
    return .milliseconds(Int64(clamping: milliseconds))
  }

  /// The timer of a conversation as its messages carry it. Only between two people may it start on reading.
  func timer(of expiry: ExpiryTimer) -> DisappearingTimer? {
    switch place {
    case .person: expiry.timer
    case .ownDevices, .group:
      expiry.timer.flatMap { timer in try? DisappearingTimer(.afterSend, seconds: timer.seconds) }
    case .room, .blinded: nil
    }
  }
}

extension ThreadRecord {
  /// The destination of the conversation's messages; nil if none can be sent.
  func destination(own: SessionID) -> Destination? {
    Conversation.ID(address).flatMap { conversation in try? Destination(conversation, own: own) }
  }
}
