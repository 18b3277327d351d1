/// A person whose safety number was compared.
public struct VerificationRecord: Record, Hashable {
  public enum State: Int, Sendable, DatabaseValue {
    case verified = 1
    /// Verified once; since then something was added.
    case changed = 2
  }

  /// How the numbers were compared.
  public enum Method: Int, Sendable, DatabaseValue {
    case number = 1
    case code = 2
    /// The user said so.
    case word = 3
  }

  /// Why a person is not verified any more.
  public enum Cause: Int, Sendable, DatabaseValue {
    /// A device that one of the verified ones vouches for.
    case linked = 1
    /// A device that nothing vouches for.
    case new = 2
    /// The devices contradict each other.
    case disagree = 3
    /// Messages are less protected than before.
    case weakened = 4
  }

  public let id: String
  public var state: State
  /// Their fingerprint, as of the comparison.
  public var fingerprint: [UInt8]?
  /// Their devices, sorted, as of the comparison; 32 bytes each.
  public var devices: [UInt8]?
  public var verifiedAt: Int64?
  /// The other device of ours that compared; nil for this one.
  public var verifiedBy: [UInt8]?
  public var method: Method?
  public var changedAt: Int64?
  public var cause: Cause?
  /// When the change was last shown to somebody who could act on it.
  public var seenAt: Int64?

  public init(_ id: String, _ state: State) {
    self.id = id
    self.state = state
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    // A state of a later version is no reason to trust somebody.
    state = State(rawValue: try row[1]) ?? .changed
    fingerprint = try row[2]
    devices = try row[3]
    verifiedAt = try row[4]
    verifiedBy = try row[5]
    method = (try row[6] as Int?).flatMap(Method.init)
    changedAt = try row[7]
    cause = (try row[8] as Int?).flatMap(Cause.init)
    seenAt = try row[9]
  }

  private static let columns: SQL = """
    SELECT id, state, fingerprint, devices, verifiedAt, verifiedBy, method, changedAt, cause, seenAt FROM verification
    """
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let all: SQL = "\(columns) ORDER BY id"
  fileprivate static let change: SQL = """
    UPDATE verification SET state = ?, fingerprint = ?, devices = ?, verifiedAt = ?, verifiedBy = ?, method = ?, \
    changedAt = ?, cause = ?, seenAt = ? WHERE id = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO verification (state, fingerprint, devices, verifiedAt, verifiedBy, method, changedAt, cause, seenAt, \
    id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM verification WHERE id = ?"
}

extension Reading where Self: ~Copyable {
  /// The comparison with a person; nil if there was none.
  public func verification(of person: String) throws(StorageError) -> VerificationRecord? {
    try first(VerificationRecord.byID, person)
  }

  /// Everybody whose number was compared.
  public func verifications() throws(StorageError) -> [VerificationRecord] { try all(VerificationRecord.all) }
}

extension WriteTransaction {
  public func put(_ verification: VerificationRecord) throws(StorageError) {
    let v = verification
    try put(
      VerificationRecord.change, or: VerificationRecord.insertion, v.state, v.fingerprint, v.devices,
      v.verifiedAt, v.verifiedBy, v.method, v.changedAt, v.cause, v.seenAt, v.id)
    note(.updated, .person(v.id))
  }

  /// Forgets a comparison.
  public func deleteVerification(of person: String) throws(StorageError) {
    try run(VerificationRecord.deletion, person)
    note(.updated, .person(person))
  }
}
