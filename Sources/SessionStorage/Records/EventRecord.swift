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
  fileprivate static let countAfter: SQL = "SELECT count(*) FROM event WHERE id > ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO event (at, kind, threadID, interactionID, content) VALUES (?, ?, ?, ?, ?)"
  /// The last event that may be deleted: one that all readers have acknowledged, is not among the newest and old, or one
  /// beyond the limit. Readers that only show what is new keep no events back.
  fileprivate static let trimmable: SQL = """
    SELECT min(newest, max(newest - ?, min(newest - ?, \
    (SELECT ifnull(min(acknowledged), newest) FROM eventReader WHERE name NOT IN ('notify', 'ui')), \
    ifnull((SELECT id - 1 FROM event WHERE at >= ? ORDER BY id LIMIT 1), newest)))) \
    FROM (SELECT ifnull(max(id), 0) AS newest FROM event)
    """
  fileprivate static let trimming: SQL = "DELETE FROM event WHERE id <= ?"
  /// The newest event that was deleted.
  fileprivate static let floor = Setting<Int64>("events.floor")
  /// The number before the oldest event; of no events, the number that was given last.
  fileprivate static let beginning: SQL = """
    SELECT coalesce((SELECT min(id) - 1 FROM event), (SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)
    """
  fileprivate static let numbers: SQL = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'event'"
  fileprivate static let numbering: SQL = """
    INSERT INTO sqlite_sequence (name, seq) \
    SELECT 'event', ? WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'event')
    """
}

extension Reading where Self: ~Copyable {
  /// Events after one, in order.
  public func events(after id: EventRecord.ID, limit: Int) throws(StorageError) -> [EventRecord] {
    try all(EventRecord.after, id, limit)
  }

  /// How many events there are after one.
  public func eventCount(after id: EventRecord.ID) throws(StorageError) -> Int {
    try value(EventRecord.countAfter, id) ?? 0
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

  /// Has events numbered above all that any database of this account had before a time, so that an old cursor is before
  /// the first of them. Numbers stay below 2^53 until the year 2242.
  public func beginEventNumbers(at now: Int64) throws(StorageError) {
    try skipEventNumbers(upTo: (max(0, now) / 1000) << 20)
  }

  /// Has the next event numbered after one.
  func skipEventNumbers(upTo last: Int64) throws(StorageError) {
    try run(EventRecord.numbers, last)
    try run(EventRecord.numbering, last)
  }

  /// Deletes events that need not be kept.
  @discardableResult
  public func trimEvents(_ retention: EventRetention, at now: Int64) throws(StorageError) -> Int {
    let last: Int64 =
      try value(
        EventRecord.trimmable, retention.limit, retention.settledCount, now - retention.settledAge) ?? 0
    let deleted = try run(EventRecord.trimming, last)
    if deleted > 0 { try set(EventRecord.floor, to: last) }
    return deleted
  }
}
