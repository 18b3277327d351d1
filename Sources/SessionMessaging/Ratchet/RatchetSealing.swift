import SessionCore
import SessionNetworking
import SessionStorage

extension Ratchet {
  /// A message that was sealed for devices.
  struct Sealed {
    let bytes: [UInt8]
    /// When the bytes must not be stored any more: devices may have erased the keys that open them.
    let notAfter: Int64
    /// The devices without a session, which none could be started with.
    let missing: [RatchetDeviceRecord]
  }

  /// How long sealed bytes may wait to be stored.
  private static let longestDelivery = 10 * Time.day

  /// Seals a body for devices, with one step of a session with each. The transaction that stores the steps stores the
  /// bytes too, and only then may they leave. Nil if there is no session with any of them, and none can be started.
  func seal(
    _ body: RatchetBody, for devices: [RatchetDeviceRecord], isContent: Bool = true,
    in transaction: borrowing WriteTransaction
  ) throws -> Sealed? {
    guard let own = try transaction.ownDevice(of: account) else { return nil }
    var used: [(row: RatchetSessionRecord, session: RatchetSession)] = []
    var missing = Array(devices.dropFirst(RatchetEnvelope.maxSlots))
    for device in devices.prefix(RatchetEnvelope.maxSlots) {
      if let found = try session(with: device, from: own, in: transaction) {
        used.append(found)
      } else {
        missing.append(device)
      }
    }
    guard !used.isEmpty else { return nil }
    let bytes = try RatchetEnvelope.seal(body, with: used.map(\.session))
    var notAfter = jobTime + Self.longestDelivery
    for (row, session) in used {
      var row = row
      try row.take(session, at: jobTime)
      (row.receivedSinceSend, row.sentAt) = (0, jobTime)
      if isContent {
        row.contentAt = jobTime
        row.unansweredAt = row.unansweredAt ?? jobTime
      }
      try transaction.put(row)
      if session.isPending, let fetchedAt = row.bundleFetchedAt {
        notAfter = min(notAfter, fetchedAt + Time.usable)
      }
    }
    try transaction.requestLogEmptying(after: LogEmptying.delay, at: jobTime)
    return Sealed(bytes: bytes, notAfter: notAfter, missing: missing)
  }

  /// The session on which content goes to a device: the newest that is confirmed, or else the newest, or else a new one.
  func session(
    with device: RatchetDeviceRecord, from own: RatchetDevice, in transaction: borrowing WriteTransaction
  ) throws -> (row: RatchetSessionRecord, session: RatchetSession)? {
    var best: (row: RatchetSessionRecord, session: RatchetSession)?
    for row in try transaction.ratchetSessions(with: device.id) where !row.isClosed {
      guard let session = try transaction.load(row), session.canSend else { continue }
      if session.isPending, let fetchedAt = row.bundleFetchedAt, jobTime - fetchedAt >= Time.usable {
        continue
      }
      if row.confirmedAt != nil { return (row, session) }
      if best == nil { best = (row, session) }
    }
    return try best ?? start(with: device, from: own, in: transaction)
  }

  /// Starts a session from the bundle of a device. Nil if there is none, or it was fetched too long ago.
  func start(
    with device: RatchetDeviceRecord, from own: RatchetDevice, in transaction: borrowing WriteTransaction
  ) throws -> (row: RatchetSessionRecord, session: RatchetSession)? {
    guard let fetchedAt = device.fetchedAt, jobTime - fetchedAt < Time.usable,
      let bundle = device.currentBundle(), !bundle.isWithdrawal, !context.isTimeUncertain
    else { return nil }
    // Sessions are ordered by this time on both sides.
    let newest = try transaction.ratchetSessions(with: device.id).first?.startedAt ?? 0
    let started = max(Int64(clamping: try time().seconds), newest + 1)
    let session = try RatchetSession(
      from: own, with: bundle, startedAtSeconds: UInt32(clamping: started))
    var row = RatchetSessionRecord(
      with: device.id, startedAt: started, startKey: session.startKey, state: try session.state(),
      tagKeys: [], usedAt: jobTime)
    row.bundleFetchedAt = fetchedAt
    return (row, session)
  }
}

extension RatchetSessionRecord {
  /// Takes the state of a session after a step.
  mutating func take(_ session: RatchetSession, at now: Int64) throws {
    state = try session.state()
    tagKeys = try session.tagKeys().flatMap(\.self)
    usedAt = now
  }
}

extension Reading where Self: ~Copyable {
  /// Loads a session; nil if its state was damaged or is of a later version: it counts as absent then.
  func load(_ row: RatchetSessionRecord) throws -> RatchetSession? {
    do throws(SessionError) {
      return try RatchetSession(state: row.state, skipped: try skipped(row))
    } catch SessionError.Code.ratchetState {
      return nil
    }
  }

  private func skipped(_ row: RatchetSessionRecord) throws(SessionError) -> [RatchetSkippedKey] {
    do { return try skippedKeys(of: row.id) } catch {
      throw SessionError(.ratchetState, "its skipped keys are damaged")
    }
  }
}
