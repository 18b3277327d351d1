import SessionBase
import SessionCore
import SessionStorage

extension Ratchet {
  /// Stores what the devices of an account have published, and tells what changed by it.
  func take(
    _ found: [PublishedBundle], of person: SessionID, isComplete: Bool, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws {
    var record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
    let known = try transaction.ratchetDevices(of: person.address)
    // A device belongs to the account that it was first seen under.
    let proper = try found.filter { published in
      try transaction.ratchetDevice(published.bundle.device).map { $0.account == person.address } ?? true
    }
    var judgement = DeviceJudgement(of: person.address, known, at: jobTime)
    // Our own devices are trusted only once the user has linked them, and those of somebody who was verified without any
    // only once they are compared.
    let isFirstUse =
      try person != own && !known.contains { $0.status != .provisional } && record.fetchedAt == nil
      && transaction.verification(of: person.address) == nil
    judgement.take(proper, isFirstUse: isFirstUse)
    for device in judgement.devices where !known.contains(device) {
      try transaction.put(device)
      if device.isWithdrawn || [.suspended, .removed].contains(device.status) {
        try transaction.closeRatchetSessions(with: device.id)
      }
      guard let published = device.publishedAt, published > record.lastSeenAt ?? 0 else { continue }
      record.lastSeenAt = published
      if device.status == .accepted, published > record.foreignAt ?? .max { record.foreignAt = nil }
    }
    if !proper.isEmpty || !known.isEmpty {
      (record.fetchedAt, record.absentAt) = (jobTime, nil)
    } else if isComplete {
      record.absentAt = jobTime
    }
    if judgement.hasContradiction { record.contradictedAt = jobTime }
    try transaction.put(record)
    try note(judgement.changes, of: person, at: now, in: transaction)
    let accepted = judgement.devices.filter { $0.status == .accepted && $0.isLive(at: jobTime) }
    if !accepted.isEmpty, accepted.allSatisfy(\.takesPart) {
      try bind(person, at: now, in: transaction)
    }
    try noteLeaving(person, at: now, in: transaction)
    try followVerification(of: person, at: now, in: transaction)
  }

  /// Records that messages to a person have forward secrecy from now on, and that no missing or old answer of a node leads
  /// back to less. Nothing while this account does not take part itself.
  func bind(
    _ person: SessionID, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    guard person != own, try transaction.forwardSecrecy() != .off, let row = try transaction.ratchetSelf(),
      row.isClosed, try !isForeign(row)
    else { return }
    var record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
    guard !record.isSticky, record.foreignAt == nil else { return }
    record.isSticky = true
    try transaction.put(record)
    try transaction.addNote(.protected, about: person, at: now)
  }

  /// Tells of changes of devices, and ends what was verified by them.
  func note(
    _ changes: [DeviceJudgement.Change], of person: SessionID, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws {
    guard person != own else { return try noteOwnDevices(changes, at: now, in: transaction) }
    for change in changes {
      switch change {
      case .added(let device, let isEndorsed):
        let isVerified = try transaction.verification(of: person.address)?.state == .verified
        let isHeld = try !isEndorsed && (isVerified || transaction.newDevices() == .hold)
        try transaction.addNote(isHeld ? .deviceHeld : .deviceAdded, device: device, about: person, at: now)
        try transaction.unverify(person, because: isEndorsed ? .linked : .new, at: now)
      case .removed(let device):
        try transaction.addNote(.deviceRemoved, device: device, about: person, at: now)
      case .suspended(let device):
        try transaction.addNote(.deviceHeld, device: device, about: person, at: now)
        try transaction.restoreVerification(of: person, at: now)
      case .disagreement:
        try transaction.addNote(.devicesDisagree, about: person, at: now)
        try transaction.unverify(person, because: .disagree, at: now)
      }
    }
  }

  /// Tells of changes of our own devices.
  private func noteOwnDevices(
    _ changes: [DeviceJudgement.Change], at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    guard !changes.isEmpty else { return }
    for case .added in changes { environment.log(.warn, .account, "unlinked-device") }
    try transaction.tell(.devicesChanged, MessengerEvent.Content(person: own), at: now)
  }

  /// Records that a person wrote from a program without the protocol, if their devices were silent for so long before
  /// that they must have moved to it. While their devices live, anyone with their recovery phrase could write that.
  func noteForeign(
    _ person: SessionID, sentAt: Int64, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    guard var record = try transaction.ratchetAccount(person.address), record.foreignAt == nil,
      try transaction.isForeign(sentAt: sentAt, person, at: now)
    else { return }
    record.foreignAt = min(sentAt, now.stored)
    try transaction.put(record)
    try noteLeaving(person, at: now, in: transaction)
  }

  /// Records that the mailbox was read completely, from a time on: prekeys whose time was over before may go.
  func noteComplete(readingAt beganAt: Int64) async throws {
    let isDue = try await database.read { transaction in
      try transaction.ratchetSelf() != nil
        && beganAt - (transaction.value(of: .mailboxReadAt) ?? 0) >= Time.hour
    }
    guard isDue else { return }
    try await database.write(.relaxed) { transaction in try transaction.set(.mailboxReadAt, to: beganAt) }
  }
}

extension Reading where Self: ~Copyable {
  /// True if a message without the protocol came that long after the last sign of life from a person's devices. One who has
  /// the person's recovery phrase can begin sessions as a device that was never published: it does not count against the
  /// person, who writes without the protocol.
  func isForeign(sentAt: Int64, _ person: SessionID, at now: MessageTime) throws -> Bool {
    let all = try ratchetDevices(of: person.address)
    guard let record = try ratchetAccount(person.address) else { return false }
    if record.isSticky, try isUnpublished(all, record) {
      let heard = try all.flatMap { try ratchetSessions(with: $0.id) }.compactMap(\.heardAt)
      return min(sentAt, now.stored) > max(all.map(\.firstSeenAt).max() ?? 0, heard.max() ?? 0)
    }
    let devices = all.filter { $0.status == .accepted || $0.isSettled }
    guard !devices.isEmpty else { return false }
    let newest = max(devices.map(\.signedAt).max() ?? 0, record.lastSeenAt ?? 0)
    return min(sentAt, now.stored) > newest + Ratchet.Time.silence
  }

  /// True if none of a person's devices published anything, and nothing else says that messages have forward secrecy.
  private func isUnpublished(_ all: [RatchetDeviceRecord], _ record: RatchetAccountRecord) throws -> Bool {
    try !all.isEmpty && all.allSatisfy { $0.bundle == nil } && record.policy != .require
      && forwardSecrecy() != .require && verification(of: record.id) == nil
  }
}

extension WriteTransaction {
  /// Looks whether a person has moved to a program without the protocol, if a message may mean that: their bundles are
  /// fetched anew before that counts.
  func noteStandardMessage(
    of person: SessionID, sentAt: MessageTime, at now: MessageTime, _ context: AccountContext
  ) throws {
    guard try forwardSecrecy() != .off, try isForeign(sentAt: sentAt.stored, person, at: now) else { return }
    try requestBundles(of: person, foreignAt: sentAt.stored, at: context.jobTime)
  }

  /// Forgets the devices of a person, with all sessions, and that numbers were compared.
  func forgetDevices(of person: SessionID) throws {
    try deleteRatchetDevices(of: person.address)
    try deleteVerification(of: person.address)
    try deleteToldVerification(of: person.address)
  }
}

extension RatchetDeviceRecord {
  /// When it published its newest bundle; nil if it has none.
  fileprivate var publishedAt: Int64? { bundle == nil ? nil : signedAt }

  /// True if nothing vouches for it, and nothing has disputed it for a while.
  var isSettled: Bool { status == .provisional && settledAt != nil }
}
