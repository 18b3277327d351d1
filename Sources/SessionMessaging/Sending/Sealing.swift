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
  var level = SecurityLevel.v1
  /// When it has to be sealed anew if it was not stored; nil for never.
  var notAfter: Int64?
  /// For devices that are to get it later.
  var late: [LateSealing] = []
}

extension Outbox {
  /// Seals a message for a person, or for ourselves, as well as both sides can. Nil if keys of the person have to be fetched
  /// first, which is requested. Throws if it may not be sent to them.
  func seal(
    _ message: Message, for recipient: SessionID, in transaction: borrowing WriteTransaction
  ) throws -> SealedMessage? {
    let destination = try Destination(.person(recipient), own: own)
    let lifetime = destination.lifetime(of: message.content.kind, with: message.disappearing)
    switch try ratchet.plan(for: recipient, at: time(), in: transaction) {
    case .standard: return try sealStandard(message, for: destination, lifetime)
    case .waiting: return nil
    case .refused(let error): throw error
    case .ratchet(let devices):
      guard
        let sealed = try ratchet.seal(
          RatchetBody(content: try message.bytes()), for: devices, in: transaction)
      else {
        try transaction.requestBundles(of: recipient, at: jobTime)
        return nil
      }
      let item = SwarmItem(sealed.bytes, for: lifetime)
      let late = try sealed.missing.map { device in
        try LateSealing(message, to: device, of: recipient, sentAt: jobTime, for: lifetime)
      }
      guard destination.hasCopy else {
        return SealedMessage(
          item: item, copy: nil, ownHash: item.hash(in: own), level: .sr1, notAfter: sealed.notAfter,
          late: late)
      }
      let copy = try sealRatchetCopy(of: message, in: recipient, lifetime, transaction)
      return SealedMessage(
        item: item, copy: copy.item, ownHash: copy.item?.hash(in: own), level: .sr1,
        notAfter: sealed.notAfter,
        late: late + copy.late)
    }
  }

  private func sealStandard(
    _ message: Message, for destination: Destination, _ lifetime: Duration
  ) throws -> SealedMessage {
    guard destination.hasCopy else {
      let item = SwarmItem(
        try account.encode(message, for: .ownDevices), in: .messages, for: lifetime)
      return SealedMessage(item: item, copy: nil, ownHash: item.hash(in: own))
    }
    let recipient = destination.swarm
    let item = SwarmItem(
      try account.encode(message, for: .contact(recipient)), in: .messages, for: lifetime)
    let copy = try sealStandardCopy(of: message, in: recipient, lifetime)
    return SealedMessage(item: item, copy: copy, ownHash: copy?.hash(in: own))
  }

  private func sealStandardCopy(
    of message: Message, in conversation: SessionID, _ lifetime: Duration
  ) throws -> SwarmItem? {
    try message.copy(forOwnDevicesIn: conversation).map { copy in
      SwarmItem(try account.encode(copy, for: .ownDevices), for: lifetime)
    }
  }

  /// A message with forward secrecy has such a copy or none: the recovery phrase would open any other one.
  private func sealRatchetCopy(
    of message: Message, in conversation: SessionID, _ lifetime: Duration,
    _ transaction: borrowing WriteTransaction
  ) throws -> (item: SwarmItem?, late: [LateSealing]) {
    let siblings = try transaction.siblings(of: own, at: jobTime)
    guard !siblings.isEmpty, let copy = message.copy(forOwnDevicesIn: conversation) else { return (nil, []) }
    let sealed = try ratchet.seal(
      RatchetBody(content: try copy.bytes()), for: siblings, in: transaction)
    let late = try (sealed?.missing ?? siblings).map { device in
      try LateSealing(copy, to: device, of: own, sentAt: jobTime, for: lifetime)
    }
    return (sealed.map { SwarmItem($0.bytes, for: lifetime) }, late)
  }

  /// Seals the copy of a message that was sent at a level.
  func sealCopy(
    of message: Message, in conversation: SessionID, at level: SecurityLevel,
    _ transaction: borrowing WriteTransaction
  ) throws -> SwarmItem? {
    let lifetime = try Destination(.person(conversation), own: own).lifetime(
      of: message.content.kind, with: message.disappearing)
    return switch level {
    case .v1: try sealStandardCopy(of: message, in: conversation, lifetime)
    case .sr1: try sealRatchetCopy(of: message, in: conversation, lifetime, transaction).item
    }
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
