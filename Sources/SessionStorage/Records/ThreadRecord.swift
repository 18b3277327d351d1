/// A conversation.
public struct ThreadRecord: Hashable, Sendable {
  public typealias ID = RowID<ThreadRecord>

  public enum Kind: Int, Sendable, CaseIterable, DatabaseValue {
    case contact = 0
    case legacyGroup = 1
    case community = 2
    case group = 3
  }

  /// Which messages notify.
  public enum Notifies: Int, Sendable, CaseIterable, DatabaseValue {
    case all = 0
    case mentions = 1
    case nothing = 2
  }

  public let id: ID
  /// The id of the contact or group, or the URL of the room: its identity everywhere.
  public let address: String
  public let kind: Kind
  public let createdAt: Int64
  public var isVisible: Bool
  /// Above zero when it is pinned, the higher the further up.
  public var priority = 0
  public var mutedUntil: Int64?
  public var notifies = Notifies.all
  public var sound: String?
  public var isMarkedUnread = false
  /// The read position: messages up to this time are read, here or on another device.
  public var lastReadAt: Int64 = 0
  public var expiry = ExpiryTimer.off
}

/// When messages disappear.
public struct ExpiryTimer: Hashable, Sendable {
  public enum Mode: Int, Sendable, CaseIterable, DatabaseValue {
    case off = 0
    case unknown = 1
    case legacy = 2
    case afterRead = 3
    case afterSend = 4
  }

  public let mode: Mode
  public let seconds: Int64

  public init(_ mode: Mode, seconds: Int64) {
    self.mode = mode
    self.seconds = seconds
  }

  public static let off = ExpiryTimer(.off, seconds: 0)
}

// MARK: - Statements

extension ThreadRecord: Record {
  private static let columns: SQL = """
    id, address, kind, createdAt, isVisible, priority, mutedUntil, notifies, sound, isMarkedUnread, lastReadAt, \
    expiryMode, expirySeconds
    """

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    address = try row[1]
    kind = try row[2]
    createdAt = try row[3]
    isVisible = try row[4]
    priority = try row[5]
    mutedUntil = try row[6]
    notifies = try row[7]
    sound = try row[8]
    isMarkedUnread = try row[9]
    lastReadAt = try row[10]
    expiry = ExpiryTimer(try row[11], seconds: try row[12])
  }

  fileprivate static let byID: SQL = "SELECT \(columns) FROM thread WHERE id = ?"
  fileprivate static let byIDs: SQL =
    "\(SQL.list) SELECT \(columns) FROM thread WHERE id IN (SELECT id FROM list)"
  fileprivate static let byAddress: SQL = "SELECT \(columns) FROM thread WHERE address = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO thread (address, kind, createdAt, isVisible) VALUES (?, ?, ?, ?)"
  fileprivate static let change: SQL = """
    UPDATE thread SET isVisible = ?, priority = ?, mutedUntil = ?, notifies = ?, sound = ?, isMarkedUnread = ?, \
    lastReadAt = ?, expiryMode = ?, expirySeconds = ? WHERE id = ?
    """
  fileprivate static let deletion: SQL = "DELETE FROM thread WHERE id = ?"
  /// Pinned conversations first, then those with the newest message or draft.
  fileprivate static let listing: SQL = """
    SELECT \(columns) FROM thread WHERE isVisible = ? ORDER BY priority DESC, max(
      createdAt, ifnull((SELECT max(sentAt) FROM interaction WHERE threadID = thread.id), 0),
      ifnull((SELECT updatedAt FROM draft WHERE threadID = thread.id AND body <> ''), 0)) DESC, id DESC
    """
  /// Hidden conversations that nothing refers to.
  fileprivate static let shadows: SQL = """
    SELECT id FROM thread WHERE isVisible = 0 AND address <> ? AND address NOT IN (SELECT id FROM contact) \
    AND id NOT IN (SELECT threadID FROM community) AND id NOT IN (SELECT threadID FROM closedGroup)
    """
  fileprivate static let unreadCounts: SQL =
    "SELECT threadID, count(*), sum(hasMention) FROM interaction WHERE wasRead = 0 GROUP BY threadID"
  fileprivate static let expiredUnreadCounts: SQL = """
    SELECT threadID, count(*), sum(hasMention) FROM interaction \
    WHERE expiryStartedAt IS NOT NULL AND expiryStartedAt + expirySeconds * 1000 <= ? AND wasRead = 0 GROUP BY threadID
    """
}

/// The number of unread messages of a conversation.
public struct UnreadCount: Record, Hashable {
  public let thread: ThreadRecord.ID
  public fileprivate(set) var messages: Int
  /// The number of them that mention us.
  public fileprivate(set) var mentions: Int

  public init(_ row: borrowing Row) throws(StorageError) {
    thread = try row[0]
    messages = try row[1]
    mentions = try row[2]
  }
}

extension Reading where Self: ~Copyable {
  public func thread(_ id: ThreadRecord.ID) throws(StorageError) -> ThreadRecord? {
    try first(ThreadRecord.byID, id)
  }

  public func threads(_ ids: RowList<ThreadRecord>) throws(StorageError) -> [ThreadRecord] {
    try all(ThreadRecord.byIDs, ids)
  }

  public func thread(at address: String) throws(StorageError) -> ThreadRecord? {
    try first(ThreadRecord.byAddress, address)
  }

  /// All conversations that are shown, or those that are not, in their order.
  public func threads(areVisible: Bool) throws(StorageError) -> [ThreadRecord] {
    try all(ThreadRecord.listing, areVisible)
  }

  /// The conversations in which something is unread.
  public func unreadCounts() throws(StorageError) -> [UnreadCount] { try all(ThreadRecord.unreadCounts) }

  /// The counts without expired messages.
  public func unreadCounts(at now: Int64) throws(StorageError) -> [UnreadCount] {
    let expired: [UnreadCount] = try all(ThreadRecord.expiredUnreadCounts, now)
    let byThread = Dictionary(expired.map { ($0.thread, $0) }) { first, _ in first }
    return try unreadCounts().map { count in
      var count = count
      count.messages -= byThread[count.thread]?.messages ?? 0
      count.mentions -= byThread[count.thread]?.mentions ?? 0
      return count
    }
  }

  /// Hidden conversations, except our own, without a contact, group or community.
  public func shadowThreads(own address: String) throws(StorageError) -> [ThreadRecord.ID] {
    try values(ThreadRecord.shadows, address)
  }
}

extension WriteTransaction {
  /// The conversation with an address, made when there is none.
  public func obtainThread(
    at address: String, _ kind: ThreadRecord.Kind, createdAt: Int64, isVisible: Bool = true
  ) throws(StorageError) -> ThreadRecord {
    if let found = try thread(at: address) { return found }
    let id = ThreadRecord.ID(
      rawValue: try insert(ThreadRecord.insertion, address, kind, createdAt, isVisible))
    note(.inserted, .thread(id))
    return ThreadRecord(id: id, address: address, kind: kind, createdAt: createdAt, isVisible: isVisible)
  }

  /// Stores the changeable fields of a conversation.
  public func update(_ thread: ThreadRecord) throws(StorageError) {
    try run(
      ThreadRecord.change, thread.isVisible, thread.priority, thread.mutedUntil, thread.notifies,
      thread.sound,
      thread.isMarkedUnread, thread.lastReadAt, thread.expiry.mode, thread.expiry.seconds, thread.id)
    note(.updated, .thread(thread.id))
  }

  /// Deletes a conversation with everything in it. Files that only it referred to are left to be swept.
  public func deleteThread(_ id: ThreadRecord.ID) throws(StorageError) {
    try run(ThreadRecord.deletion, id)
    note(.deleted, .thread(id))
    note(.deleted, .messages(of: id))
    note(.updated, .unread(in: id))
  }
}
