/// A message that went out by the ratchet protocol, and may have to be sent again.
public struct RatchetSentRecord: Record, Hashable {
  /// How long messages are sent again, in milliseconds: as long as a swarm keeps them.
  public static let lifetime: Int64 = 14 * 24 * 3_600_000

  /// Its hash in the swarm of the recipient.
  public let hash: String
  public let account: String
  public let interactionID: InteractionRecord.ID
  public let sentAt: Int64

  public init(_ hash: String, to account: String, _ interaction: InteractionRecord.ID, at now: Int64) {
    self.hash = hash
    self.account = account
    interactionID = interaction
    sentAt = now
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    hash = try row[0]
    account = try row[1]
    interactionID = try row[2]
    sentAt = try row[3]
  }

  private static let columns: SQL = "SELECT hash, account, interactionID, sentAt FROM srSent"
  fileprivate static let byHash: SQL = "\(columns) WHERE hash = ? AND account = ?"
  fileprivate static let since: SQL =
    "\(columns) WHERE account = ? AND sentAt >= ? ORDER BY sentAt DESC LIMIT ?"
  fileprivate static let insertion: SQL =
    "INSERT OR REPLACE INTO srSent (hash, account, interactionID, sentAt) VALUES (?, ?, ?, ?)"
  fileprivate static let expiry: SQL = "DELETE FROM srSent WHERE sentAt < ?"
}

private enum BrokenStatements {
  static let insertion: SQL = "INSERT OR IGNORE INTO srBroken (hash, deviceID, seenAt) VALUES (?, ?, ?)"
  static let devices: SQL = "SELECT deviceID, min(seenAt) FROM srBroken GROUP BY deviceID ORDER BY deviceID"
  static let hashes: SQL = "SELECT hash FROM srBroken WHERE deviceID = ? ORDER BY seenAt DESC LIMIT ?"
  static let deletion: SQL = "DELETE FROM srBroken WHERE deviceID = ?"
  static let expiry: SQL = "DELETE FROM srBroken WHERE seenAt < ?"
}

extension Reading where Self: ~Copyable {
  /// A message to an account, by its hash in the swarm.
  public func ratchetSent(_ hash: String, to account: String) throws(StorageError) -> RatchetSentRecord? {
    try first(RatchetSentRecord.byHash, hash, account)
  }

  /// The newest messages to an account since a time, the newest first.
  public func ratchetSent(
    to account: String, since time: Int64, limit: Int
  ) throws(StorageError) -> [RatchetSentRecord] {
    try all(RatchetSentRecord.since, account, time, limit)
  }

  /// The devices with messages that do not continue their session, and when the first one was seen.
  public func brokenDevices() throws(StorageError) -> [(device: RatchetDeviceRecord.ID, since: Int64)] {
    try map(BrokenStatements.devices) {
      (row) throws(StorageError) -> (device: RatchetDeviceRecord.ID, since: Int64) in (try row[0], try row[1])
    }
  }

  /// The newest such messages of a device.
  public func brokenMessages(
    of device: RatchetDeviceRecord.ID, limit: Int
  ) throws(StorageError) -> [String] {
    try values(BrokenStatements.hashes, device, limit)
  }
}

extension WriteTransaction {
  public func put(_ sent: RatchetSentRecord) throws(StorageError) {
    try run(RatchetSentRecord.insertion, sent.hash, sent.account, sent.interactionID, sent.sentAt)
  }

  /// Records a message that does not continue the session with its device.
  public func noteBroken(
    _ hash: String, of device: RatchetDeviceRecord.ID, at now: Int64
  ) throws(StorageError) {
    try run(BrokenStatements.insertion, hash, device, now)
  }

  public func forgetBroken(of device: RatchetDeviceRecord.ID) throws(StorageError) {
    try run(BrokenStatements.deletion, device)
  }

  /// Forgets what no swarm has any more.
  public func trimRatchetHistory(at now: Int64) throws(StorageError) {
    try run(RatchetSentRecord.expiry, now - RatchetSentRecord.lifetime)
    try run(BrokenStatements.expiry, now - RatchetSentRecord.lifetime)
  }
}
