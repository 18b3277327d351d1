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
      var record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
      if !record.isSticky {
        record.isSticky = true
        try transaction.put(record)
        try transaction.addNote(.protected, about: person, at: now)
      }
      if jobTime - (record.fetchedAt ?? 0) >= Time.fresh {
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

  /// Tells that messages to a person are less protected than before.
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
    try transaction.unverify(person, because: .weakened, at: now)
  }

  /// Counts a person whose keys could not be fetched as one who has published none, if nothing says otherwise: a network
  /// that hides them could else stop all first messages.
  func giveUpWaiting(for person: SessionID, in transaction: borrowing WriteTransaction) throws {
    var record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
    guard !record.isSticky, record.policy != .require, record.fetchedAt == nil,
      try transaction.forwardSecrecy() != .require
    else { return }
    record.absentAt = jobTime
    try transaction.put(record)
  }

  /// Throws unless a person may be written to as they were verified, and at the level that the caller requires.
  func check(
    _ text: OutgoingText, to destination: Destination, in transaction: borrowing some Reading & ~Copyable
  ) throws {
    guard case .person(let person) = destination.place else {
      guard text.requiredLevel ?? .v1 == .v1 else {
        throw MessengerError(.security, "there is no forward secrecy in this kind of conversation")
      }
      return
    }
    try checkIdentity(of: person, shownAt: text.identityShownAt, in: transaction)
    guard text.requiredLevel == .sr1 else { return }
    switch try choose(for: person, at: time(), in: transaction) {
    case .ratchet, .waiting: return
    case .refused(let error): throw error
    case .standard(let obstacle): throw MessengerError.securityRequired(obstacle)
    }
  }
}
