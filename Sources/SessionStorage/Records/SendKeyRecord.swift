/// A message that a program sent under a key of its own, so that it can repeat the call without sending it twice.
public struct SendKeyRecord: Record, Hashable {
  public let key: String
  /// The digest of the requested content.
  public let digest: [UInt8]
  /// The message, which may have been deleted since.
  public let interactionID: InteractionRecord.ID
  public let at: Int64
  /// What the key stands for until that message is sent later.
  public var scheduledID: ScheduledRecord.ID?

  /// How long keys are kept, in milliseconds, and how many.
  public static let lifetime: Int64 = 30 * 24 * 3_600_000
  public static let limit = 100_000

  public init(_ key: String, digest: [UInt8], of id: InteractionRecord.ID, at time: Int64) {
    self.key = key
    self.digest = digest
    interactionID = id
    at = time
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    key = try row[0]
    digest = try row[1]
    interactionID = try row[2]
    at = try row[3]
    scheduledID = try row[4]
  }

  fileprivate static let byKey: SQL =
    "SELECT key, digest, interactionID, at, scheduledID FROM sendKey WHERE key = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO sendKey (key, digest, interactionID, at, scheduledID) VALUES (?, ?, ?, ?, ?)"
  fileprivate static let fulfilling: SQL =
    "UPDATE sendKey SET interactionID = ?, at = ? WHERE scheduledID = ?"
  fileprivate static let release: SQL = "DELETE FROM sendKey WHERE scheduledID = ? AND interactionID = 0"
  /// Keys of messages that wait to be sent later stay.
  private static let isFree: SQL =
    "(scheduledID IS NULL OR interactionID <> 0 OR scheduledID NOT IN (SELECT id FROM scheduled WHERE state = 0))"
  fileprivate static let expiry: SQL = "DELETE FROM sendKey WHERE at < ? AND \(isFree)"
  fileprivate static let trimming: SQL = """
    DELETE FROM sendKey WHERE key IN (SELECT key FROM sendKey ORDER BY at DESC LIMIT -1 OFFSET ?) \
    AND \(isFree)
    """
}

extension Reading where Self: ~Copyable {
  public func sendKey(_ key: String) throws(StorageError) -> SendKeyRecord? {
    try first(SendKeyRecord.byKey, key)
  }
}

extension WriteTransaction {
  /// `duplicate` if the key was used before.
  public func insert(_ record: SendKeyRecord) throws(StorageError) {
    try run(
      SendKeyRecord.insertion, record.key, record.digest, record.interactionID, record.at, record.scheduledID)
  }

  /// Has the key of a message that was to be sent later name that message, and be kept from now on.
  public func fulfilSendKey(
    of scheduled: ScheduledRecord.ID, with id: InteractionRecord.ID, at time: Int64
  ) throws(StorageError) {
    try run(SendKeyRecord.fulfilling, id, time, scheduled)
  }

  /// Forgets the key of a message that is never sent.
  public func releaseSendKey(of scheduled: ScheduledRecord.ID) throws(StorageError) {
    try run(SendKeyRecord.release, scheduled)
  }

  /// Forgets keys that are too old or too many, as of a time; not those of messages that wait to be sent later.
  @discardableResult
  public func trimSendKeys(
    at now: Int64, keeping limit: Int = SendKeyRecord.limit
  ) throws(StorageError) -> Int {
    try run(SendKeyRecord.expiry, now - SendKeyRecord.lifetime) + run(SendKeyRecord.trimming, limit)
  }
}
