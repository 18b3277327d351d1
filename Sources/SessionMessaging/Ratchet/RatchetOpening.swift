import SessionBase
import SessionCore
import SessionStorage

/// What a stored message of the ratchet protocol turned out to be.
enum RatchetOpening {
  /// A message for people.
  case content(ReceivedMessage, isFromHeldDevice: Bool)
  /// Something for the device itself, which was done.
  case control
  case duplicate
  /// It is for another device, damaged or forged, or its keys are gone.
  case unopened(SessionError)
  /// It was made for a session with a device, and does not continue it.
  case broken(RatchetDeviceRecord)
}

/// Opens messages of the ratchet protocol inside one transaction.
///
/// A session advances only if its message opened completely.
final class RatchetOpener {
  private let ratchet: Ratchet
  private let now: MessageTime
  /// The tag keys of all sessions, as of this transaction; nil before they are needed.
  private var tags: [(id: RatchetSessionRecord.ID, keys: [[UInt8]])]?
  /// True once the log will be emptied of the keys that were used.
  private var emptiesLog = false

  init(_ ratchet: Ratchet, at now: MessageTime) {
    self.ratchet = ratchet
    self.now = now
  }

  /// Forgets what was read, after a part of the transaction was undone.
  func reset() { (tags, emptiesLog) = (nil, false) }

  /// Opens a message, and stores what it changes. One that cannot be opened or stored changes nothing, and holds up no other:
  /// anybody can send any bytes.
  func open(_ bytes: [UInt8], in transaction: borrowing WriteTransaction) throws -> RatchetOpening {
    do { return try transaction.savepoint { try openParts(of: bytes, in: $0) } } catch {
      guard MessageReceiver.isOfMessage(error) else { throw error }
      reset()
      return .unopened(error as? SessionError ?? SessionError(.ratchetDamaged, "\(error)"))
    }
  }

  private func openParts(
    of bytes: [UInt8], in transaction: borrowing WriteTransaction
  ) throws -> RatchetOpening {
    let envelope: RatchetEnvelope
    do throws(SessionError) { envelope = try RatchetEnvelope(parsing: bytes) } catch {
      return .unopened(error)
    }
    var options = RatchetEnvelope.Options(nowSeconds: now.seconds)
    options.wasOpened = try transaction.wasOpened(envelope.mark)
    let sessions = try matching(envelope, in: transaction)
    var failure = SessionError(.ratchetOther, "no part of the message is for this device")
    if !sessions.isEmpty {
      let opened: (body: RatchetBody, index: Int)?
      do throws(RatchetEnvelope.Failure) {
        opened = try envelope.open(with: sessions.map(\.session), options)
      } catch {
        if error.error.code == .ratchetDuplicate { return .duplicate }
        if let index = error.broken { return try broken(sessions[index].row, in: transaction) }
        (opened, failure) = (nil, error.error)
        guard [.ratchetOther, .ratchetDamaged].contains(failure.code) else { return .unopened(failure) }
      }
      if let opened {
        let (row, session) = sessions[opened.index]
        return try finish(opened.body, envelope, row, session, isStart: false, in: transaction)
      }
    }
    guard envelope.hasStarts, let own = try transaction.ownDevice(of: ratchet.account) else {
      return .unopened(failure)
    }
    for start in try envelope.starts(for: own) {
      let opening = try open(start, of: envelope, own, options, in: transaction)
      if case .unopened(let error) = opening { failure = error } else { return opening }
    }
    return .unopened(failure)
  }

  // MARK: Sessions

  /// The sessions that a slot may be for.
  private func matching(
    _ envelope: RatchetEnvelope, in transaction: borrowing WriteTransaction
  ) throws -> [(row: RatchetSessionRecord, session: RatchetSession)] {
    let all =
      try tags
      ?? transaction.ratchetTagKeys().map { row in
        (
          row.id,
          stride(from: 0, to: row.keys.count - row.keys.count % 16, by: 16).map {
            Array(row.keys[$0..<$0 + 16])
          }
        )
      }
    tags = all
    return try all.filter { entry in entry.keys.contains { envelope.hasTag(of: $0) } }.compactMap { entry in
      guard let row = try transaction.ratchetSession(entry.id), let session = try transaction.load(row) else {
        return nil
      }
      return (row, session)
    }
  }

  // MARK: Starts

  private func open(
    _ start: RatchetEnvelope.Start, of envelope: RatchetEnvelope, _ own: RatchetDevice,
    _ options: RatchetEnvelope.Options, in transaction: borrowing WriteTransaction
  ) throws -> RatchetOpening {
    if let row = try transaction.ratchetSession(startKey: start.startKey) {
      guard let session = try transaction.load(row) else {
        return .unopened(SessionError(.ratchetState, "the session was damaged"))
      }
      let body: RatchetBody
      do throws(SessionError) { body = try envelope.open(start, with: session, options) } catch {
        switch error.code {
        case .ratchetDuplicate: return .duplicate
        case .ratchetBroken: return try broken(row, in: transaction)
        default: return .unopened(error)
        }
      }
      return try finish(body, envelope, row, session, isStart: true, in: transaction)
    }
    guard try !transaction.hasSeenStart(start.startKey) else { return .duplicate }
    let prekeys = try transaction.ratchetPrekeys(start.generation)
    let started: RatchetEnvelope.Started
    do throws(SessionError) { started = try envelope.open(start, by: own, prekeys, options) } catch {
      return .unopened(error)
    }
    guard let device = try admit(started.sender, own, in: transaction) else {
      return .unopened(SessionError(.ratchetOther, "messages of this device are not accepted"))
    }
    try transaction.noteStart(
      start.startKey, generation: start.generation, oneTimePlace: start.oneTimePlace, at: ratchet.jobTime)
    let row = RatchetSessionRecord(
      with: device.id, startedAt: Int64(started.session.startedAtSeconds), startKey: start.startKey,
      state: try started.session.state(), tagKeys: [], usedAt: ratchet.jobTime)
    let opening = try finish(started.body, envelope, row, started.session, isStart: true, in: transaction)
    if try transaction.contact(started.sender.account.address)?.isApproved != true {
      try transaction.trimStrangeSessions(own: ratchet.own.address)
    }
    return opening
  }

  /// Returns the row of the device that started a session, made now if it is new. Nil if nothing of it is taken.
  private func admit(
    _ sender: RatchetSender, _ own: RatchetDevice, in transaction: borrowing WriteTransaction
  ) throws -> RatchetDeviceRecord? {
    guard sender.device != own.id, try transaction.contact(sender.account.address)?.isBlocked != true else {
      return nil
    }
    if let known = try transaction.ratchetDevice(sender.device) {
      return known.account == sender.account.address && known.status != .removed ? known : nil
    }
    let others = try transaction.ratchetDevices(of: sender.account.address).filter { $0.status != .removed }
    guard others.count < RatchetDeviceRecord.limit else { return nil }
    let device = try transaction.put(
      RatchetDeviceRecord(sender.device, of: sender.account.address, .provisional, at: ratchet.jobTime))
    if !others.isEmpty {
      try ratchet.note(
        [.added(device.device, isEndorsed: false)], of: sender.account, at: now, in: transaction)
    }
    return device
  }

  // MARK: Ends

  /// Stores the session of a message that was opened, and reads the content.
  private func finish(
    _ body: RatchetBody, _ envelope: RatchetEnvelope, _ row: RatchetSessionRecord, _ session: RatchetSession,
    isStart: Bool, in transaction: borrowing WriteTransaction
  ) throws -> RatchetOpening {
    var row = row
    try row.take(session, at: ratchet.jobTime)
    // The other side has it too: it answered, or does not repeat the start any more.
    if row.confirmedAt == nil, session.isInitiator || !isStart { row.confirmedAt = ratchet.jobTime }
    (row.heardAt, row.unansweredAt) = (ratchet.jobTime, nil)
    row.receivedSinceSend += 1
    if !body.content.isEmpty { row.contentAt = ratchet.jobTime }
    row = try transaction.put(row)
    for key in try session.removedKeys() { try transaction.delete(key, of: row.id) }
    for key in try session.addedKeys() { try transaction.insert(key, of: row.id) }
    try transaction.noteOpened(envelope.mark, at: ratchet.jobTime)
    tags = nil
    if !emptiesLog {
      try transaction.requestLogEmptying(after: LogEmptying.delay, at: ratchet.jobTime)
      emptiesLog = true
    }
    guard let device = try transaction.ratchetDevice(row.deviceID), let sender = SessionID(device.account)
    else {
      return .unopened(SessionError(.ratchetState, "the device of the session is not known"))
    }
    try ratchet.noteLife(of: sender, device, at: now, in: transaction)
    if try sender != ratchet.own && transaction.contact(sender.address)?.isApproved != true {
      try transaction.trimSkippedKeys(of: row.id, limit: RatchetSession.maxSkippedOfStranger)
    }
    guard !body.content.isEmpty else {
      try ratchet.carryOut(body, from: device, row, at: now, in: transaction)
      return .control
    }
    // Only devices that the user linked speak for ourselves.
    guard sender != ratchet.own || device.status == .accepted else {
      return .unopened(SessionError(.ratchetOther, "the device is not linked"))
    }
    let isHeld =
      try device.status == .suspended
      || device.status == .provisional && holdsNewDevices(of: sender, transaction)
    do throws(SessionError) {
      let received = try ReceivedMessage(
        ratchetContent: body.content, sentAt: body.sentAt, from: sender, to: ratchet.own)
      return .content(received, isFromHeldDevice: isHeld)
    } catch {
      return .unopened(error)
    }
  }

  /// True if messages of a device that nothing vouches for are marked. Before anything was looked for, it may well be the
  /// only device of somebody who was never verified.
  private func holdsNewDevices(
    of person: SessionID, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    let record = try transaction.ratchetAccount(person.address)
    if record?.fetchedAt != nil || record?.absentAt != nil { return true }
    return try transaction.verification(of: person.address) != nil || transaction.newDevices() == .hold
  }

  private func broken(
    _ row: RatchetSessionRecord, in transaction: borrowing WriteTransaction
  ) throws -> RatchetOpening {
    guard let device = try transaction.ratchetDevice(row.deviceID) else {
      return .unopened(SessionError(.ratchetState, "the device of the session is not known"))
    }
    return .broken(device)
  }
}

extension Ratchet {
  /// Records a sign of life of a device, and fetches what its account has published if that is not known yet.
  func noteLife(
    of person: SessionID, _ device: RatchetDeviceRecord, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws {
    var record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
    if device.status == .accepted || device.isSettled {
      record.lastSeenAt = max(record.lastSeenAt ?? 0, jobTime)
      record.foreignAt = nil
    }
    try transaction.put(record)
    guard person != own else { return }
    if device.status != .suspended { try bind(person, at: now, in: transaction) }
    // Strangers can come in any number: what their devices published is fetched once the user answers them.
    let askedAt = record.fetchedAt ?? record.absentAt
    if askedAt.map({ jobTime - $0 >= Time.fresh }) ?? true, try transaction.forwardSecrecy() != .off,
      try transaction.contact(person.address)?.isApproved == true
    {
      try transaction.requestBundles(of: person, at: jobTime)
    }
  }
}
