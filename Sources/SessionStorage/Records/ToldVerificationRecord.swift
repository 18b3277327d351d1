/// The newest that a device of this account, this one or another, said about the verification of a person.
public struct ToldVerificationRecord: Record, Hashable {
  /// The number of people without a contact that are kept.
  public static let maxUnknown = 200

  /// The person.
  public let id: String
  /// Of the person's side, as the numbers were compared.
  public let fingerprint: [UInt8]
  /// False if the comparison was forgotten.
  public let isVerified: Bool
  /// When the user said so.
  public let at: Int64
  /// The other device that said it; nil for this one.
  public let device: [UInt8]?
  /// True once all devices know it.
  public let isTold: Bool

  public init(
    _ id: String, _ fingerprint: [UInt8], isVerified: Bool, at time: Int64, by device: [UInt8]? = nil
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.isVerified = isVerified
    at = time
    self.device = device
    isTold = device != nil
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    fingerprint = try row[1]
    isVerified = try row[2]
    at = try row[3]
    device = try row[4]
    isTold = try row[5]
  }

  private static let columns: SQL =
    "SELECT id, fingerprint, isVerified, at, device, isTold FROM toldVerification"
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let elsewhere: SQL = "\(columns) WHERE device IS NOT NULL AND isVerified ORDER BY id"
  fileprivate static let untold: SQL = "\(columns) WHERE NOT isTold ORDER BY at LIMIT ?"
  fileprivate static let change: SQL = """
    UPDATE toldVerification SET fingerprint = ?, isVerified = ?, at = ?, device = ?, isTold = ? WHERE id = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO toldVerification (fingerprint, isVerified, at, device, isTold, id) VALUES (?, ?, ?, ?, ?, ?)
    """
  fileprivate static let telling: SQL = "UPDATE toldVerification SET isTold = 1 WHERE id = ? AND at = ?"
  fileprivate static let repeating: SQL = "UPDATE toldVerification SET isTold = 0 WHERE device IS NULL"
  fileprivate static let deletion: SQL = "DELETE FROM toldVerification WHERE id = ?"
  fileprivate static let trimming: SQL = """
    DELETE FROM toldVerification WHERE id IN (SELECT id FROM toldVerification \
    WHERE id NOT IN (SELECT id FROM contact) ORDER BY at DESC LIMIT -1 OFFSET ?)
    """
}

extension Reading where Self: ~Copyable {
  /// The newest that was said about a person.
  public func toldVerification(of person: String) throws(StorageError) -> ToldVerificationRecord? {
    try first(ToldVerificationRecord.byID, person)
  }

  /// Everybody whom another device verified last.
  public func verificationsElsewhere() throws(StorageError) -> [ToldVerificationRecord] {
    try all(ToldVerificationRecord.elsewhere)
  }

  /// What the other devices were not told yet, oldest first.
  public func untoldVerifications(limit: Int) throws(StorageError) -> [ToldVerificationRecord] {
    try all(ToldVerificationRecord.untold, limit)
  }
}

extension WriteTransaction {
  public func put(_ told: ToldVerificationRecord) throws(StorageError) {
    let t = told
    try put(
      ToldVerificationRecord.change, or: ToldVerificationRecord.insertion, t.fingerprint, t.isVerified, t.at,
      t.device, t.isTold, t.id)
    note(.updated, .person(t.id))
  }

  /// Records that the other devices were told.
  public func markTold(_ told: ToldVerificationRecord) throws(StorageError) {
    try run(ToldVerificationRecord.telling, told.id, told.at)
  }

  /// Has everything that this device said told again, as to a device that was linked just now.
  public func repeatToldVerifications() throws(StorageError) {
    try run(ToldVerificationRecord.repeating)
  }

  public func deleteToldVerification(of person: String) throws(StorageError) {
    try run(ToldVerificationRecord.deletion, person)
    note(.updated, .person(person))
  }

  /// Forgets the oldest about people without a contact, beyond ``ToldVerificationRecord/maxUnknown``.
  public func trimToldVerifications() throws(StorageError) {
    try run(ToldVerificationRecord.trimming, ToldVerificationRecord.maxUnknown)
  }
}
