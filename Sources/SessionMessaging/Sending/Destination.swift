import SessionCore
import SessionStorage

/// A place that messages go to, and everything that the place alone decides about them.
struct Destination: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    case person(SessionID)
    /// Notes to ourselves, and copies of what we send to people.
    case ownDevices
    case group(SessionID)
  }

  /// When a message is sealed.
  enum Sealing: Hashable, Sendable {
    /// When it is written: the key never changes.
    case atCommit
    /// When it is delivered: the key may have changed since it was written.
    case atDelivery
  }

  let place: Place
  /// The account or group whose swarm keeps the messages.
  let swarm: SessionID

  /// Throws `invalidRecipient` for a conversation that messages cannot be sent to.
  init(_ conversation: Conversation.ID, own: SessionID) throws(MessengerError) {
    switch conversation {
    case .person(let id):
      try id.requireRecipient()
      (place, swarm) = (id == own ? .ownDevices : .person(id), id)
    case .group(let id):
      guard id.kind == .group else {
        throw MessengerError(.invalidRecipient, "this is not the id of a group")
      }
      (place, swarm) = (.group(id), id)
    case .room: throw MessengerError(.invalidRecipient, "messages cannot be sent to rooms")
    }
  }
}

extension Destination {
  var conversation: Conversation.ID {
    switch place {
    case .person, .ownDevices: .person(swarm)
    case .group: .group(swarm)
    }
  }

  /// Deliveries of one partition keep their order.
  var partition: String { conversation.address }

  var namespace: StorageNamespace {
    switch place {
    case .person, .ownDevices: .messages
    case .group: .groupMessages
    }
  }

  var sealing: Sealing {
    switch place {
    case .person, .ownDevices: .atCommit
    case .group: .atDelivery
    }
  }

  /// True if our other devices are sent a copy. They read everything else themselves.
  var hasCopy: Bool {
    switch place {
    case .person: true
    case .ownDevices, .group: false
    }
  }

  /// True if we poll the swarm ourselves, so that our own messages come back from it.
  var isPolled: Bool {
    switch place {
    case .person: false
    case .ownDevices, .group: true
    }
  }

  /// True if readers learn our name and picture from the message.
  var showsProfile: Bool {
    switch place {
    case .person, .group: true
    case .ownDevices: false
    }
  }

  /// True for kinds of messages that may go there.
  func accepts(_ kind: MessageKind) -> Bool {
    let destinations = kind.traits.destinations
    return switch place {
    case .person: destinations.contains(.contact)
    case .ownDevices: destinations.contains(.noteToSelf)
    case .group: destinations.contains(.group)
    }
  }

  /// How long the swarm keeps a message.
  func lifetime(of kind: MessageKind, with timer: DisappearingTimer?) -> Duration {
    let traits = kind.traits
    let milliseconds =
      switch place {
      case .person: traits.timeToLive(with: timer, in: .contact)
      case .ownDevices: traits.timeToLive(with: timer, in: .contact, isNoteToSelf: true)
      case .group(let id): traits.timeToLive(with: timer, in: .group(id))
      }
    return .milliseconds(Int64(clamping: milliseconds))
  }

  /// The timer of a conversation as its messages carry it: only between two people may it wait for the reading.
  func timer(of expiry: ExpiryTimer) -> DisappearingTimer? {
    switch place {
    case .person: expiry.timer
    case .ownDevices, .group:
      expiry.timer.flatMap { timer in try? DisappearingTimer(.afterSend, seconds: timer.seconds) }
    }
  }
}

extension ThreadRecord {
  /// Where messages of the conversation go; nil if none can be sent there.
  func destination(own: SessionID) -> Destination? {
    Conversation.ID(address).flatMap { conversation in try? Destination(conversation, own: own) }
  }
}
