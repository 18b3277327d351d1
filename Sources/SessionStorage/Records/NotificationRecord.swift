/// A notification, kept until it was shown.
public struct NotificationRecord: Record, Hashable {
  public typealias ID = RowID<NotificationRecord>

  public enum Kind: Int, Sendable, DatabaseValue {
    case message = 0
    case request = 1
    case reaction = 2
    case call = 3
    case failure = 4
  }

  public let id: ID
  public let kind: Kind
  public let threadID: ThreadRecord.ID?
  public let interactionID: InteractionRecord.ID?
  public let createdAt: Int64
  public let shownAt: Int64?

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    kind = try row[1]
    threadID = try row[2]
    interactionID = try row[3]
    createdAt = try row[4]
    shownAt = try row[5]
  }

  private static let columns: SQL =
    "SELECT id, kind, threadID, interactionID, createdAt, shownAt FROM notification"
  fileprivate static let waiting: SQL = "\(columns) WHERE shownAt IS NULL ORDER BY id LIMIT ?"
  fileprivate static let byThread: SQL = "\(columns) WHERE threadID = ? AND createdAt <= ? ORDER BY id"
  fileprivate static let insertion: SQL =
    "INSERT INTO notification (kind, threadID, interactionID, createdAt) VALUES (?, ?, ?, ?)"
  fileprivate static let showing: SQL = "UPDATE notification SET shownAt = ? WHERE id = ?"
  fileprivate static let deletion: SQL = "DELETE FROM notification WHERE threadID = ? AND createdAt <= ?"
}

extension Reading where Self: ~Copyable {
  /// The notifications that were not shown yet, in order.
  public func waitingNotifications(limit: Int) throws(StorageError) -> [NotificationRecord] {
    try all(NotificationRecord.waiting, limit)
  }

  /// The notifications of a conversation up to a time.
  public func notifications(
    of thread: ThreadRecord.ID, upTo time: Int64
  ) throws(StorageError) -> [NotificationRecord] {
    try all(NotificationRecord.byThread, thread, time)
  }
}

extension WriteTransaction {
  @discardableResult
  public func insertNotification(
    _ kind: NotificationRecord.Kind, thread: ThreadRecord.ID? = nil, interaction: InteractionRecord.ID? = nil,
    createdAt: Int64
  ) throws(StorageError) -> NotificationRecord.ID {
    let id = try insert(NotificationRecord.insertion, kind, thread, interaction, createdAt)
    note(.inserted, .notifications)
    return NotificationRecord.ID(rawValue: id)
  }

  public func markShown(_ id: NotificationRecord.ID, at now: Int64) throws(StorageError) {
    try run(NotificationRecord.showing, now, id)
    note(.updated, .notifications)
  }

  /// Deletes the notifications of a conversation up to a time, because it was read.
  public func deleteNotifications(of thread: ThreadRecord.ID, upTo time: Int64) throws(StorageError) {
    try run(NotificationRecord.deletion, thread, time)
    note(.deleted, .notifications)
  }
}
