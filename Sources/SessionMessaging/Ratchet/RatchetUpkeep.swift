import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Keeps sessions with devices alive: answers, renews and heals them, and erases keys whose time is over.
struct RatchetUpkeep: JobKind {
  static let kind = "ratchetUpkeep"
  static let queue = JobQueue("ratchet", concurrency: 1)
  static let conditions: JobConditions = [.accountActive]
  static let timesAreDelays = true
  static let interval = Duration.seconds(3600)

  /// The session on which to send a ping; nil for the regular upkeep of all.
  var pinging: Int64?

  var uniqueKey: String? { pinging.map { "\($0)" } ?? "" }
}

extension Ratchet {
  /// When sessions are looked after. Times in milliseconds.
  private enum Pace {
    /// The number of messages received since the last own one, or how long ago that is, after which a ping is due.
    static let mostReceived = 50
    static let ping = Time.day
    /// How long after the last content bundles are fetched every day.
    static let refresh = 14 * Time.day
    /// How long after the last content sessions are kept alive.
    static let idle = 7 * Time.day
    /// How old a session is that is renewed: sooner by the device with the lower key.
    static let renewal = (first: 7 * Time.day, second: 9 * Time.day)
    /// How long before that at most the prekeys were fetched.
    static let recent = 12 * Time.hour
    /// How long a start may be unanswered: shorter if the device has published since.
    static let start = (least: 48 * Time.hour, most: 7 * Time.day)
    /// By how much the device must have published later to count as living.
    static let living = 48 * Time.hour
    /// How long messages may be broken before the session is reset, and how often that happens.
    static let broken = (least: 5 * Time.minute, span: 10 * Time.minute)
    static let reset = 6 * Time.hour
    static let mostResets = 5
    /// The number of devices whose sessions are reset in an hour.
    static let mostHealed = 20
  }

  func makeRatchetUpkeep() -> JobHandler {
    JobHandler(RatchetUpkeep.self) { [self] upkeep, job in
      if let pinging = upkeep.pinging {
        return .done { [self] transaction in
          guard let row = try transaction.ratchetSession(RatchetSessionRecord.ID(rawValue: pinging)) else {
            return
          }
          try ping(row, in: transaction)
        }
      }
      let delay = Time.hour - Int64(environment.chance() * Double(10 * Time.minute))
      return .again(at: jobTime + delay) { [self] transaction in
        // Keys go also after it was switched off.
        try transaction.trimRatchetHistory(at: jobTime)
        let isOff = try transaction.forwardSecrecy() == .off
        let erased = try transaction.erase(
          RatchetErasure(at: jobTime, readAt: try transaction.value(of: .mailboxReadAt), isOff: isOff))
        if erased > 0 { try transaction.requestLogEmptying(at: jobTime) }
        guard !isOff else { return }
        try shareVerifications(in: transaction)
        let own = try transaction.ratchetSelf()
        for row in try transaction.newestRatchetSessions() {
          try lookAfter(row.deviceID, own, in: transaction)
        }
        for broken in try transaction.brokenDevices().prefix(Pace.mostHealed) {
          try heal(broken.device, since: broken.since, in: transaction)
        }
      }
    }
  }

  private func ping(_ row: RatchetSessionRecord, in transaction: borrowing WriteTransaction) throws {
    guard let device = try transaction.ratchetDevice(row.deviceID), let person = SessionID(device.account),
      try mayAnswer(person, device, in: transaction)
    else { return }
    // On this very session: an answer on it is what confirms it to the other side.
    guard !row.isClosed, let session = try transaction.load(row), session.canSend else { return }
    try send(
      RatchetBody(controlAt: try time(), isPing: true), on: (row, session), to: device, person,
      in: transaction)
  }

  // MARK: Keeping alive

  /// Looks after the sessions with one device.
  private func lookAfter(
    _ id: RatchetDeviceRecord.ID, _ own: RatchetSelfRecord?, in transaction: borrowing WriteTransaction
  ) throws {
    guard let own, let device = try transaction.ratchetDevice(id),
      let person = SessionID(device.account), try mayAnswer(person, device, in: transaction)
    else { return }
    let sessions = try giveUpRenewals(try transaction.ratchetSessions(with: id), in: transaction)
    let open = sessions.filter { !$0.isClosed }
    // Content goes on this one.
    guard let row = open.first(where: { $0.confirmedAt != nil }) ?? open.first ?? sessions.first else {
      return
    }
    if try restart(row, with: device, person, in: transaction) { return }
    guard let contentAt = sessions.compactMap(\.contentAt).max() else { return }
    if person != self.own, jobTime - contentAt < Pace.refresh, jobTime - (device.fetchedAt ?? 0) >= Time.fresh
    {
      try transaction.requestBundles(
        of: person, at: jobTime, after: Int64(environment.chance() * Double(Time.hour)))
    }
    guard jobTime - contentAt < Pace.idle else { return }
    let ownDevice = try own.device(of: account)
    let isFirst = ownDevice.id.lexicographicallyPrecedes(device.device)
    let due =
      (isFirst ? Pace.renewal.first : Pace.renewal.second)
      + Int64(environment.chance() * Double(Time.day))
    let isRenewing = open.contains { $0.confirmedAt == nil && $0.id != row.id }
    if row.confirmedAt != nil, !isRenewing, jobTime - row.startedAt * 1000 >= due {
      // From prekeys that can be used for long: it may be answered late.
      guard person == self.own || jobTime - (device.fetchedAt ?? 0) < Pace.recent else {
        return try transaction.requestBundles(of: person, at: jobTime)
      }
      guard let session = try start(with: device, from: ownDevice, in: transaction) else { return }
      try send(
        RatchetBody(controlAt: try time(), isPing: true), on: session, to: device, person,
        in: transaction)
    } else if row.receivedSinceSend >= Pace.mostReceived
      || (row.receivedSinceSend > 0 && jobTime - (row.sentAt ?? row.startedAt * 1000) >= Pace.ping)
    {
      try ping(row, in: transaction)
    }
  }

  /// Drops sessions that this device started to renew an older one, and that were not answered while their prekeys could be
  /// used: the next renewal begins anew. Returns the others.
  private func giveUpRenewals(
    _ sessions: [RatchetSessionRecord], in transaction: borrowing WriteTransaction
  ) throws -> [RatchetSessionRecord] {
    guard sessions.contains(where: { $0.confirmedAt != nil && !$0.isClosed }) else { return sessions }
    return try sessions.filter { session in
      guard !session.isClosed, session.confirmedAt == nil, session.contentAt == nil,
        let fetchedAt = session.bundleFetchedAt, jobTime - fetchedAt >= Time.usable
      else { return true }
      try transaction.deleteRatchetSession(session.id)
      return false
    }
  }

  /// Sends something on one session, whatever content goes on.
  private func send(
    _ body: RatchetBody, on used: (row: RatchetSessionRecord, session: RatchetSession),
    to device: RatchetDeviceRecord, _ person: SessionID, in transaction: borrowing WriteTransaction
  ) throws {
    let item = SwarmItem(
      try RatchetEnvelope.seal(body, with: [used.session]), for: Self.controlLifetime)
    var row = used.row
    try row.take(used.session, at: jobTime)
    (row.sentAt, row.receivedSinceSend) = (jobTime, 0)
    try transaction.put(row)
    if person == own {
      try transaction.remember(
        item.hash(in: own), in: own, until: jobTime + Self.controlLifetime.milliseconds)
    }
    var delivery = Delivery(swarm: person, items: [SealedItem(item)], role: .notice)
    delivery.notAfter = row.bundleFetchedAt.map { $0 + Time.usable }
    try transaction.request(delivery, at: jobTime)
  }

  // MARK: Healing

  /// Starts anew where the other side has most likely never got a session, or lost it. Returns true if it did, or waits
  /// for newer prekeys to do so.
  private func restart(
    _ row: RatchetSessionRecord, with device: RatchetDeviceRecord, _ person: SessionID,
    in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard !row.isClosed, let sentAt = row.unansweredAt else { return false }
    let waited = jobTime - sentAt
    let livesOn = device.signedAt >= sentAt + Pace.living
    let isLost =
      row.confirmedAt == nil
      ? row.bundleFetchedAt != nil && (waited >= Pace.start.most || (waited >= Pace.start.least && livesOn))
      : waited >= Time.silence && livesOn
    guard isLost else { return false }
    guard device.fetchedAt.map({ jobTime - $0 < Time.fresh }) ?? false else {
      if person != own { try transaction.requestBundles(of: person, at: jobTime) }
      return true
    }
    guard let own = try transaction.ownDevice(of: account),
      let session = try start(with: device, from: own, in: transaction)
    else { return true }
    var dead = row
    dead.isClosed = true
    try transaction.put(dead)
    try send(
      RatchetBody(controlAt: try time(), resend: []), on: session, to: device, person, in: transaction)
    try transaction.addNote(.sessionReset, device: device.device, about: person, at: time())
    try sendAgain(
      transaction.ratchetSent(
        to: person.address, since: max(row.heardAt ?? 0, sentAt), limit: RatchetBody.maxResend),
      to: device, person, in: transaction)
    return true
  }

  /// Starts a new session with a device whose messages do not continue the old one, and asks for them again.
  private func heal(
    _ id: RatchetDeviceRecord.ID, since: Int64, in transaction: borrowing WriteTransaction
  ) throws {
    guard var device = try transaction.ratchetDevice(id), let person = SessionID(device.account) else {
      return
    }
    let delay = Pace.broken.least + Int64(environment.chance() * Double(Pace.broken.span))
    guard jobTime - since >= delay else { return }
    // Nothing is sent to people who were not accepted.
    guard try mayAnswer(person, device, in: transaction) else {
      return try giveUp(device, of: person, in: transaction)
    }
    // What could not be healed for a day will not be; a machine that slept for so long has not tried yet.
    let isLate = jobTime - since >= Time.day
    if let resetAt = device.resetAt {
      if jobTime - resetAt >= Time.day { device.resetCount = 0 }
      guard jobTime - resetAt >= Pace.reset, device.resetCount < Pace.mostResets else {
        if isLate { try giveUp(device, of: person, in: transaction) }
        return
      }
    }
    guard try startAnew(with: device, person, in: transaction) else {
      if isLate, try person == own || wasFetched(person, since: since + Time.day, in: transaction) {
        try giveUp(device, of: person, in: transaction)
      } else if person != own {
        try transaction.requestBundles(of: person, at: jobTime)
      }
      return
    }
    (device.resetAt, device.resetCount) = (jobTime, device.resetCount + 1)
    try transaction.put(device)
  }

  /// Tells that messages of a device cannot be read.
  private func giveUp(
    _ device: RatchetDeviceRecord, of person: SessionID, in transaction: borrowing WriteTransaction
  ) throws {
    try transaction.addNote(.lost, device: device.device, about: person, at: time())
    try transaction.forgetBroken(of: device.id)
  }

  /// True if the keys of a person's devices were fetched at this time or later.
  private func wasFetched(
    _ person: SessionID, since time: Int64, in transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    guard let record = try transaction.ratchetAccount(person.address) else { return false }
    return max(record.fetchedAt ?? 0, record.absentAt ?? 0) >= time
  }

  /// Leaves the sessions with a device for a new one, and asks for the messages that did not continue them. False if no
  /// session can be started.
  func startAnew(
    with device: RatchetDeviceRecord, _ person: SessionID, in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard let own = try transaction.ownDevice(of: account),
      let session = try start(with: device, from: own, in: transaction)
    else { return false }
    for var old in try transaction.ratchetSessions(with: device.id) where !old.isClosed {
      old.isClosed = true
      try transaction.put(old)
    }
    let hashes = try transaction.brokenMessages(of: device.id, limit: RatchetBody.maxResend)
      .compactMap { try? [UInt8](base64: $0.utf8) }
    try send(
      RatchetBody(controlAt: try time(), resend: hashes), on: session, to: device, person, in: transaction)
    try transaction.forgetBroken(of: device.id)
    try transaction.addNote(.sessionReset, device: device.device, about: person, at: time())
    return true
  }
}

extension Setting where Value == Int64 {
  /// When the last complete reading of the account's mailbox began.
  static let mailboxReadAt = Setting("mailboxReadAt")
}
