public import SessionCore
import SessionStorage

/// How messages to a person are protected.
public struct SecurityView: Hashable, Sendable {
  public let person: SessionID
  /// The level of the next message; nil if it cannot be sent.
  public let level: SecurityLevel?
  /// Why that is not the best one.
  public let obstacle: SecurityObstacle?
  /// True if messages to this person need forward secrecy.
  public let isRequired: Bool
  public let devices: [DeviceView]
  public let verification: VerificationState
  /// When a message came last on the sessions that are in use; nil before.
  public let healedAt: Int64?
}

/// If the numbers with a person were compared.
public enum VerificationState: String, Hashable, Sendable, CaseIterable, Codable {
  case never = "no"
  case verified = "yes"
  case changed
}

/// A device of an account, as this one sees it.
public struct DeviceView: Hashable, Sendable {
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// This device itself.
    case own
    case accepted
    /// New, and nothing vouches for it.
    case provisional
    /// Unvouched, and undisputed for a while.
    case settled
    /// It gets nothing until it is vouched for or confirmed.
    case suspended
    case removed
  }

  public let id: [UInt8]
  public let status: Status
  /// When it published last; nil if it never did.
  public let seenAt: Int64?
  /// When it was accepted, or linked.
  public let acceptedAt: Int64?
  public let slot: Int?
  /// The number of sessions with it.
  public let sessions: Int
}

/// The state of forward secrecy of the account on this device.
public struct OwnSecurityView: Hashable, Sendable {
  public let setting: ForwardSecrecy
  public let newDevices: NewDevices
  public let verificationPolicy: VerificationPolicy
  /// True if the user confirmed that all devices of the account take part.
  public let isClosed: Bool
  /// When this device's keys were published last.
  public let publishedAt: Int64?
  /// When this device's newest keys were made.
  public let rotatedAt: Int64?
  /// True if the database was copied from another machine, so that it must not go on with its keys.
  public let isForeign: Bool
  public let devices: [DeviceView]
}

/// The numbers to compare with a person.
public struct SafetyNumberView: Hashable, Sendable {
  /// One number, with the devices that it covers.
  public struct Candidate: Hashable, Sendable {
    public let number: SafetyNumber
    public let devices: [[UInt8]]
  }

  public let person: SessionID
  public let state: VerificationState
  /// That of the accepted devices first.
  public let candidates: [Candidate]
  public let ownDevices: Int
  public let verifiedAt: Int64?
  /// True if another device of ours verified the person, but sees other devices of them.
  public let isVerifiedElsewhere: Bool
  /// Why the person is not verified any more, for programs.
  public let cause: String?
  /// How long ago the other side's devices were looked up, in milliseconds; nil if they never were.
  public let age: Int64?
}

/// A person whose number was compared.
public struct VerifiedPerson: Hashable, Sendable {
  public let person: SessionID
  /// Never for somebody who is verified on another device alone.
  public let state: VerificationState
  public let verifiedAt: Int64?
  /// True if another device of ours verified the person, but sees other devices of them.
  public let isVerifiedElsewhere: Bool
  public let cause: String?
}

extension VerificationState {
  init(_ record: VerificationRecord?) {
    self =
      switch record?.state {
      case nil: .never
      case .verified: .verified
      case .changed: .changed
      }
  }
}

extension VerificationRecord.Cause {
  var name: String {
    switch self {
    case .linked: "linked"
    case .new: "new"
    case .disagree: "disagree"
    case .weakened: "weakened"
    }
  }
}

extension DeviceView {
  init(_ record: RatchetDeviceRecord, sessions: Int) {
    id = record.device
    status =
      switch record.status {
      case .accepted: .accepted
      case .provisional: record.settledAt == nil ? .provisional : .settled
      case .suspended: .suspended
      case .removed: .removed
      }
    seenAt = record.signedAt > 0 ? record.signedAt : nil
    acceptedAt = record.status == .accepted ? record.settledAt : nil
    slot = record.slot
    self.sessions = sessions
  }
}

extension Ratchet {
  func devices(of account: SessionID, in transaction: borrowing ReadTransaction) throws -> [DeviceView] {
    try transaction.ratchetDevices(of: account.address).map { record in
      DeviceView(record, sessions: try transaction.ratchetSessions(with: record.id).count)
    }
  }

  /// How messages to a person are protected.
  func security(of person: SessionID) async throws -> SecurityView {
    let now = try time()
    return try await database.read { [self] transaction in
      var (level, obstacle): (SecurityLevel?, SecurityObstacle?) = (.v1, nil)
      switch try choose(for: person, at: now, in: transaction) {
      case .ratchet: level = .sr1
      case .standard(let reason): obstacle = reason
      case .waiting: (level, obstacle) = (nil, .waiting)
      case .refused: (level, obstacle) = (nil, .notAllDevices)
      }
      let record = try transaction.ratchetAccount(person.address)
      let heard = try transaction.ratchetDevices(of: person.address).flatMap { device in
        try transaction.ratchetSessions(with: device.id).compactMap(\.heardAt)
      }.max()
      return SecurityView(
        person: person, level: level, obstacle: obstacle,
        isRequired: try record?.policy == .require || transaction.forwardSecrecy() == .require,
        devices: try devices(of: person, in: transaction),
        verification: VerificationState(try transaction.verification(of: person.address)), healedAt: heard)
    }
  }

  /// The state of forward secrecy on this device.
  func ownSecurity() async throws -> OwnSecurityView {
    try await database.read { [self] transaction in
      let row = try transaction.ratchetSelf()
      var all = try devices(of: own, in: transaction)
      if let row {
        all.insert(
          DeviceView(
            id: try row.device(of: account).id, status: .own, seenAt: row.publishedAt,
            acceptedAt: row.createdAt,
            slot: row.slot, sessions: 0), at: 0)
      }
      return OwnSecurityView(
        setting: try transaction.forwardSecrecy(), newDevices: try transaction.newDevices(),
        verificationPolicy: try transaction.verificationPolicy(), isClosed: row?.isClosed ?? false,
        publishedAt: row?.publishedAt,
        rotatedAt: try row.flatMap { row in try transaction.ratchetPrekey(row.generation)?.createdAt },
        isForeign: try row.map { row in try isForeign(row) } ?? false, devices: all)
    }
  }

  /// The numbers to compare with a person.
  func safetyNumber(with person: SessionID) async throws -> SafetyNumberView {
    try await database.read { [self] transaction in
      let record = try transaction.verification(of: person.address)
      let numbers = try safetyNumbers(with: person, in: transaction)
      return SafetyNumberView(
        person: person, state: VerificationState(record),
        candidates: numbers.map { SafetyNumberView.Candidate(number: $0.number, devices: $0.devices) },
        ownDevices: try ownCounted(in: transaction).count, verifiedAt: record?.verifiedAt,
        isVerifiedElsewhere: try transaction.isVerifiedElsewhere(person),
        cause: record?.cause?.name,
        age: try transaction.ratchetAccount(person.address)?.fetchedAt.map { max(0, jobTime - $0) })
    }
  }

  /// Everybody whose number was compared, on this device or on another one.
  func verifiedPeople() async throws -> [VerifiedPerson] {
    try await database.read { transaction in
      let records = try transaction.verifications()
      let elsewhere = try transaction.verificationsElsewhere().map(\.id)
      return try Set(records.map(\.id) + elsewhere).sorted().compactMap { id in
        guard let person = SessionID(id) else { return nil }
        let record = records.first { $0.id == id }
        let isElsewhere = try transaction.isVerifiedElsewhere(person)
        guard record != nil || isElsewhere else { return nil }
        return VerifiedPerson(
          person: person, state: VerificationState(record), verifiedAt: record?.verifiedAt,
          isVerifiedElsewhere: isElsewhere, cause: record?.cause?.name)
      }
    }
  }
}
