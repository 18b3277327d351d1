/// What is known of an account's devices as a whole.
public struct RatchetAccountRecord: Record, Hashable {
  /// What the user wants for one contact.
  public enum Policy: Int, Sendable, DatabaseValue {
    case auto = 0
    case require = 1
  }

  public let id: String
  /// When its bundles were fetched last.
  public var fetchedAt: Int64?
  /// When two nodes said that nothing is published.
  public var absentAt: Int64?
  /// True if the protocol worked with this account before: it is not left without a reason.
  public var isSticky = false
  /// The newest sign of life from its devices.
  public var lastSeenAt: Int64?
  /// When the account wrote from a program without the protocol, after its devices were silent.
  public var foreignAt: Int64?
  /// When one of its unlisted devices was contradicted.
  public var contradictedAt: Int64?
  public var policy = Policy.auto

  public init(_ id: String) { self.id = id }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    fetchedAt = try row[1]
    absentAt = try row[2]
    isSticky = try row[3]
    lastSeenAt = try row[4]
    foreignAt = try row[5]
    contradictedAt = try row[6]
    policy = try row[7]
  }

  fileprivate static let byID: SQL = """
    SELECT id, fetchedAt, absentAt, isSticky, lastSeenAt, foreignAt, contradictedAt, policy FROM srAccount WHERE id = ?
    """
  fileprivate static let change: SQL = """
    UPDATE srAccount SET fetchedAt = ?, absentAt = ?, isSticky = ?, lastSeenAt = ?, foreignAt = ?, contradictedAt = ?, \
    policy = ? WHERE id = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO srAccount (fetchedAt, absentAt, isSticky, lastSeenAt, foreignAt, contradictedAt, policy, id) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM srAccount WHERE id = ?"
}

/// A device of a person, or another one of our own.
public struct RatchetDeviceRecord: Record, Hashable {
  public typealias ID = RowID<RatchetDeviceRecord>

  /// How far a device is trusted.
  public enum Status: Int, Sendable, CaseIterable, DatabaseValue {
    /// It gets messages, and may vouch for other devices.
    case accepted = 0
    /// New, and nothing vouches for it. With ``RatchetDeviceRecord/settledAt`` it has been there undisputed for a while.
    case provisional = 1
    /// It gets nothing until it is vouched for.
    case suspended = 2
    case removed = 3
  }

  /// The number of devices of one account that are kept, not counting removed ones.
  public static let limit = 16

  /// Zero until it is stored.
  public var id = ID(rawValue: 0)
  /// Its public key.
  public let device: [UInt8]
  public let account: String
  public var status: Status
  /// When it was first seen, lost what vouched for it, or was accepted by the user.
  public var firstSeenAt: Int64
  /// When a provisional device settled, or when an accepted one was accepted.
  public var settledAt: Int64?
  public var removedAt: Int64?
  /// The highest sequence of its bundles.
  public var sequence: Int64 = 0
  /// When its newest bundle was signed; zero if it has none.
  public var signedAt: Int64 = 0
  public var capabilities: Int64 = 0
  public var slot: Int?
  /// The devices that it ever endorsed, the newest last, 32 bytes each.
  public var roster: [UInt8] = []
  /// Its newest bundle, as it was received.
  public var bundle: [UInt8]?
  public var fetchedAt: Int64?
  /// When sessions with it were reset last, and how often that day.
  public var resetAt: Int64?
  public var resetCount = 0
  /// When messages were sent to it again last, because it asked for them.
  public var answeredAt: Int64?
  /// The devices that it declares removed and that the user accepted nevertheless, 32 bytes each.
  public var overruled: [UInt8] = []

  public init(_ device: [UInt8], of account: String, _ status: Status, at now: Int64) {
    self.device = device
    self.account = account
    self.status = status
    firstSeenAt = now
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    device = try row[1]
    account = try row[2]
    status = try row[3]
    firstSeenAt = try row[4]
    settledAt = try row[5]
    removedAt = try row[6]
    sequence = try row[7]
    signedAt = try row[8]
    capabilities = try row[9]
    slot = try row[10]
    roster = try row[11]
    bundle = try row[12]
    fetchedAt = try row[13]
    resetAt = try row[14]
    resetCount = try row[15]
    answeredAt = try row[16]
    overruled = try row[17]
  }

  private static let columns: SQL = """
    SELECT id, device, account, status, firstSeenAt, settledAt, removedAt, sequence, signedAt, capabilities, slot, \
    roster, bundle, fetchedAt, resetAt, resetCount, answeredAt, overruled FROM srDevice
    """
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let byKey: SQL = "\(columns) WHERE device = ?"
  fileprivate static let byAccount: SQL = "\(columns) WHERE account = ? ORDER BY id"
  fileprivate static let insertion: SQL = """
    INSERT INTO srDevice (device, account, status, firstSeenAt, settledAt, removedAt, sequence, signedAt, capabilities, \
    slot, roster, bundle, fetchedAt, resetAt, resetCount, answeredAt, overruled) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let change: SQL = """
    UPDATE srDevice SET status = ?, firstSeenAt = ?, settledAt = ?, removedAt = ?, sequence = ?, signedAt = ?, capabilities = ?, \
    slot = ?, roster = ?, bundle = ?, fetchedAt = ?, resetAt = ?, resetCount = ?, \
    answeredAt = ?, overruled = ? WHERE id = ?
    """
  fileprivate static let deletion: SQL = "DELETE FROM srDevice WHERE account = ?"
}

extension Reading where Self: ~Copyable {
  public func ratchetAccount(_ id: String) throws(StorageError) -> RatchetAccountRecord? {
    try first(RatchetAccountRecord.byID, id)
  }

  public func ratchetDevice(_ id: RatchetDeviceRecord.ID) throws(StorageError) -> RatchetDeviceRecord? {
    try first(RatchetDeviceRecord.byID, id)
  }

  /// The device with a public key, of whatever account.
  public func ratchetDevice(_ key: [UInt8]) throws(StorageError) -> RatchetDeviceRecord? {
    try first(RatchetDeviceRecord.byKey, key)
  }

  /// The devices of an account, the one seen first in front.
  public func ratchetDevices(of account: String) throws(StorageError) -> [RatchetDeviceRecord] {
    try all(RatchetDeviceRecord.byAccount, account)
  }
}

extension WriteTransaction {
  public func put(_ account: RatchetAccountRecord) throws(StorageError) {
    let a = account
    try put(
      RatchetAccountRecord.change, or: RatchetAccountRecord.insertion, a.fetchedAt, a.absentAt, a.isSticky,
      a.lastSeenAt, a.foreignAt, a.contradictedAt, a.policy, a.id)
    note(.updated, .person(a.id))
  }

  /// Keeps a device and returns it with its number.
  @discardableResult
  public func put(_ device: RatchetDeviceRecord) throws(StorageError) -> RatchetDeviceRecord {
    var d = device
    if d.id.rawValue == 0 {
      d.id = RatchetDeviceRecord.ID(
        rawValue: try insert(
          RatchetDeviceRecord.insertion, d.device, d.account, d.status, d.firstSeenAt, d.settledAt,
          d.removedAt, d.sequence, d.signedAt, d.capabilities, d.slot, d.roster, d.bundle, d.fetchedAt,
          d.resetAt, d.resetCount, d.answeredAt, d.overruled))
    } else {
      try run(
        RatchetDeviceRecord.change, d.status, d.firstSeenAt, d.settledAt, d.removedAt, d.sequence, d.signedAt,
        d.capabilities, d.slot, d.roster, d.bundle, d.fetchedAt, d.resetAt, d.resetCount, d.answeredAt,
        d.overruled, d.id)
    }
    note(.updated, .person(d.account))
    return d
  }

  /// Forgets an account and its devices, with all sessions.
  public func deleteRatchetDevices(of account: String) throws(StorageError) {
    try run(RatchetDeviceRecord.deletion, account)
    try run(RatchetAccountRecord.deletion, account)
    note(.updated, .person(account))
  }
}
