import SessionCore
import SessionJobs
import SessionStorage

// Safety numbers: comparing them, and what ends a comparison.

extension Ratchet {
  /// The devices of ourselves that count in our numbers: this one, and those linked with it that live.
  func ownCounted(in transaction: borrowing some Reading & ~Copyable) throws -> [[UInt8]] {
    guard let own = try transaction.ratchetSelf(), own.publishedAt != nil else { return [] }
    return try [own.device(of: account).id] + transaction.siblings(of: self.own, at: jobTime).map(\.device)
  }

  /// The sets of devices that a person may mean: those that are accepted, and each roster of a live bundle that differs
  /// from them, as after a lost telephone or where somebody added a device.
  func candidates(
    of person: SessionID, in transaction: borrowing some Reading & ~Copyable
  ) throws -> [[[UInt8]]] {
    let devices = try transaction.ratchetDevices(of: person.address)
    let live = devices.filter { $0.status != .removed && $0.isCounted(at: jobTime) }
    let accepted = live.filter { $0.status == .accepted }.map(\.device).sorted(by: precedes)
    let known = Set(live.map(\.device))
    var sets: [[[UInt8]]] = accepted.isEmpty && !live.isEmpty ? [] : [accepted]
    for device in live {
      let roster = (device.currentBundle()?.roster ?? []).filter(known.contains).sorted(by: precedes)
      if !roster.isEmpty, !sets.contains(roster), sets.count <= SafetySide.maxDevices { sets.append(roster) }
    }
    return sets.map { Array($0.prefix(SafetySide.maxDevices)) }
  }

  /// The numbers to compare with a person, that of the accepted devices first.
  func safetyNumbers(
    with person: SessionID, in transaction: borrowing some Reading & ~Copyable
  ) throws -> [(number: SafetyNumber, devices: [[UInt8]])] {
    let own = try SafetySide(self.own, devices: try ownCounted(in: transaction))
    return try candidates(of: person, in: transaction).map { devices in
      (SafetyNumber(own: own, theirs: try SafetySide(person, devices: devices)), devices)
    }
  }

  /// Records that the numbers with a person were compared, and are equal. The devices that they cover are accepted, all
  /// others get nothing.
  func confirm(
    _ person: SessionID, _ devices: [[UInt8]], _ fingerprint: [UInt8], by method: VerificationRecord.Method,
    at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    try trust(person, devices, at: jobTime, in: transaction)
    var record = VerificationRecord(person.address, .verified)
    (record.fingerprint, record.devices) = (fingerprint, Array(devices.joined()))
    (record.verifiedAt, record.method) = (now.stored, method)
    try transaction.put(record)
    try transaction.addNote(.verified, about: person, at: now)
    try transaction.tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
    try share(person, fingerprint, isVerified: true, at: now, in: transaction)
  }

  /// Accepts the devices of a person that a number covers. All others get nothing.
  func trust(
    _ person: SessionID, _ devices: [[UInt8]], at now: Int64, in transaction: borrowing WriteTransaction
  ) throws {
    for var device in try transaction.ratchetDevices(of: person.address) where device.status != .removed {
      let isCovered = devices.contains(device.device)
      if isCovered, device.status != .accepted {
        device.accept(at: now)
      } else if !isCovered {
        device.status = .suspended
      }
      try transaction.put(device)
    }
    try overruleRemovals(of: person, in: transaction)
  }

  /// Has devices that the user accepted together stay so, although one of them declares another one removed.
  private func overruleRemovals(
    of person: SessionID, in transaction: borrowing WriteTransaction
  ) throws {
    let accepted = try transaction.ratchetDevices(of: person.address).filter { $0.status == .accepted }
    let keys = Set(accepted.map(\.device))
    for var device in accepted {
      let known = device.overruled.keys
      let overruled = (device.currentBundle()?.removed ?? []).filter {
        keys.contains($0) && $0 != device.device && !known.contains($0)
      }
      guard !overruled.isEmpty else { continue }
      device.overruled += overruled.joined()
      try transaction.put(device)
    }
  }

  /// Forgets that numbers were compared with a person, here and on the other devices.
  func clearVerification(
    of person: SessionID, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    let record = try transaction.verification(of: person.address)
    let told = try transaction.toldVerification(of: person.address)
    guard record != nil || told?.isVerified == true else { return }
    try transaction.deleteVerification(of: person.address)
    let compared = record?.fingerprint ?? told?.fingerprint
    let fingerprint = try compared ?? SafetySide(person, devices: [[UInt8]]()).fingerprint
    try share(person, fingerprint, isVerified: false, at: now, in: transaction)
    try transaction.tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
  }

  /// Goes on without comparing, also with less protection: the held devices of a person are accepted, or those that were
  /// chosen or seen by then. All other ones get nothing. After a disagreement of their devices, it needs to be said which of them.
  func accept(
    _ person: SessionID, _ chosen: [[UInt8]]?, upTo time: Int64?, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws {
    // That a long silence leads to less was noticed only where something was to be sent.
    try noteLeaving(person, at: now, in: transaction)
    guard let record = try transaction.verification(of: person.address), record.state == .changed else {
      throw MessengerError(.notAllowed, "nothing about this person waits to be accepted")
    }
    if record.cause == .disagree, chosen == nil {
      throw MessengerError(
        .identity, "the devices of this person disagree: say which of them to accept")
    }
    for var device in try transaction.ratchetDevices(of: person.address)
    where device.status == .provisional || device.status == .suspended {
      let isAccepted =
        time.map { device.firstSeenAt <= $0 } ?? true
        && chosen.map { $0.contains(device.device) } ?? (device.status == .provisional)
      if isAccepted {
        device.accept(at: jobTime)
      } else {
        device.status = .suspended
      }
      try transaction.put(device)
    }
    if chosen != nil { try overruleRemovals(of: person, in: transaction) }
    // What happened later was not accepted.
    if time.map({ record.changedAt ?? 0 <= $0 }) ?? true {
      return try clearVerification(of: person, at: now, in: transaction)
    }
    try transaction.tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
  }

  // MARK: Before sending

  /// How much earlier than a message a change must have been shown to count as seen, in milliseconds.
  private static let threshold: Int64 = 2000

  /// Throws if a person has changed since they were verified, and the sender was not shown that, or if the user wants only
  /// verified people to be written to.
  func checkIdentity(
    of person: SessionID, shownAt: Int64?, in transaction: borrowing some Reading & ~Copyable
  ) throws {
    let policy = try transaction.verificationPolicy()
    guard let record = try transaction.verification(of: person.address) else {
      guard policy == .always, person != own else { return }
      throw MessengerError(
        .identity, "you have not compared numbers with this person: run: session verify show PERSON")
    }
    guard record.state == .changed else {
      return try checkProtection(of: person, policy, wasShown: shownAt != nil, in: transaction)
    }
    guard policy != .off || record.cause == .disagree else { return }
    if let shownAt, record.cause != .disagree, let changedAt = record.changedAt, changedAt <= shownAt,
      jobTime - changedAt >= Self.threshold
    {
      return
    }
    throw MessengerError(
      .identity,
      "this person is no longer verified: compare numbers (session verify show), or go on without that: session verify accept"
    )
  }
}

extension Ratchet {
  /// Throws a failure of a job if a person has changed while something for them waited, later than its sender was shown, or
  /// if it would have less protection than its sender requires.
  func checkWaiting(
    for person: SessionID, shownAt: Int64?, requiring level: SecurityLevel? = nil,
    in transaction: borrowing some Reading & ~Copyable
  ) throws {
    do { try checkIdentity(of: person, shownAt: shownAt, in: transaction) } catch let error as MessengerError
    {
      guard error.code == .identity else { throw JobFailure(.permanent, error.message) }
      throw JobFailure(
        .permanent,
        "the devices of this person changed while this was waiting: compare numbers, or send it again and confirm that"
      )
    }
    guard level == .sr1, case .standard(let obstacle) = try choose(for: person, at: time(), in: transaction)
    else { return }
    throw JobFailure(.permanent, MessengerError.securityRequired(obstacle).message)
  }

  /// Throws if the next message to somebody who was verified would be less protected than it was until now, as after a long
  /// silence, and nothing has told of that yet.
  private func checkProtection(
    of person: SessionID, _ policy: VerificationPolicy, wasShown: Bool,
    in transaction: borrowing some Reading & ~Copyable
  ) throws {
    guard policy != .off, !wasShown, try transaction.ratchetAccount(person.address)?.isSticky == true,
      case .standard(let obstacle) = try choose(for: person, at: time(), in: transaction), !obstacle.isOurs
    else { return }
    throw MessengerError(
      .identity,
      "messages to this person would be less protected than when you verified them; to go on with that: session verify accept"
    )
  }
}

private func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.lexicographicallyPrecedes(other) }

extension RatchetDeviceRecord {
  /// How old a bundle of a device may be that counts in a number, in milliseconds.
  private static let counted = 30 * Ratchet.Time.day

  func isCounted(at now: Int64) -> Bool { bundle != nil && !isWithdrawn && now - signedAt <= Self.counted }
}

extension WriteTransaction {
  /// Ends a verification because something was added or has changed. Where devices disagree, also that nothing was ever
  /// compared matters.
  func unverify(
    _ person: SessionID, because cause: VerificationRecord.Cause, at now: MessageTime
  ) throws {
    var record: VerificationRecord
    if let known = try verification(of: person.address) {
      record = known
    } else {
      guard cause == .disagree else { return }
      record = VerificationRecord(person.address, .changed)
    }
    guard record.state == .verified || record.verifiedAt == nil || cause == .disagree else { return }
    (record.state, record.cause, record.changedAt) = (.changed, cause, now.stored)
    try put(record)
    try addNote(.unverified, about: person, at: now)
    try tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
  }

  /// Makes a person verified again whose only change was a device that was contradicted or removed since.
  func restoreVerification(of person: SessionID, at now: MessageTime) throws {
    guard var record = try verification(of: person.address), record.state == .changed, record.cause == .new,
      let known = record.devices?.keys,
      try ratchetDevices(of: person.address).allSatisfy({ device in
        ![.accepted, .provisional].contains(device.status) || known.contains(device.device)
      })
    else { return }
    (record.state, record.cause, record.changedAt) = (.verified, nil, nil)
    try put(record)
    try addNote(.verified, about: person, at: now)
    try tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
  }
}
