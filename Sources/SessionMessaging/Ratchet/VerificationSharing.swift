import SessionCore
import SessionStorage

// Verifications that the linked devices of an account tell each other: only their sessions make that authentic. A config
// would be open to anyone with the recovery phrase.

extension Ratchet {
  /// Records what the user said about a person on this device, and tells it to the other devices.
  func share(
    _ person: SessionID, _ fingerprint: [UInt8], isVerified: Bool, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws {
    // Later than what was said before, also where the clock went back.
    let before = try transaction.toldVerification(of: person.address)?.at ?? 0
    try transaction.put(
      ToldVerificationRecord(
        person.address, fingerprint, isVerified: isVerified, at: max(now.stored, before + 1)))
    try shareVerifications(in: transaction)
  }

  /// Tells the other devices of the account what they were not told yet. It waits where no session with them can be started.
  func shareVerifications(in transaction: borrowing WriteTransaction) throws {
    let untold = try transaction.untoldVerifications(limit: RatchetBody.maxVerifications)
    guard !untold.isEmpty else { return }
    let siblings = try transaction.siblings(of: own, at: jobTime)
    let takesPart = try transaction.forwardSecrecy() != .off && transaction.ratchetSelf() != nil
    // A device that is linked later gets it then.
    guard takesPart, !siblings.isEmpty else { return }
    if let row = try transaction.ratchetSelf(), try isForeign(row) { return }
    let verifications = try untold.compactMap { told in
      try SessionID(told.id).map { person in
        RatchetBody.Verification(
          person, told.fingerprint, isVerified: told.isVerified,
          at: try MessageTime(milliseconds: UInt64(clamping: told.at)))
      }
    }
    let body = RatchetBody(controlAt: try time(), verifications: verifications)
    guard try send(body, to: siblings, own, in: transaction) != nil else { return }
    for told in untold { try transaction.markTold(told) }
  }

  /// Takes what another device of the account said. Of people who are no contacts yet it is kept.
  func take(
    _ verifications: [RatchetBody.Verification], from device: RatchetDeviceRecord, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws {
    // Only devices that the user linked speak for ourselves.
    guard device.account == own.address, device.status == .accepted else { return }
    for verification in verifications where verification.person != own {
      let person = verification.person
      let at = min(verification.at, now).stored
      guard try transaction.toldVerification(of: person.address)?.at ?? 0 < at else { continue }
      try transaction.put(
        ToldVerificationRecord(
          person.address, verification.fingerprint, isVerified: verification.isVerified, at: at,
          by: device.device))
      try followVerification(of: person, at: now, in: transaction)
    }
    try transaction.trimToldVerifications()
  }

  /// Takes over what another device said last about a contact. That they were verified only if this device knows the very
  /// devices that were compared; else it asks for what they have published, and looks again.
  func followVerification(
    of person: SessionID, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    guard let told = try transaction.toldVerification(of: person.address), told.device != nil,
      let contact = try transaction.contact(person.address)
    else { return }
    let record = try transaction.verification(of: person.address)
    let isLater = told.at > max(record?.verifiedAt ?? 0, record?.changedAt ?? 0)
    guard told.isVerified else {
      guard let record, isLater, try !waitsForUser(record, in: transaction) else { return }
      try transaction.deleteVerification(of: person.address)
      return try transaction.tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
    }
    guard record?.state != .verified || record?.fingerprint != told.fingerprint else { return }
    let candidates = try candidates(of: person, in: transaction)
    let compared = try candidates.first { devices in
      try SafetySide(person, devices: devices).fingerprint == told.fingerprint
    }
    guard let compared else {
      let account = try transaction.ratchetAccount(person.address)
      let askedAt = max(account?.fetchedAt ?? 0, account?.absentAt ?? 0)
      guard contact.isApproved, !contact.isBlocked, askedAt <= told.at,
        try transaction.forwardSecrecy() != .off
      else { return }
      return try transaction.requestBundles(of: person, at: jobTime)
    }
    guard try isLater || isExplained(record, by: compared, among: candidates, in: transaction) else { return }
    try trust(person, compared, at: jobTime, in: transaction)
    var taken = VerificationRecord(person.address, .verified)
    (taken.fingerprint, taken.devices) = (told.fingerprint, Array(compared.joined()))
    (taken.verifiedAt, taken.verifiedBy) = (told.at, told.device)
    try transaction.put(taken)
    try transaction.addNote(.verified, device: told.device, about: person, at: now)
    try transaction.tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
  }

  /// True for a change that the user has to accept on this device, which the other one may not have noticed: devices that
  /// disagree, messages with less protection, and devices that nothing vouches for.
  private func waitsForUser(
    _ record: VerificationRecord, in transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    guard record.state == .changed else { return false }
    if record.cause == .disagree || record.cause == .weakened { return true }
    return try transaction.ratchetDevices(of: record.id).contains { $0.status == .provisional }
  }

  /// True if a change that was noticed here after the comparison is no later one: it is a device that was compared, and there
  /// is no other one.
  private func isExplained(
    _ record: VerificationRecord?, by compared: [[UInt8]], among candidates: [[[UInt8]]],
    in transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    guard let record, record.cause == .new, candidates.count == 1 else { return false }
    return try transaction.ratchetDevices(of: record.id).allSatisfy { device in
      compared.contains(device.device) || ![.provisional, .suspended].contains(device.status)
    }
  }
}

extension Reading where Self: ~Copyable {
  /// True if another device of the account verified a person last, but sees other devices of them than this one.
  func isVerifiedElsewhere(_ person: SessionID) throws -> Bool {
    guard let told = try toldVerification(of: person.address), told.isVerified, told.device != nil,
      try contact(person.address) != nil
    else { return false }
    let record = try verification(of: person.address)
    return record?.state != .verified && told.at > record?.changedAt ?? 0
  }
}
