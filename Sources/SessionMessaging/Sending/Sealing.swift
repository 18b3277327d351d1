import SessionCore
import SessionNetworking
import SessionStorage

/// A message sealed for all of its recipients.
struct SealedMessage: Sendable {
  /// For the recipient's swarm, or our own for Note to Self.
  let item: SwarmItem
  /// For our other devices; nil if they need none, or the same item.
  let copy: SwarmItem?
  /// The hash of our own swarm's copy, if there is one.
  let ownHash: String?
}

extension Outbox {
  /// Seals a message for a person, or for ourselves.
  func seal(_ message: Message, for recipient: SessionID) throws -> SealedMessage {
    let destination = try Destination(.person(recipient), own: own)
    let lifetime = destination.lifetime(of: message.content.kind, with: message.disappearing)
    guard destination.hasCopy else {
      let item = SwarmItem(
        try account.encode(message, for: .ownDevices), in: .messages, for: lifetime)
      return SealedMessage(item: item, copy: nil, ownHash: item.hash(in: own))
    }
    let item = SwarmItem(
      try account.encode(message, for: .contact(recipient)), in: .messages, for: lifetime)
    let copy = try message.copy(forOwnDevicesIn: recipient).map { copy in
      SwarmItem(try account.encode(copy, for: .ownDevices), for: lifetime)
    }
    return SealedMessage(item: item, copy: copy, ownHash: copy?.hash(in: own))
  }
}

extension Configs {
  /// Our profile as sent with messages.
  func ownProfile() throws -> MessageProfile? {
    let profile = try profile.get()
    guard !profile.name.isEmpty else { return nil }
    var picture: MessageProfile.Picture?
    if let own = profile.picture, let url = FileURL(own.url), let key = try? SecretBytes(copying: own.key) {
      picture = try? MessageProfile.Picture(url: url, key: key)
    }
    return try MessageProfile(
      name: profile.name, picture: picture, updatedAtSeconds: UInt64(clamping: profile.updatedAtSeconds))
  }
}

extension WriteTransaction {
  /// Remembers a message in a swarm, so that it is known when it comes back. With the conversation of a group, its messages
  /// are forgotten and read again if we rejoin; `lasts` keeps those that must not be processed twice. Returns false if it
  /// was known.
  @discardableResult
  func remember(_ hash: String, in swarm: SessionID, until expiry: Int64, lasts: Bool = false) throws -> Bool
  {
    try insertNew(
      SeenMessage(
        hash, in: swarm.address, expiresAt: expiry + SeenMessage.grace,
        diesWithThread: swarm.kind == .group && !lasts))
  }

  /// Forgets that a message was processed.
  func forget(_ hash: String, in swarm: SessionID) throws {
    try deleteSeenMessage(hash, in: swarm.address)
  }
}

extension SeenMessage {
  /// How long a message is remembered after it has expired in the swarm, in milliseconds.
  static let grace: Int64 = 120_000
}
