/// A message that is sent later.
public struct ScheduledRecord: Record, Hashable {
  public typealias ID = RowID<ScheduledRecord>

  public enum State: Int, Sendable, CaseIterable, DatabaseValue {
    case waiting = 0
    /// It became a message.
    case sent = 1
    /// Nothing ran when it was due, and it came too late.
    case missed = 2
    /// It could not be sent.
    case failed = 3
  }

  /// How long a row is kept after it was settled, in milliseconds.
  public static let keptFor: Int64 = 30 * 24 * 3_600_000

  /// Zero until it is stored.
  public var id = ID(rawValue: 0)
  /// The text form of the conversation.
  public let address: String
  public var body: String
  public var quoteAuthor: String?
  public var quoteSentAt: Int64?
  /// When it is due, in milliseconds since 1970.
  public var at: Int64
  /// The name of the time zone in which the time was given.
  public var zone: String
  /// How much later it may be sent, in milliseconds.
  public var late: Int64
  public var state = State.waiting
  /// Why it was missed or failed.
  public var failure: String?
  /// The number of the protection that it needs.
  public var level: Int64?
  /// Who is to see it in a room: an id, or `moderators`.
  public var whisper: String?
  public var identityShownAt: Int64?
  public var jobID: JobRecord.ID?
  /// The message that it became.
  public var interactionID: InteractionRecord.ID?
  /// When it was sent, missed or failed, in milliseconds since 1970; nil while it waits. The first clean-up sets it for
  /// those of old schemas and archives.
  public var settledAt: Int64?
  public let createdAt: Int64

  public init(
    to address: String, body: String, at: Int64, zone: String, late: Int64, createdAt: Int64
  ) {
    self.address = address
    self.body = body
    self.at = at
    self.zone = zone
    self.late = late
    self.createdAt = createdAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    address = try row[1]
    body = try row[2]
    quoteAuthor = try row[3]
    quoteSentAt = try row[4]
    at = try row[5]
    zone = try row[6]
    late = try row[7]
    state = try row[8]
    failure = try row[9]
    level = try row[10]
    whisper = try row[11]
    identityShownAt = try row[12]
    jobID = try row[13]
    interactionID = try row[14]
    createdAt = try row[15]
    settledAt = try row[16]
  }

  private static let columns: SQL = """
    SELECT id, address, body, quoteAuthor, quoteSentAt, at, zone, late, state, failure, level, whisper, \
    identityShownAt, jobID, interactionID, createdAt, settledAt FROM scheduled
    """
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let byState: SQL = "\(columns) WHERE state = ? ORDER BY at, id"
  fileprivate static let inOrder: SQL = "\(columns) ORDER BY at, id"
  fileprivate static let count: SQL = "SELECT count(*) FROM scheduled WHERE state = 0"
  fileprivate static let insertion: SQL = """
    INSERT INTO scheduled (address, body, quoteAuthor, quoteSentAt, at, zone, late, state, failure, level, whisper, \
    identityShownAt, jobID, interactionID, createdAt, settledAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let change: SQL = """
    UPDATE scheduled SET at = ?, zone = ?, late = ?, state = ?, failure = ?, jobID = ?, interactionID = ?, settledAt = ? \
    WHERE id = ?
    """
  fileprivate static let linking: SQL =
    "INSERT INTO scheduledAttachment (scheduledID, position, attachmentID) VALUES (?, ?, ?)"
  fileprivate static let unlinking: SQL = "DELETE FROM scheduledAttachment WHERE scheduledID = ?"
  fileprivate static let deletion: SQL = "DELETE FROM scheduled WHERE id = ?"
  fileprivate static let moving: SQL = "UPDATE scheduled SET address = ? WHERE address = ?"
  fileprivate static let settling: SQL =
    "UPDATE scheduled SET settledAt = ? WHERE state <> 0 AND settledAt IS NULL"
  fileprivate static let expiry: SQL = "DELETE FROM scheduled WHERE state <> 0 AND settledAt < ?"
}

extension Reading where Self: ~Copyable {
  public func scheduled(_ id: ScheduledRecord.ID) throws(StorageError) -> ScheduledRecord? {
    try first(ScheduledRecord.byID, id)
  }

  /// Those of a state, the next one first.
  public func scheduled(_ state: ScheduledRecord.State) throws(StorageError) -> [ScheduledRecord] {
    try all(ScheduledRecord.byState, state)
  }

  /// Those of all states, in the order of their times.
  public func allScheduled() throws(StorageError) -> [ScheduledRecord] { try all(ScheduledRecord.inOrder) }

  /// How many wait.
  public func scheduledCount() throws(StorageError) -> Int { try value(ScheduledRecord.count) ?? 0 }
}

extension WriteTransaction {
  /// Keeps a message that is sent later, and returns it with its number.
  @discardableResult
  public func insert(
    _ scheduled: ScheduledRecord, attachments: [AttachmentRecord.ID] = []
  ) throws(StorageError) -> ScheduledRecord {
    var scheduled = scheduled
    let s = scheduled
    scheduled.id = ScheduledRecord.ID(
      rawValue: try insert(
        ScheduledRecord.insertion, s.address, s.body, s.quoteAuthor, s.quoteSentAt, s.at, s.zone, s.late,
        s.state, s.failure, s.level, s.whisper, s.identityShownAt, s.jobID, s.interactionID, s.createdAt,
        s.settledAt))
    for (position, attachment) in attachments.enumerated() {
      try run(ScheduledRecord.linking, scheduled.id, position, attachment)
    }
    note(.inserted, .scheduled(scheduled.id))
    return scheduled
  }

  /// Stores the changeable fields.
  public func update(_ scheduled: ScheduledRecord) throws(StorageError) {
    let s = scheduled
    try run(
      ScheduledRecord.change, s.at, s.zone, s.late, s.state, s.failure, s.jobID, s.interactionID, s.settledAt,
      s.id)
    note(.updated, .scheduled(s.id))
  }

  /// Releases the files of a message that was sent or dropped, once others refer to those that stay.
  public func detachAll(from id: ScheduledRecord.ID) throws(StorageError) {
    try run(ScheduledRecord.unlinking, id)
    note(.updated, .scheduled(id))
  }

  public func deleteScheduled(_ id: ScheduledRecord.ID) throws(StorageError) {
    try run(ScheduledRecord.deletion, id)
    note(.deleted, .scheduled(id))
  }

  /// Has the messages to a conversation sent to another one, which it became a part of.
  func moveScheduled(of address: String, to other: String) throws(StorageError) {
    guard try run(ScheduledRecord.moving, other, address) > 0 else { return }
    note(.updated, .scheduled)
  }

  /// Deletes those that were sent, missed or failed a month ago. Returns how many.
  @discardableResult
  public func deleteSettledScheduled(at now: Int64) throws(StorageError) -> Int {
    try run(ScheduledRecord.settling, now)
    return try run(ScheduledRecord.expiry, now - ScheduledRecord.keptFor)
  }
}
