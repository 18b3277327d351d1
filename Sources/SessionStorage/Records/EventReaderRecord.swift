/// A program that follows the events of an account, under a name of its own.
public struct EventReaderRecord: Record, Hashable {
  public let name: String
  /// The last event that it has processed; events after it are kept.
  public let acknowledged: EventRecord.ID
  /// When it acknowledged last.
  public let at: Int64
  /// The first event that was delivered and not acknowledged; 0 for none. It may have been acknowledged since.
  public let head: EventRecord.ID
  /// How often the head was delivered.
  public let headTries: Int

  public init(_ row: borrowing Row) throws(StorageError) {
    name = try row[0]
    acknowledged = try row[1]
    at = try row[2]
    head = try row[3]
    headTries = try row[4]
  }

  fileprivate static let every: SQL =
    "SELECT name, acknowledged, at, head, headTries FROM eventReader ORDER BY name"
  fileprivate static let byName: SQL =
    "SELECT name, acknowledged, at, head, headTries FROM eventReader WHERE name = ?"
  fileprivate static let count: SQL = "SELECT count(*) FROM eventReader"
  fileprivate static let advance: SQL =
    "UPDATE eventReader SET acknowledged = max(acknowledged, ?), at = ? WHERE name = ?"
  fileprivate static let arrival: SQL = "INSERT INTO eventReader (acknowledged, at, name) VALUES (?, ?, ?)"
  fileprivate static let delivery: SQL = "UPDATE eventReader SET head = ?, headTries = ? WHERE name = ?"
  fileprivate static let departure: SQL = "DELETE FROM eventReader WHERE name = ?"
}

extension Reading where Self: ~Copyable {
  /// All readers, by name.
  public func eventReaders() throws(StorageError) -> [EventReaderRecord] { try all(EventReaderRecord.every) }

  public func eventReader(_ name: String) throws(StorageError) -> EventReaderRecord? {
    try first(EventReaderRecord.byName, name)
  }

  public func eventReaderCount() throws(StorageError) -> Int { try value(EventReaderRecord.count) ?? 0 }

  /// The cursor of a reader; nil if it never acknowledged an event.
  public func acknowledgedEvent(by reader: String) throws(StorageError) -> EventRecord.ID? {
    try eventReader(reader)?.acknowledged
  }
}

extension WriteTransaction {
  /// Keeps how far a reader has come; it never goes back. Retried events up to there that were delivered are settled.
  public func acknowledge(_ id: EventRecord.ID, by reader: String, at now: Int64) throws(StorageError) {
    try put(EventReaderRecord.advance, or: EventReaderRecord.arrival, id, now, reader)
    try settleRetriedEvents(upTo: id, of: reader)
  }

  /// Keeps how often the first event was delivered that a reader has not acknowledged.
  public func noteDelivery(of head: EventRecord.ID, to reader: String, tries: Int) throws(StorageError) {
    try run(EventReaderRecord.delivery, head, tries, reader)
  }

  /// Deletes a reader and its dead events, so that no events are kept for it.
  public func removeReader(_ reader: String) throws(StorageError) {
    try run(EventReaderRecord.departure, reader)
    try deleteDeadEvents(of: reader)
  }
}
