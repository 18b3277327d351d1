import SessionCore
import SessionNetworking

/// A received message, opened if possible. Nothing of it is stored yet.
struct Arrival: Sendable {
  /// Identifies a message at its source.
  enum Name: Hashable, Sendable {
    /// In the swarm of an account or group.
    case hash(String)
    /// In a room: the number that its server gave it.
    case number(Int64)
    /// In one of our boxes on a server: the number that the server gave it.
    case letter(LetterBox, Int64)
  }

  let name: Name
  let storedAt: Int64
  /// Nil if its server keeps it.
  let expiresAt: Int64?
  /// Its conversation; nil if only its target determines that, or if it could not be opened.
  private(set) var conversation: Conversation.ID?
  private(set) var content: Result<ReceivedMessage, SessionError>
  /// The bytes of a message of the ratchet protocol, which only a transaction can open; nil for other messages.
  private(set) var sealed: [UInt8]?
  /// True if it came from a device of its sender that nothing vouches for.
  private(set) var isFromHeldDevice = false

  /// Opens a message from our own swarm or a group's. A group's messages belong to that group, whatever they claim.
  init(_ message: SwarmMessage, from origin: MessageOrigin, for account: Account) {
    name = .hash(message.hash)
    storedAt = message.storedAt.stored
    expiresAt = message.expiresAt.stored
    if case .ownSwarm = origin, message.data.starts(with: RatchetEnvelope.prefix) {
      sealed = message.data
      content = .failure(SessionError(.ratchetOther, "it was not opened yet"))
      return
    }
    content = Result { () throws(SessionError) in try account.decode(message.data, from: origin) }
    conversation =
      switch origin.place {
      case .group(let group): .group(group)
      default: try? content.get().conversation(own: account.id)
      }
  }

  /// Opens a message of a room.
  init(
    _ post: ServerPost, as name: Name, in conversation: Conversation.ID, from origin: MessageOrigin,
    for account: Account
  ) {
    self.name = name
    storedAt = post.postedAt.stored
    expiresAt = nil
    content = Result { () throws(SessionError) in
      try account.decode(post.data, from: origin).at(post.postedAt)
    }
    self.conversation = conversation
  }

  /// A message of our inbox or outbox on a community server, which was opened.
  init(
    _ received: ReceivedMessage, as name: Name, in conversation: Conversation.ID,
    of letter: CommunityLetter.Content
  ) {
    self.name = name
    storedAt = letter.postedAt.stored
    expiresAt = letter.expiresAt.stored
    content = .success(received)
    self.conversation = conversation
  }

  /// The same message, once it was opened.
  func opened(
    _ received: ReceivedMessage, isFromHeldDevice: Bool, for account: Account
  ) -> Arrival {
    var arrival = self
    arrival.content = .success(received)
    arrival.conversation = received.conversation(own: account.id)
    arrival.isFromHeldDevice = isFromHeldDevice
    return arrival
  }

  /// How it was protected on its way to our own swarm.
  var level: SecurityLevel { sealed == nil ? .v1 : .sr1 }

  var received: ReceivedMessage? { try? content.get() }

  /// Its hash in a swarm; nil if it is from a server.
  var hash: String? {
    guard case .hash(let hash) = name else { return nil }
    return hash
  }

  /// When its source stops keeping it, as far as it is believed.
  func end(at now: MessageTime) -> Int64 {
    min(expiresAt ?? .max, now.stored + OwnerInbox.longestMemory)
  }

  /// True if a key that has not arrived yet may open it.
  var waitsForKey: Bool {
    guard case .failure(let error) = content else { return false }
    return error.code == .noKey
  }
}

extension [Arrival] {
  /// Sorts the messages of each sender in a conversation by send time: clients do not wait between sends, so a swarm
  /// may store messages out of order. A timestamp in the future does not reorder other senders. Messages about other
  /// messages come last, since their targets must be stored first.
  func asSent() -> [Arrival] {
    var arrivals = filter { !$0.isAboutAnother }
    let said = arrivals.indices.filter { arrivals[$0].isText }
    for places in Dictionary(grouping: said, by: { arrivals[$0].place }).values {
      let sent = places.map { arrivals[$0] }.sorted { $0.sentAt < $1.sentAt }
      for (place, arrival) in zip(places, sent) { arrivals[place] = arrival }
    }
    return arrivals + filter(\.isAboutAnother)
  }
}

extension Arrival {
  fileprivate var sentAt: Int64 { received?.sentAt.stored ?? 0 }

  fileprivate var isText: Bool {
    if case .visible = received?.message.content { true } else { false }
  }

  /// True for a message that means nothing without its target.
  var isAboutAnother: Bool {
    switch received?.message.content {
    case .reaction, .unsend: true
    default: false
    }
  }

  /// Its sender and conversation.
  fileprivate var place: Place { Place(sender: received?.sender, conversation: conversation) }

  fileprivate struct Place: Hashable {
    let sender: SessionID?
    let conversation: Conversation.ID?
  }
}

extension ReceivedMessage {
  /// The conversation of a message in our own swarm; nil if only its target determines that.
  fileprivate func conversation(own: SessionID) -> Conversation.ID? {
    guard sender == own else { return .person(sender) }
    if let target = message.content.syncTarget { return .person(target) }
    if case .unsend = message.content { return nil }
    return .person(own)
  }

  /// The sender's profile, if the message has one, and whether a missing picture means that they removed it.
  var profile: (profile: MessageProfile, removesPicture: Bool)? {
    switch message.content {
    case .visible(let visible): visible.profile.map { ($0, true) }
    case .reaction(let reaction): reaction.profile.map { ($0, true) }
    case .timerUpdate(let update): update.profile.map { ($0, true) }
    case .messageRequestResponse(let response): response.profile.map { ($0, false) }
    case .groupUpdate(let update): update.profile.map { ($0, false) }
    default: nil
    }
  }
}

/// Facts that a batch of messages contains about people in the configs. Only our own action adds strangers to the
/// configs: anyone can create as many of them as they like. Messages that are not admitted are ignored.
struct ArrivalFacts {
  private struct Fact {
    var hasApproved = false
    /// The send time of the newest visible message.
    var newest: Int64?
    var profile: (profile: MessageProfile, removesPicture: Bool)?
  }

  /// How far in the future a profile's timestamp may be, in seconds.
  static let futureTolerance: UInt64 = 24 * 3600

  private let messages: [SessionID: [ReceivedMessage]]
  private let latestProfile: UInt64

  init(_ arrivals: [Arrival], own: SessionID, now: MessageTime) {
    latestProfile = now.seconds + Self.futureTolerance
    let received = arrivals.compactMap(\.received).filter { $0.sender != own }
    messages = Dictionary(grouping: received, by: \.sender)
  }

  func apply(to configs: inout Configs, _ deletions: Deletions) throws {
    for (person, messages) in messages {
      guard let contact = try configs.contacts[person] else { continue }
      let fact = fact(of: messages, from: contact, deletions)
      // Data that a config cannot hold, such as an overlong URL, must not reject the message.
      try? configs.contacts.update(person) { contact in
        if fact.hasApproved { contact.hasApprovedMe = true }
        if contact.priority == .hidden, let newest = fact.newest,
          deletions.shows(.person(person), sentAt: newest)
        {
          contact.priority = .normal
        }
        if let (profile, removesPicture) = fact.profile {
          contact.take(profile, removesPicture: removesPicture)
        }
      }
    }
  }

  private func fact(of messages: [ReceivedMessage], from contact: Contact, _ deletions: Deletions) -> Fact {
    var (fact, relation) = (Fact(), PersonRelation(contact))
    for message in messages {
      let content = message.message.content
      // Of somebody blocked, nothing is taken but what it does to a group.
      guard ![.drop, .acceptIfJoined].contains(Admission.people.verdict(content.kind, from: relation)),
        !deletions.outdates(message, in: .person(contact.id))
      else { continue }
      switch content {
      case .visible:
        fact.hasApproved = true
        fact.newest = max(fact.newest ?? .min, message.sentAt.stored)
      case .messageRequestResponse, .call: fact.hasApproved = true
      default: break
      }
      if let profile = message.profile, profile.profile.updatedAtSeconds <= latestProfile,
        profile.profile.updatedAtSeconds >= fact.profile?.profile.updatedAtSeconds ?? 0
      {
        fact.profile = profile
      }
      if fact.hasApproved, relation == .stranger { relation = .asksUs }
    }
    return fact
  }
}

extension PersonRelation {
  /// The relation of somebody in the configs to us.
  fileprivate init(_ contact: Contact) {
    self =
      if contact.isBlocked {
        .blocked
      } else if contact.isApproved {
        .approved
      } else {
        contact.hasApprovedMe ? .asksUs : .stranger
      }
  }
}

extension Contact {
  /// Applies a profile, unless it is older than the known one.
  fileprivate mutating func take(_ profile: MessageProfile, removesPicture: Bool) {
    let new = Int64(clamping: profile.updatedAtSeconds)
    guard new > profileUpdatedAtSeconds || (new == 0 && profileUpdatedAtSeconds == 0) else { return }
    if let name = profile.name { self.name = name }
    if let picture = profile.picture {
      self.picture = try? ProfilePicture(url: picture.url.description, key: picture.key.reveal())
    } else if removesPicture {
      self.picture = nil
    }
    profileUpdatedAtSeconds = new
  }
}
