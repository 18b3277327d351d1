import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Turns received messages into rows, inside one transaction. Each message is checked in a fixed order, and has all
/// of its effects or none.
struct MessageReceiver {
  /// The result of processing a message.
  enum Verdict: Hashable {
    case kept
    case duplicate
    /// Its target is not here, and may be in the next piece. Nothing of it is stored.
    case waits
    /// It does not continue the session with its device, and may do so once others have arrived. Nothing of it is stored.
    case broken
    case dropped(Reason)
  }

  /// Why a message was dropped.
  enum Reason: String, Hashable, CaseIterable {
    /// It cannot be opened, or violates a rule.
    case unreadable
    case blocked
    /// Its conversation was deleted or hidden after it was sent.
    case outdated
    /// Its target is not here.
    case noTarget
    /// It is not allowed in this conversation, or is switched off.
    case unwanted
    /// This program does not support its kind.
    case unsupported
  }

  /// The number of reactions one person may add to one message.
  static let maxReactions = 20
  /// The number of hashes kept of a message that its group stores under several.
  static let maxCopies: Int64 = 20
  /// The longest link that is shown, and the longest title that is kept.
  static let maxLinkBytes = 2048
  static let maxTitle = 300
  /// The number of receipts from one person kept for messages that are not here yet.
  static let maxPendingReceipts = 1000
  /// The number of open message requests; beyond it, the oldest is deleted.
  static let maxRequests = 500
  /// The number of messages kept from a person before we accept them.
  static let maxRequestMessages = 500
  /// How far in the future a message may have been sent before it counts as sent now, in milliseconds.
  static let futureTolerance: Int64 = 24 * 3_600_000

  /// Which messages are new to the user.
  enum News: Hashable {
    /// Those after the last one that was read.
    case unread
    /// Those, and all that mention us.
    case mentions
    /// None: the user looks for older messages.
    case none
  }

  let source: MessageSource
  /// The ids under which we, and people whom we blocked, write there.
  let people: SourcePeople
  let context: AccountContext
  let typists: Typists
  let now: MessageTime
  let deletions: Deletions
  /// The invitations among the messages, as judged with the configs.
  var invitations = GroupInvitations()
  /// True if messages that follow at once may be the targets of messages about others.
  var mayWait = false
  /// True if a message that cannot be stored is dropped and does not fail the others: each is stored in a savepoint of
  /// its own, for which the database encrypts every page that changes.
  var isCareful = true
  /// True if messages that do not continue their session are kept for a later try, and count in the end.
  var isLastTry = true
  var news = News.unread
  /// Opens messages of the ratchet protocol; nil where there are none.
  var opener: RatchetOpener?
  private let facts = ReceiverFacts()

  var own: SessionID { context.own }

  /// The group in whose swarm the messages were; the account itself for all other sources.
  var owner: SessionID {
    guard case .group(let id) = source else { return own }
    return id
  }

  func isOwn(_ sender: SessionID) -> Bool { people.own.contains(sender) }

  @discardableResult
  func receive(_ arrival: Arrival, in transaction: borrowing WriteTransaction) throws -> Verdict {
    guard let sealed = arrival.sealed, let opener else { return try receiveOpened(arrival, in: transaction) }
    // One that waits for its target takes the step of its session back, so that it can be opened again.
    guard mayWait, arrival.isAboutAnother else {
      return try receive(sealed, arrival, opener, in: transaction)
    }
    struct Waits: Error {}
    do {
      return try transaction.savepoint { part in
        let verdict = try receive(sealed, arrival, opener, in: part)
        if verdict == .waits { throw Waits() }
        return verdict
      }
    } catch is Waits {
      opener.reset()
      return .waits
    }
  }

  /// Opens a message of the ratchet protocol, and processes it. An opened message keeps its step, whatever becomes of it.
  private func receive(
    _ sealed: [UInt8], _ arrival: Arrival, _ opener: RatchetOpener, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let hash = arrival.hash, try !transaction.hasSeen(hash, in: owner.address) else {
      return .duplicate
    }
    switch try opener.open(sealed, in: transaction) {
    case .content(let received, let isHeld):
      return try receiveOpened(
        arrival.opened(received, isFromHeldDevice: isHeld, for: context.account), in: transaction)
    case .control:
      try transaction.remember(hash, in: owner, until: arrival.end(at: now))
      return .kept
    case .duplicate: return .duplicate
    case .broken(let device):
      guard isLastTry else { return .broken }
      let message = BrokenMessage(hash, sealed, storedAt: arrival.storedAt, expiresAt: arrival.end(at: now))
      guard try !transaction.keepForLater(message, at: context.jobTime) else { return .dropped(.unreadable) }
      try transaction.remember(hash, in: owner, until: arrival.end(at: now))
      try transaction.noteBroken(hash, of: device.id, at: context.jobTime)
      context.environment.log(.warn, .messages, "session-broken")
      return .dropped(.unreadable)
    case .unopened(let error):
      context.environment.log(.info, .messages, "not-opened", .error(error))
      return .dropped(.unreadable)
    }
  }

  private func receiveOpened(
    _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    // 1. It was opened: its sender is proven, its times agree, and its sender may send this kind there. Unopened
    // messages are not remembered: anyone can create any number of them.
    guard let received = arrival.received else {
      context.environment.log(.info, .messages, "dropped", .code(Reason.unreadable))
      return .dropped(.unreadable)
    }
    // 2. A message is processed once.
    guard try remember(arrival, received.message.content.kind, in: transaction) else { return .duplicate }
    do {
      let verdict =
        isCareful
        ? try transaction.savepoint { part in try judge(received, arrival, in: part) }
        : try judge(received, arrival, in: transaction)
      if verdict == .dropped(.noTarget), mayWait, arrival.isAboutAnother, let hash = arrival.hash {
        try transaction.forget(hash, in: owner)
        return .waits
      }
      if case .dropped(let reason) = verdict {
        context.environment.log(.info, .messages, "dropped", .code(reason))
      }
      return verdict
    } catch {
      // Other errors would occur again each time, and block all messages after this one.
      guard isCareful, Self.isOfMessage(error) else { throw error }
      context.environment.log(.error, .messages, "not-stored", .error(error))
      return .dropped(.unreadable)
    }
  }

  /// False for a failure of the database itself, after which the whole piece is processed again.
  static func isOfMessage(_ error: any Error) -> Bool {
    (error as? StorageError)?.verdict ?? .permanent == .permanent
  }

  private func judge(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    // 3. The admission table accepts it.
    let kind = received.message.content.kind
    let (verdict, isBlocked) = try admit(kind, received, arrival, in: transaction)
    switch verdict {
    case .accept, .acceptIfHere, .holdAsRequest, .holdAsGroupRequest: break
    case .acceptIfEnabled:
      guard try transaction.isEnabled(kind) else { return .dropped(.unwanted) }
    case .acceptIfJoined:
      guard let group = try received.verifiedGroupUpdate(for: context.account)?.group,
        try transaction.thread(at: group.address) != nil
      else { return .dropped(.blocked) }
    case .acceptFromAdmin, .acceptAsAdmin:
      guard try isAllowed(verdict, received.sender, in: transaction) else { return .dropped(.unwanted) }
    case .drop: return .dropped(isBlocked ? .blocked : .unwanted)
    }
    // 4. No older message restores a conversation that was deleted since.
    if let conversation = arrival.conversation, deletions.outdates(received, in: conversation) {
      return .dropped(.outdated)
    }
    guard try !isCleared(received, in: transaction) else { return .dropped(.outdated) }
    return try handle(received, arrival, in: transaction)
  }

  /// Returns the verdict of the source's table, and true if we blocked the sender.
  private func admit(
    _ kind: MessageKind, _ received: ReceivedMessage, _ arrival: Arrival,
    in transaction: borrowing WriteTransaction
  ) throws -> (AdmissionVerdict, isBlocked: Bool) {
    let sender = received.sender
    let person: PersonRelation =
      if isOwn(sender) {
        .ourselves
      } else if people.blocked.contains(sender) {
        .blocked
      } else {
        try transaction.relation(to: sender, own: own)
      }
    let isBlocked = person == .blocked
    switch source {
    case .account: return (Admission.people.verdict(kind, from: person), isBlocked)
    case .inbox: return (Admission.inbox.verdict(kind, from: person), isBlocked)
    case .group:
      guard let group = try group(in: transaction), group.isJoined else {
        return (Admission.groups.verdict(kind, from: .notJoined), isBlocked: false)
      }
      return (Admission.groups.verdict(kind, from: GroupRelation(ofMember: person)), isBlocked)
    case .room: return (Admission.rooms.verdict(kind, from: RoomRelation(person)), isBlocked)
    }
  }

  /// Remembers a message that was opened. Returns false if it was processed before. In a room its row tells that.
  private func remember(
    _ arrival: Arrival, _ kind: MessageKind, in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    let end = arrival.end(at: now)
    switch (arrival.name, source) {
    case (.hash(let hash), _):
      return try transaction.remember(
        hash, in: owner, until: end, lasts: [.groupMemberLeft, .groupInviteResponse].contains(kind))
    case (.number(let number), .room(let room)):
      guard let thread = try transaction.thread(at: Conversation.ID.room(room).address) else { return true }
      return try transaction.interaction(in: thread.id, serverID: number) == nil
    case (.letter(let box, let number), .inbox(let server)):
      return try transaction.insertNew(
        SeenMessage(
          number, in: box, of: server, sentAt: arrival.received?.sentAt.stored ?? 0,
          until: end + SeenMessage.grace))
    case (.number, _), (.letter, _): preconditionFailure("a name of another source")
    }
  }

  private func handle(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    switch received.message.content {
    case .visible(let message): return try receive(message, received, arrival, in: transaction)
    case .reaction(let reaction): return try receive(reaction, received, arrival, in: transaction)
    case .timerUpdate: return try receiveTimer(received, arrival, in: transaction)
    case .readReceipt(let receipt): return try receive(receipt, received, arrival, in: transaction)
    case .typing(let typing): return try receive(typing, received, arrival, in: transaction)
    case .unsend(let request): return try receive(request, arrival, in: transaction)
    case .dataExtraction: return try note(.mediaSaved, received, arrival, in: transaction)
    case .messageRequestResponse: return try receiveResponse(received, arrival, in: transaction)
    case .call(let call): return try receive(call, received, arrival, in: transaction)
    case .groupUpdate:
      return owner.kind == .group
        ? try receiveUpdate(received, arrival, in: transaction)
        : try receiveInvitation(received, arrival, in: transaction)
    case .legacyConfig: return .dropped(.unsupported)
    }
  }
}

// MARK: - What all messages have in common

/// What no message changes, read once for all that are received together.
private final class ReceiverFacts {
  var group: GroupRecord??
  var isAdmin: Bool?
  var redates: [Conversation.ID: Bool] = [:]
}

extension MessageReceiver {
  /// The group in whose swarm the messages were.
  func group(in transaction: borrowing WriteTransaction) throws -> GroupRecord? {
    if let known = facts.group { return known }
    let group = try transaction.groupRecord(of: owner)
    facts.group = .some(group)
    return group
  }

  /// True if the account is an admin of that group.
  func isAdmin(in transaction: borrowing WriteTransaction) throws -> Bool {
    if let known = facts.isAdmin { return known }
    let isAdmin = try isAdmin(own, in: transaction)
    facts.isAdmin = isAdmin
    return isAdmin
  }

  /// True if messages of a conversation may be stored at other times than their own.
  func mayRedate(in conversation: Conversation.ID, _ transaction: borrowing WriteTransaction) throws -> Bool {
    if let known = facts.redates[conversation] { return known }
    let redates = try transaction.hasRedated(in: conversation.address)
    facts.redates[conversation] = redates
    return redates
  }

  func noteRedating(in conversation: Conversation.ID) { facts.redates[conversation] = true }
}

extension GroupRecord {
  /// True if we are a member.
  fileprivate var isJoined: Bool { !isInvited && !isKicked && !isDestroyed }
}

// MARK: - People

extension MessageReceiver {
  /// Applies the sender's profile, unless it is older than the known one.
  func takeProfile(_ received: ReceivedMessage, in transaction: borrowing WriteTransaction) throws {
    guard !isOwn(received.sender), let (profile, removesPicture) = received.profile else { return }
    guard profile.updatedAtSeconds <= now.seconds + ArrivalFacts.futureTolerance else { return }
    let known = try transaction.profile(received.sender.address)
    var record = known ?? ProfileRecord(received.sender.address, name: "", updatedAt: 0)
    let updatedAt = Int64(clamping: profile.updatedAtSeconds) * 1000
    guard known == nil || updatedAt > record.updatedAt || (updatedAt == 0 && record.updatedAt == 0) else {
      return
    }
    if let name = profile.name { record.name = name }
    if let picture = profile.picture {
      record.pictureURL = picture.url.description
      record.pictureKey = picture.key.reveal()
    } else if removesPicture {
      (record.pictureURL, record.pictureKey) = (nil, nil)
    }
    record.updatedAt = updatedAt
    guard record != known else { return }
    try transaction.followPicture(of: received.sender, from: known, to: &record, own: own)
    try transaction.put(record)
    try transaction.requestPicture(
      of: received.sender, after: known, notBefore: context.unpredictableTime, context)
    try transaction.tell(.contactChanged, MessengerEvent.Content(person: received.sender), at: now)
  }

  /// Records the approval implied by a message between two people. Returns true if the message belongs to a request.
  func takeApproval(
    of received: ReceivedMessage, _ known: ContactRecord?, in conversation: Conversation.ID,
    _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard case .person(let person) = conversation, person != own else { return false }
    var contact = known ?? ContactRecord(person.address, createdAt: shownTime(of: received))
    if isOwn(received.sender) { contact.isApproved = true } else { contact.didApproveMe = true }
    if contact != known { try transaction.put(contact) }
    return !contact.isApproved
  }
}

extension Reading where Self: ~Copyable {
  /// The relation of a sender to us.
  func relation(to sender: SessionID, own: SessionID) throws -> PersonRelation {
    guard sender != own else { return .ourselves }
    guard let contact = try contact(sender.address) else { return .stranger }
    if contact.isBlocked { return .blocked }
    if contact.isApproved { return .approved }
    return contact.didApproveMe ? .asksUs : .stranger
  }

  /// False for kinds of messages that the user has switched off.
  fileprivate func isEnabled(_ kind: MessageKind) throws -> Bool {
    switch kind {
    case .readReceipt: try value(of: .usesReadReceipts) ?? false
    case .typing: try value(of: .usesTypingIndicators) ?? false
    default: true
    }
  }
}
