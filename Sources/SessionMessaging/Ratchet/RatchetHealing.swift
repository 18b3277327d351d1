import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// What devices tell each other so that sessions stay alive, and heal.

extension Ratchet {
  /// How long messages without a row, for devices alone, stay in a swarm.
  static let controlLifetime = Duration.seconds(14 * 86_400)
  /// How long after a ping on a new session it is answered at most, and at least: an answer at once would tell the nodes
  /// of both swarms who belongs together.
  private static let answerDelay = (least: Time.minute, span: 29 * Time.minute)
  /// How often messages are sent again to one device.
  private static let answerInterval = 6 * Time.hour

  /// Does what a message for this device itself says.
  func carryOut(
    _ body: RatchetBody, from device: RatchetDeviceRecord, _ row: RatchetSessionRecord,
    at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    try take(body.verifications, from: device, at: now, in: transaction)
    guard let person = SessionID(device.account) else { return }
    if body.resend != nil { try transaction.closeRatchetSessions(olderThan: row) }
    guard try mayAnswer(person, device, in: transaction) else { return }
    if body.isPing, row.confirmedAt == nil {
      let delay = Self.answerDelay.least + Int64(environment.chance() * Double(Self.answerDelay.span))
      try transaction.enqueue(
        RatchetUpkeep(pinging: row.id.rawValue), .at(jobTime + delay), at: jobTime)
    }
    guard let wanted = body.resend, !wanted.isEmpty, device.status == .accepted else { return }
    var answered = device
    guard answered.answeredAt.map({ jobTime - $0 >= Self.answerInterval }) ?? true else { return }
    answered.answeredAt = jobTime
    try transaction.put(answered)
    let sent = try wanted.prefix(RatchetBody.maxResend).compactMap { hash in
      try transaction.ratchetSent(hash.swarmHash, to: person.address)
    }
    try sendAgain(sent, to: device, person, in: transaction)
  }

  /// True if something may be sent to a device without the user: to contacts who were accepted and are not blocked, and
  /// that get messages.
  func mayAnswer(
    _ person: SessionID, _ device: RatchetDeviceRecord, in transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    guard try transaction.forwardSecrecy() != .off, let row = try transaction.ratchetSelf(),
      try !isForeign(row)
    else { return false }
    if person == own { return device.status == .accepted }
    guard let contact = try transaction.contact(person.address), contact.isApproved, contact.didApproveMe,
      !contact.isBlocked
    else { return false }
    let record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
    return try !receivers(of: person, among: [device], record, in: transaction).isEmpty
  }

  /// Sends something to devices of a person that no user sees. Nothing if there is no session with any, and none can be
  /// started.
  @discardableResult
  func send(
    _ body: RatchetBody, to devices: [RatchetDeviceRecord], _ person: SessionID, isContent: Bool = false,
    for lifetime: Duration = controlLifetime, in transaction: borrowing WriteTransaction
  ) throws -> String? {
    guard let sealed = try seal(body, for: devices, isContent: isContent, in: transaction) else {
      return nil
    }
    let item = SwarmItem(sealed.bytes, for: lifetime)
    if person == own {
      try transaction.remember(item.hash(in: own), in: own, until: jobTime + lifetime.milliseconds)
    }
    var delivery = Delivery(swarm: person, items: [SealedItem(item)], role: .notice)
    delivery.notAfter = sealed.notAfter
    try transaction.request(delivery, at: jobTime)
    return item.hash(in: person)
  }

  /// Sends messages once more to one device, at their old times, so that devices that have them drop them. Nothing that
  /// went out before the device was accepted.
  func sendAgain(
    _ sent: [RatchetSentRecord], to device: RatchetDeviceRecord, _ person: SessionID,
    in transaction: borrowing WriteTransaction
  ) throws {
    let earliest = max(device.settledAt ?? .max, jobTime - RatchetSentRecord.lifetime)
    var known: Set<InteractionRecord.ID> = []
    for record in sent.sorted(by: { $0.sentAt < $1.sentAt })
    where record.sentAt >= earliest && known.insert(record.interactionID).inserted {
      guard let row = try transaction.interaction(record.interactionID),
        let thread = try transaction.thread(row.threadID), let destination = thread.destination(own: own)
      else { continue }
      for message in try messages(about: row, to: destination, in: transaction) {
        let hash = try send(
          RatchetBody(content: try message.bytes()), to: [device], person, isContent: true,
          for: destination.lifetime(of: message.content.kind, with: message.disappearing), in: transaction)
        guard let hash else { return }
        try transaction.put(RatchetSentRecord(hash, to: person.address, row.id, at: record.sentAt))
      }
    }
  }

  /// What of a row still has to be told: the message itself, that it was deleted, our reactions to it, or a timer.
  private func messages(
    about row: InteractionRecord, to destination: Destination, in transaction: borrowing WriteTransaction
  ) throws -> [Message] {
    let timer = destination.timer(of: row.expiry)
    switch row.kind {
    case .outgoing:
      let content = MessageContent.visible(try transaction.visibleContent(of: row, profile: nil))
      return [try Message(content, sentAt: row.time, disappearing: timer)]
        + (try reactions(to: row, timer, in: transaction))
    case .incoming: return try reactions(to: row, timer, in: transaction)
    case .outgoingDeleted:
      let request = UnsendRequest(targetSentAt: try row.time, targetAuthor: own)
      return [try Message(.unsend(request), sentAt: time(), disappearing: nil)]
    case MessageView.Note.timerChanged.kind where row.author == own.address:
      return [
        try Message(.timerUpdate(ExpirationTimerUpdate(profile: nil)), sentAt: row.time, disappearing: timer)
      ]
    default: return []
    }
  }

  private func reactions(
    to row: InteractionRecord, _ timer: DisappearingTimer?, in transaction: borrowing WriteTransaction
  ) throws -> [Message] {
    guard let author = SessionID(row.author) else { return [] }
    return try transaction.reactions(to: row.id).filter { $0.author == own.address }.map { reaction in
      let content = try MessageReaction(
        .react, emoji: reaction.emoji, targetSentAt: row.time, targetAuthor: author, profile: nil)
      return try Message(
        .reaction(content), sentAt: MessageTime(milliseconds: UInt64(clamping: reaction.sentAt)),
        disappearing: timer)
    }
  }
}

extension [UInt8] {
  /// The hash of a stored message, as swarms write it: base64 without padding.
  fileprivate var swarmHash: String { String(base64.prefix { $0 != "=" }) }
}
