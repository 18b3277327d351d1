import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Makes what came into rows, inside of one transaction: a message is checked in a fixed order, and leaves all of its
/// effects or none.
struct MessageReceiver {
  /// What became of a message.
  enum Verdict: Hashable {
    case kept
    case duplicate
    case dropped(Reason)
  }

  /// Why a message is of no use.
  enum Reason: String, Hashable {
    /// It cannot be opened, or breaks a rule.
    case unreadable
    case blocked
    /// Its conversation was deleted or hidden after it was sent.
    case outdated
    /// What it is about is not here.
    case noTarget
    /// It is not for this conversation, or switched off.
    case unwanted
    /// Its kind is not of this program.
    case unsupported
  }

  /// How many reactions one person may put to one message.
  static let maxReactions = 20
  /// How long the address of a link is at most, which is not shown otherwise, and how much of its title is kept.
  static let maxLinkBytes = 2048
  static let maxTitle = 300
  /// How many receipts of one person wait for messages that are not here.
  static let maxPendingReceipts = 1000
  /// How many people may ask to talk at a time: of more, who asked first is forgotten.
  static let maxRequests = 500
  /// How many messages of somebody who asks are kept until they are accepted.
  static let maxRequestMessages = 500
  /// How far in the future a message may have been sent before it counts as sent now, in milliseconds.
  static let futureTolerance: Int64 = 24 * 3_600_000

  /// The account or group in whose swarm the messages were.
  let owner: SessionID
  let context: AccountContext
  let typists: Typists
  let now: MessageTime
  let deletions: Deletions

  var own: SessionID { context.own }

  @discardableResult
  func receive(_ arrival: Arrival, in transaction: borrowing WriteTransaction) throws -> Verdict {
    // 1. What was handled is not handled again.
    guard try !transaction.hasSeen(arrival.hash, in: owner.address) else { return .duplicate }
    // 2. It was opened: its sender is proven, its times agree, and its sender may send such things there. What was not is
    // not remembered: anybody can make as much of it as they like.
    guard let received = arrival.received else {
      context.environment.log("dropped a message: \(Reason.unreadable.rawValue)")
      return .dropped(.unreadable)
    }
    try transaction.remember(
      arrival.hash, in: owner, until: min(arrival.expiresAt, now.stored + OwnerInbox.longestMemory))
    do {
      let verdict = try transaction.savepoint { part in try judge(received, arrival, in: part) }
      if case .dropped(let reason) = verdict {
        context.environment.log("dropped a message: \(reason.rawValue)")
      }
      return verdict
    } catch {
      // Where the database itself fails, all of it is done again.
      if let error = error as? StorageError, error.verdict != .permanent { throw error }
      // The rest would fail in the same way for ever, and keep all behind it from being read.
      context.environment.log("dropped a message that cannot be stored: \(error)")
      return .dropped(.unreadable)
    }
  }

  private func judge(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    // 3. The table lets it in.
    let kind = received.message.content.kind
    let (verdict, isBlocked) = try admit(kind, from: received.sender, in: transaction)
    switch verdict {
    case .accept, .acceptIfHere, .holdAsRequest, .holdAsGroupRequest: break
    case .acceptIfEnabled:
      guard try transaction.isEnabled(kind) else { return .dropped(.unwanted) }
    case .acceptIfJoined:
      guard let group = try received.verifiedGroupUpdate(for: context.account)?.group,
        try transaction.thread(at: group.address) != nil
      else { return .dropped(.blocked) }
    case .acceptFromAdmin, .acceptAsAdmin: return .dropped(.unsupported)
    case .drop: return .dropped(isBlocked ? .blocked : .unwanted)
    }
    // 4. Nothing brings back a conversation that was deleted since.
    if let conversation = arrival.conversation, deletions.outdates(received, in: conversation) {
      return .dropped(.outdated)
    }
    return try handle(received, arrival, in: transaction)
  }

  /// What the table of the owner says, and whether we blocked the sender.
  private func admit(
    _ kind: MessageKind, from sender: SessionID, in transaction: borrowing WriteTransaction
  ) throws -> (AdmissionVerdict, isBlocked: Bool) {
    let person = try transaction.relation(to: sender, own: own)
    guard owner.kind == .group else {
      return (Admission.people.verdict(kind, from: person), person == .blocked)
    }
    let relation: GroupRelation =
      if try !transaction.isJoined(owner) {
        .notJoined
      } else {
        switch person {
        case .ourselves: .ourselves
        case .blocked: .blockedMember
        case .approved, .asksUs, .stranger: .member
        }
      }
    return (Admission.groups.verdict(kind, from: relation), relation == .blockedMember)
  }

  private func handle(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    switch received.message.content {
    case .visible(let message): return try receive(message, received, arrival, in: transaction)
    case .reaction(let reaction): return try receive(reaction, received, arrival, in: transaction)
    case .timerUpdate: return try receiveTimer(received, arrival, in: transaction)
    case .readReceipt(let receipt): return try receive(receipt, received, arrival, in: transaction)
    case .typing(let typing): return try receive(typing, received, in: transaction)
    case .unsend(let request): return try receive(request, arrival, in: transaction)
    case .dataExtraction: return try note(.mediaSaved, received, arrival, in: transaction)
    case .messageRequestResponse: return try receiveResponse(received, arrival, in: transaction)
    case .call(let call): return try receive(call, received, arrival, in: transaction)
    case .groupUpdate:
      return owner.kind == .group ? .dropped(.unsupported) : try hold(received, in: transaction)
    case .legacyConfig: return .dropped(.unsupported)
    }
  }
}

// MARK: - People

extension MessageReceiver {
  /// Takes how the sender wants to be shown, unless that is older than what is known.
  func takeProfile(_ received: ReceivedMessage, in transaction: borrowing WriteTransaction) throws {
    guard received.sender != own, let (profile, removesPicture) = received.profile else { return }
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
    try transaction.requestPicture(of: received.sender, after: known, context)
    try transaction.tell(.contactChanged, MessengerEvent.Content(person: received.sender), at: now)
  }

  /// Notes that a message between two people shows what they think of each other. Whether it belongs to a request.
  func takeApproval(
    of received: ReceivedMessage, _ known: ContactRecord?, in conversation: SessionID,
    _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard conversation != own, conversation.kind != .group else { return false }
    var contact = known ?? ContactRecord(conversation.address, createdAt: shownTime(of: received))
    if received.sender == own { contact.isApproved = true } else { contact.didApproveMe = true }
    if contact != known { try transaction.put(contact) }
    return !contact.isApproved
  }
}

extension Reading where Self: ~Copyable {
  /// What somebody who writes to us is to us.
  fileprivate func relation(to sender: SessionID, own: SessionID) throws -> PersonRelation {
    guard sender != own else { return .ourselves }
    guard let contact = try contact(sender.address) else { return .stranger }
    if contact.isBlocked { return .blocked }
    if contact.isApproved { return .approved }
    return contact.didApproveMe ? .asksUs : .stranger
  }

  /// True if we take part in a group.
  fileprivate func isJoined(_ group: SessionID) throws -> Bool {
    guard let thread = try thread(at: group.address), let record = try self.group(thread.id) else {
      return false
    }
    return !record.isInvited && !record.isKicked && !record.isDestroyed
  }

  /// True if messages of a kind that the person can switch off are on.
  fileprivate func isEnabled(_ kind: MessageKind) throws -> Bool {
    switch kind {
    case .readReceipt: try value(of: .usesReadReceipts) ?? false
    case .typing: try value(of: .usesTypingIndicators) ?? false
    default: true
    }
  }
}
