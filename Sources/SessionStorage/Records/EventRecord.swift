/// An event. Readers continue after the last one they acknowledged.
///
/// Numbers only grow and are never reused. Commit events with `durable`, so that a number that was reported cannot
/// become another event after a power cut.
public struct EventRecord: Record, Hashable {
  public typealias ID = RowID<EventRecord>

  public let id: ID
  public let at: Int64
  public let kind: String
  public let threadID: ThreadRecord.ID?
  public let interactionID: InteractionRecord.ID?
  public let content: [UInt8]?

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    at = try row[1]
    kind = try row[2]
    threadID = try row[3]
    interactionID = try row[4]
    content = try row[5]
  }

  fileprivate static let after: SQL = """
    SELECT id, at, kind, threadID, interactionID, content FROM event WHERE id > ? ORDER BY id LIMIT ?
    """
  fileprivate static let last: SQL = "SELECT max(id) FROM event"
  fileprivate static let insertion: SQL =
    "INSERT INTO event (at, kind, threadID, interactionID, content) VALUES (?, ?, ?, ?, ?)"
  fileprivate static let acknowledged: SQL = "SELECT acknowledged FROM eventReader WHERE name = ?"
  fileprivate static let advance: SQL =
    "UPDATE eventReader SET acknowledged = max(acknowledged, ?), at = ? WHERE name = ?"
  fileprivate static let arrival: SQL = "INSERT INTO eventReader (acknowledged, at, name) VALUES (?, ?, ?)"
  fileprivate static let departure: SQL = "DELETE FROM eventReader WHERE name = ?"
  /// The last event that all readers have acknowledged, or that is too old to be kept for the others.
  fileprivate static let trimmable: SQL = """
    SELECT min(newest, max(newest - ?, (SELECT ifnull(min(acknowledged), 0) FROM eventReader))) \
    FROM (SELECT ifnull(max(id), 0) AS newest FROM event)
    """
  fileprivate static let trimming: SQL = "DELETE FROM event WHERE id <= ?"
  /// The newest event that was deleted.
  fileprivate static let floor = Setting<Int64>("events.floor")
  /// The number before the oldest event; of no events, the number that was given last.
  fileprivate static let beginning: SQL = """
    SELECT coalesce((SELECT min(id) - 1 FROM event), (SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)
    """
}

extension Reading where Self: ~Copyable {
  /// Events after one, in order.
  public func events(after id: EventRecord.ID, limit: Int) throws(StorageError) -> [EventRecord] {
    try all(EventRecord.after, id, limit)
  }

  /// The newest deleted event; 0 if there is none. A reader with an earlier cursor has missed events.
  public func eventFloor() throws(StorageError) -> EventRecord.ID {
    // Earlier releases deleted events without writing that down, but always from the oldest one on.
    let beginning: Int64 = try value(EventRecord.beginning) ?? 0
    return EventRecord.ID(rawValue: max(try value(of: EventRecord.floor) ?? 0, beginning))
  }

  /// The newest event there is.
  public func lastEvent() throws(StorageError) -> EventRecord.ID? {
    // Of no rows the greatest number is null.
    let found: EventRecord.ID?? = try value(EventRecord.last)
    return found ?? nil
  }

  /// The cursor of a reader; nil if it never acknowledged an event.
  public func acknowledgedEvent(by reader: String) throws(StorageError) -> EventRecord.ID? {
    try value(EventRecord.acknowledged, reader)
  }
}

extension WriteTransaction {
  /// Adds an event and returns its number.
  @discardableResult
  public func appendEvent(
    _ kind: String, at now: Int64, thread: ThreadRecord.ID? = nil, interaction: InteractionRecord.ID? = nil,
    content: [UInt8]? = nil
  ) throws(StorageError) -> EventRecord.ID {
    let id = try insert(EventRecord.insertion, now, kind, thread, interaction, content)
    note(.inserted, .events)
    return EventRecord.ID(rawValue: id)
  }

  /// Keeps how far a reader has come; it never goes back.
  public func acknowledge(_ id: EventRecord.ID, by reader: String, at now: Int64) throws(StorageError) {
    try put(EventRecord.advance, or: EventRecord.arrival, id, now, reader)
  }

  /// Deletes a reader, so that no events are kept for it.
  public func removeReader(_ reader: String) throws(StorageError) { try run(EventRecord.departure, reader) }

  /// Deletes events that every reader has acknowledged, and all but the newest ones in any case.
  @discardableResult
  public func trimEvents(keeping count: Int) throws(StorageError) -> Int {
    let last: Int64 = try value(EventRecord.trimmable, count) ?? 0
    let deleted = try run(EventRecord.trimming, last)
    if deleted > 0 { try set(EventRecord.floor, to: last) }
    return deleted
  }
}
