import SessionCore
import SessionStorage

extension Ratchet {
  /// Chooses the protection of a message that is sealed in this transaction, and records what follows from the choice.
  func plan(
    for person: SessionID, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws -> RatchetChoice {
    guard try transaction.forwardSecrecy() != .off else {
      try noteLeaving(person, .off, at: now, in: transaction)
      return .standard(.off)
    }
    guard person != own else { return try planForOwnDevices(in: transaction) }
    let choice = try choose(for: person, at: now, in: transaction)
    switch choice {
    case .ratchet:
      try bind(person, at: now, in: transaction)
      if jobTime - (try transaction.ratchetAccount(person.address)?.fetchedAt ?? 0) >= Time.fresh {
        try transaction.requestBundles(of: person, at: jobTime)
      }
    case .standard(let obstacle): try noteLeaving(person, obstacle, at: now, in: transaction)
    case .waiting, .refused: break
    }
    return choice
  }

  /// Note to Self goes to our other devices, if all devices take part.
  private func planForOwnDevices(in transaction: borrowing WriteTransaction) throws -> RatchetChoice {
    guard let row = try transaction.ratchetSelf(), row.isClosed, try !isForeign(row) else {
      return .standard(.openRoster)
    }
    let siblings = try transaction.siblings(of: own, at: jobTime)
    return siblings.isEmpty ? .standard(.noKeys) : .ratchet(siblings)
  }

  /// Tells, as soon as it is known, that messages to a person will be less protected than before: so the first of them is
  /// refused to somebody who was verified.
  func noteLeaving(
    _ person: SessionID, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    guard person != own, try transaction.ratchetAccount(person.address)?.isSticky == true,
      case .standard(let obstacle) = try choose(for: person, at: now, in: transaction),
      !obstacle.isOurs
    else { return }
    try noteLeaving(person, obstacle, at: now, in: transaction)
  }

  /// Tells that messages to a person are less protected than before. What the user decided about this account ends no
  /// verification.
  private func noteLeaving(
    _ person: SessionID, _ obstacle: SecurityObstacle, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws {
    guard person != own, var record = try transaction.ratchetAccount(person.address), record.isSticky else {
      return
    }
    record.isSticky = false
    try transaction.put(record)
    try transaction.addNote(.weakened, about: person, at: now)
    if !obstacle.isOurs { try transaction.unverify(person, because: .weakened, at: now) }
  }

  /// What becomes of typing indicators.
  enum TypingRule {
    case sent
    /// The other side has forward secrecy.
    case unsent
    /// It was never asked for keys.
    case unknown
  }

  /// Decides on typing indicators to a person: they go only where messages have no forward secrecy anyway, as far as is known.
  func typingRule(
    for person: SessionID, at now: MessageTime, in transaction: borrowing some Reading & ~Copyable
  ) throws -> TypingRule {
    switch try choose(for: person, at: now, in: transaction) {
    case .standard: return .sent
    case .ratchet, .refused: return .unsent
    case .waiting:
      guard let record = try transaction.ratchetAccount(person.address), record.absentAt != nil,
        !record.isSticky
      else {
        return try transaction.ratchetAccount(person.address)?.fetchedAt == nil ? .unknown : .unsent
      }
      return .sent
    }
  }

  /// Counts a person whose keys could not be fetched as one who has published none, if nothing says otherwise: a network
  /// that hides them could else stop all first messages.
  func giveUpWaiting(for person: SessionID, in transaction: borrowing WriteTransaction) throws {
    var record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
    guard !record.isSticky, record.policy != .require, record.fetchedAt == nil,
      try transaction.ratchetDevices(of: person.address).isEmpty,
      try transaction.forwardSecrecy() != .require
    else { return }
    record.absentAt = jobTime
    try transaction.put(record)
  }

  /// Throws unless a person may be written to as they were verified, and at the level that the caller requires.
  func check(
    _ destination: Destination, shownAt: Int64?, requiring level: SecurityLevel?,
    in transaction: borrowing some Reading & ~Copyable
  ) throws {
    guard case .person(let person) = destination.place else {
      guard level ?? .v1 == .v1 else {
        throw MessengerError(.security, "there is no forward secrecy in this kind of conversation")
      }
      return
    }
    try checkIdentity(of: person, shownAt: shownAt, in: transaction)
    guard level == .sr1 else { return }
    switch try choose(for: person, at: time(), in: transaction) {
    case .ratchet, .waiting: return
    case .refused(let error): throw error
    case .standard(let obstacle): throw MessengerError.securityRequired(obstacle)
    }
  }
}
