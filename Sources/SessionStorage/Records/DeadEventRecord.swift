/// An event that a reader did not acknowledge after as many deliveries as it wanted. It is kept apart, so that the reader
/// continues with the next one.
public struct DeadEventRecord: Record, Hashable {
  /// How many a reader has at most.
  public static let limit = 1000

  public let reader: String
  public let event: EventRecord
  /// How often it was delivered, since it was retried if it was.
  public let tries: Int
  /// Why the reader refused it, if it said so.
  public let reason: String?
  public let diedAt: Int64
  /// True if it is to be delivered again.
  public let isRetried: Bool

  public init(_ row: borrowing Row) throws(StorageError) {
    event = try EventRecord(row)
    reader = try row[6]
    tries = try row[7]
    reason = try row[8]
    diedAt = try row[9]
    isRetried = try row[10]
  }

  private static let columns: SQL = """
    SELECT event, at, kind, threadID, interactionID, content, reader, tries, reason, diedAt, isRetried FROM eventDead
    """
  fileprivate static let every: SQL = "\(columns) ORDER BY reader, event"
  fileprivate static let ofReader: SQL = "\(columns) WHERE reader = ? ORDER BY event"
  fileprivate static let retried: SQL = "\(columns) WHERE reader = ? AND isRetried = 1 ORDER BY event"
  fileprivate static let counts: SQL = "SELECT reader, count(*) FROM eventDead GROUP BY reader"
  fileprivate static let count: SQL = "SELECT count(*) FROM eventDead WHERE reader = ?"
  fileprivate static let insertion: SQL = """
    INSERT INTO eventDead (reader, event, at, kind, threadID, interactionID, content, tries, reason, diedAt) \
    SELECT ?, id, at, kind, threadID, interactionID, content, ?, ?, ? FROM event WHERE id = ?
    """
  fileprivate static let secondDeath: SQL = """
    UPDATE eventDead SET tries = ?, reason = ?, diedAt = ?, isRetried = 0 WHERE reader = ? AND event = ?
    """
  fileprivate static let retry: SQL =
    "UPDATE eventDead SET isRetried = 1, tries = 0 WHERE reader = ? AND event = ?"
  fileprivate static let retryAll: SQL =
    "UPDATE eventDead SET isRetried = 1, tries = 0 WHERE reader = ? AND isRetried = 0"
  fileprivate static let delivery: SQL = "UPDATE eventDead SET tries = ? WHERE reader = ? AND event = ?"
  fileprivate static let settling: SQL =
    "DELETE FROM eventDead WHERE reader = ? AND event <= ? AND isRetried = 1 AND tries > 0"
  fileprivate static let deletion: SQL = "DELETE FROM eventDead WHERE reader = ?"
}

extension Reading where Self: ~Copyable {
  /// The dead events of a reader, or of all, the oldest first.
  public func deadEvents(of reader: String? = nil) throws(StorageError) -> [DeadEventRecord] {
    guard let reader else { return try all(DeadEventRecord.every) }
    return try all(DeadEventRecord.ofReader, reader)
  }

  /// The dead events of a reader that are to be delivered again, the oldest first.
  public func retriedEvents(of reader: String) throws(StorageError) -> [DeadEventRecord] {
    try all(DeadEventRecord.retried, reader)
  }

  /// How many dead events each reader has that has any.
  public func deadEventCounts() throws(StorageError) -> [String: Int] {
    let counts = try map(DeadEventRecord.counts) { (row) throws(StorageError) -> (String, Int) in
      (try row[0], try row[1])
    }
    return Dictionary(uniqueKeysWithValues: counts)
  }
}

extension WriteTransaction {
  /// Moves an event to the dead ones of a reader, and acknowledges it if it is not a retried one. False if the reader has
  /// too many dead events already: then nothing was changed.
  public func bury(
    _ id: EventRecord.ID, of reader: String, tries: Int, reason: String?, at now: Int64
  ) throws(StorageError) -> Bool {
    guard try run(DeadEventRecord.secondDeath, tries, reason, now, reader, id) == 0 else { return true }
    let count: Int = try value(DeadEventRecord.count, reader) ?? 0
    guard count < DeadEventRecord.limit else { return false }
    try run(DeadEventRecord.insertion, reader, tries, reason, now, id)
    try acknowledge(id, by: reader, at: now)
    return true
  }

  /// Has dead events of a reader delivered again, one or all of them. Returns how many.
  public func retryDeadEvents(_ id: EventRecord.ID?, of reader: String) throws(StorageError) -> Int {
    let count =
      if let id { try run(DeadEventRecord.retry, reader, id) } else {
        try run(DeadEventRecord.retryAll, reader)
      }
    if count > 0 { note(.updated, .events) }
    return count
  }

  /// Keeps how often a retried event was delivered.
  public func noteDelivery(ofRetried id: EventRecord.ID, to reader: String, tries: Int) throws(StorageError) {
    try run(DeadEventRecord.delivery, tries, reader, id)
  }

  /// Deletes the retried events of a reader that were delivered, up to one.
  func settleRetriedEvents(upTo id: EventRecord.ID, of reader: String) throws(StorageError) {
    try run(DeadEventRecord.settling, reader, id)
  }

  func deleteDeadEvents(of reader: String) throws(StorageError) { try run(DeadEventRecord.deletion, reader) }
}
