/// When a conversation was deleted or hidden last. What was sent before does not bring it back.
public struct TombstoneRecord: Record, Hashable {
  /// How long a tombstone is kept, in milliseconds.
  public static let lifetime: Int64 = 31 * 24 * 3600 * 1000
  /// How many are kept, the newest of them.
  public static let maxCount = 10_000

  /// The text form of the conversation.
  public let address: String
  public let at: Int64

  public init(_ address: String, at: Int64) {
    self.address = address
    self.at = at
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    address = try row[0]
    at = try row[1]
  }

  fileprivate static let byAddress: SQL = "SELECT address, at FROM tombstone WHERE address = ?"
  fileprivate static let change: SQL = "UPDATE tombstone SET at = max(at, ?) WHERE address = ?"
  fileprivate static let insertion: SQL = "INSERT INTO tombstone (at, address) VALUES (?, ?)"
  fileprivate static let deletion: SQL = "DELETE FROM tombstone WHERE address = ?"
  fileprivate static let expiry: SQL = "DELETE FROM tombstone WHERE at < ?"
  fileprivate static let trimming: SQL = """
    DELETE FROM tombstone WHERE address IN (SELECT address FROM tombstone ORDER BY at DESC, address LIMIT -1 OFFSET ?)
    """
}

extension Reading where Self: ~Copyable {
  public func tombstone(of address: String) throws(StorageError) -> TombstoneRecord? {
    try first(TombstoneRecord.byAddress, address)
  }
}

extension WriteTransaction {
  /// Keeps a tombstone. Where there is one for the conversation, the later time stays.
  public func put(_ tombstone: TombstoneRecord) throws(StorageError) {
    try put(TombstoneRecord.change, or: TombstoneRecord.insertion, tombstone.at, tombstone.address)
  }

  /// Forgets that a conversation was deleted.
  public func deleteTombstone(of address: String) throws(StorageError) {
    try run(TombstoneRecord.deletion, address)
  }

  /// Deletes tombstones that are too old, and the oldest beyond the limit. Returns how many.
  @discardableResult
  public func trimTombstones(
    at now: Int64, keeping count: Int = TombstoneRecord.maxCount
  ) throws(StorageError) -> Int {
    let expired = try run(TombstoneRecord.expiry, now - TombstoneRecord.lifetime)
    return expired + (try run(TombstoneRecord.trimming, count))
  }
}
