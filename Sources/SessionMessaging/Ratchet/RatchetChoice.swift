import SessionCore
import SessionStorage

/// How the next message to a person is protected.
enum RatchetChoice {
  /// With the sessions of these devices.
  case ratchet([RatchetDeviceRecord])
  /// As to everybody else, for a reason.
  case standard(SecurityObstacle)
  /// Not yet: keys have to be fetched first.
  case waiting
  /// Not at all.
  case refused(MessengerError)
}

extension Ratchet {
  /// Chooses from rows alone; the network is never asked inside of a transaction.
  func choose(
    for person: SessionID, at now: MessageTime, in transaction: borrowing some Reading & ~Copyable
  ) throws -> RatchetChoice {
    let setting = try transaction.forwardSecrecy()
    guard setting != .off else { return .standard(.off) }
    let record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
    let isRequired = setting == .require || record.policy == .require
    let row = try transaction.ratchetSelf()
    // The original may go on with the sessions; this copy neither does nor leads to less.
    if let row, try isForeign(row), isRequired || record.isSticky { return .refused(.copied) }
    guard let row, row.isClosed, try !isForeign(row) else {
      return isRequired ? .refused(.openRoster) : .standard(.openRoster)
    }
    let devices = try transaction.ratchetDevices(of: person.address).filter { $0.status != .removed }
    let receiving = try receivers(of: person, among: devices, record, in: transaction)
    let live = devices.filter { $0.isLive(at: jobTime) }
    let trusted = live.filter { $0.status == .accepted || $0.isSettled }
    let areAllClosed = trusted.allSatisfy(\.takesPart)
    // What nothing vouches for does not take the place of devices that took their keys back.
    let accepted = devices.filter { $0.status == .accepted }
    let isWithdrawn = !accepted.isEmpty && accepted.allSatisfy(\.isWithdrawn)
    // A session that somebody started is not enough: one of the devices must have published that all of them take part.
    let hasStated = receiving.contains { $0.isLive(at: jobTime) && $0.takesPart }
    let isKnown = record.isSticky && receiving.contains { $0.status == .accepted || $0.bundle != nil }
    if record.foreignAt == nil, !isWithdrawn, hasStated || isKnown, areAllClosed {
      return .ratchet(receiving)
    }
    if !live.isEmpty, receiving.isEmpty, live.allSatisfy({ $0.status == .suspended }) {
      return .refused(.devicesDisagree)
    }
    let obstacle =
      isWithdrawn && record.foreignAt == nil
      ? .withdrawn : obstacle(record, trusted, areAllClosed: areAllClosed)
    if isRequired {
      return [.waiting, .noKeys].contains(obstacle) && record.absentAt == nil
        ? .waiting : .refused(.securityRequired(obstacle))
    }
    guard record.isSticky else {
      return obstacle == .waiting ? .waiting : .standard(obstacle)
    }
    // Only a reason that the other side's devices gave, or their long silence, leads to less.
    let seenAt = try record.lastSeenAt ?? newestHeard(of: devices, in: transaction)
    let isSilent = jobTime - seenAt > Time.longestSilence
    let mayLeave = [.withdrawn, .notAllDevices, .foreign].contains(obstacle) || isSilent
    return mayLeave ? .standard(obstacle) : .waiting
  }

  private func obstacle(
    _ record: RatchetAccountRecord, _ trusted: [RatchetDeviceRecord], areAllClosed: Bool
  ) -> SecurityObstacle {
    if record.foreignAt != nil { return .foreign }
    if !trusted.isEmpty, !areAllClosed { return .notAllDevices }
    if let absentAt = record.absentAt, jobTime - absentAt < Time.absent { return .noKeys }
    if let fetchedAt = record.fetchedAt, jobTime - fetchedAt < Time.absent { return .noKeys }
    return .waiting
  }

  /// The devices of a person that get messages.
  func receivers(
    of person: SessionID, among devices: [RatchetDeviceRecord], _ record: RatchetAccountRecord,
    in transaction: borrowing some Reading & ~Copyable
  ) throws -> [RatchetDeviceRecord] {
    let wasCompared = try transaction.verification(of: person.address) != nil
    let isWary = record.contradictedAt.map { jobTime - $0 < Time.wary } ?? false
    let holdsNew = try wasCompared || transaction.newDevices() == .hold
    return try devices.filter { device in
      guard try !device.isWithdrawn && isReachable(device, in: transaction) else { return false }
      switch device.status {
      case .accepted: return true
      case .provisional: return !holdsNew && (!isWary || device.settledAt != nil)
      case .suspended, .removed: return false
      }
    }
  }

  /// When any of these devices was heard last; zero if none was.
  private func newestHeard(
    of devices: [RatchetDeviceRecord], in transaction: borrowing some Reading & ~Copyable
  ) throws -> Int64 {
    try devices.flatMap { try transaction.ratchetSessions(with: $0.id) }.compactMap(\.heardAt).max() ?? 0
  }

  /// True if a device published prekeys not long ago, or was heard of not long ago.
  private func isReachable(
    _ device: RatchetDeviceRecord, in transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    if device.isLive(at: jobTime) { return true }
    let heard = try transaction.ratchetSessions(with: device.id).compactMap(\.heardAt).max()
    return heard.map { jobTime - $0 <= Time.live } ?? false
  }
}

extension MessengerError {
  static let openRoster = MessengerError(
    .security,
    "forward secrecy is required, but not switched on for this account: run: session security enable")
  static let copied = MessengerError(
    .security, "this account was copied from another machine: run: session device renew")
  static let devicesDisagree = MessengerError(
    .identity,
    "the devices of this person disagree about which of them are theirs: ask over another way, and compare numbers"
  )

  static func securityRequired(_ obstacle: SecurityObstacle) -> MessengerError {
    let reason =
      switch obstacle {
      case .notAllDevices: "not all devices of the other side take part"
      case .foreign: "the other side moved to an app without it"
      case .withdrawn: "the other side took its keys back"
      case .off, .openRoster, .noKeys, .waiting, .notSupported: "the other side has published no keys"
      }
    return MessengerError(.security, "this conversation requires forward secrecy, and \(reason)")
  }
}
