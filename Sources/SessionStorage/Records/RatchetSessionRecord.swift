public import SessionCore

/// A session with a device, as it was after its last use.
public struct RatchetSessionRecord: Record, Hashable {
  public typealias ID = RowID<RatchetSessionRecord>

  /// The number of sessions kept with one device, besides the one that content goes on.
  public static let limit = 5

  /// Zero until it is stored.
  public var id = ID(rawValue: 0)
  public let deviceID: RatchetDeviceRecord.ID
  /// In seconds, as both sides know it.
  public let startedAt: Int64
  /// Identifies the start of the session to both sides.
  public let startKey: [UInt8]
  public var state: SecretBytes
  /// The keys by which its messages are recognised, one after the other.
  public var tagKeys: [UInt8]
  /// When both sides are known to have it; nil before.
  public var confirmedAt: Int64?
  /// True if nothing is sent on it any more.
  public var isClosed = false
  /// When the bundle that it was started from was fetched; nil if the other side started it.
  public var bundleFetchedAt: Int64?
  public var usedAt: Int64
  /// When a message came on it last.
  public var heardAt: Int64?
  /// When a message was sent on it last.
  public var sentAt: Int64?
  /// When content was first sent on it since the other side was heard.
  public var unansweredAt: Int64?
  /// When content was last exchanged on it.
  public var contentAt: Int64?
  /// The number of messages received since the last one that was sent.
  public var receivedSinceSend = 0

  public init(
    with device: RatchetDeviceRecord.ID, startedAt: Int64, startKey: [UInt8], state: SecretBytes,
    tagKeys: [UInt8], usedAt: Int64
  ) {
    deviceID = device
    self.startedAt = startedAt
    self.startKey = startKey
    self.state = state
    self.tagKeys = tagKeys
    self.usedAt = usedAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    deviceID = try row[1]
    startedAt = try row[2]
    startKey = try row[3]
    state = try row[4]
    tagKeys = try row[5]
    confirmedAt = try row[6]
    isClosed = try row[7]
    bundleFetchedAt = try row[8]
    usedAt = try row[9]
    heardAt = try row[10]
    sentAt = try row[11]
    unansweredAt = try row[12]
    contentAt = try row[13]
    receivedSinceSend = try row[14]
  }

  private static let columns: SQL = """
    SELECT id, deviceID, startedAt, ek, state, tagKeys, confirmedAt, isClosed, bundleFetchedAt, usedAt, heardAt, sentAt, \
    unansweredAt, contentAt, receivedSinceSend FROM srSession
    """
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let byDevice: SQL = "\(columns) WHERE deviceID = ? ORDER BY startedAt DESC, ek DESC"
  fileprivate static let byStart: SQL = "\(columns) WHERE ek = ?"
  fileprivate static let allTagKeys: SQL = "SELECT id, tagKeys FROM srSession ORDER BY id"
  fileprivate static let insertion: SQL = """
    INSERT INTO srSession (deviceID, startedAt, ek, state, tagKeys, confirmedAt, isClosed, bundleFetchedAt, usedAt, \
    heardAt, sentAt, unansweredAt, contentAt, receivedSinceSend) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let change: SQL = """
    UPDATE srSession SET state = ?, tagKeys = ?, confirmedAt = ?, isClosed = ?, usedAt = ?, heardAt = ?, sentAt = ?, \
    unansweredAt = ?, \
    contentAt = ?, receivedSinceSend = ? WHERE id = ?
    """
  fileprivate static let newest: SQL = """
    \(columns) WHERE NOT EXISTS (SELECT 1 FROM srSession n WHERE n.deviceID = srSession.deviceID \
    AND (n.startedAt, n.ek) > (srSession.startedAt, srSession.ek)) ORDER BY id
    """
  fileprivate static let trimming: SQL = """
    DELETE FROM srSession WHERE deviceID = ?1 AND id NOT IN \
    (SELECT id FROM srSession WHERE deviceID = ?1 ORDER BY startedAt DESC, ek DESC LIMIT ?2) \
    AND id IS NOT (SELECT id FROM srSession WHERE deviceID = ?1 AND confirmedAt IS NOT NULL AND isClosed = 0 \
    ORDER BY startedAt DESC, ek DESC LIMIT 1)
    """
  fileprivate static let closingAll: SQL = "UPDATE srSession SET isClosed = 1 WHERE deviceID = ?"
  fileprivate static let deletion: SQL = "DELETE FROM srSession WHERE id = ?"
  fileprivate static let closing: SQL =
    "UPDATE srSession SET isClosed = 1 WHERE deviceID = ? AND (startedAt, ek) < (?, ?)"
}

private enum SkippedStatements {
  static let ofSession: SQL = """
    SELECT headerKey, number, messageKey, createdAt FROM srSkippedKey WHERE sessionID = ? \
    ORDER BY createdAt, headerKey, number
    """
  static let insertion: SQL = """
    INSERT INTO srSkippedKey (sessionID, headerKey, number, messageKey, createdAt) VALUES (?, ?, ?, ?, ?)
    """
  static let deletion: SQL =
    "DELETE FROM srSkippedKey WHERE sessionID = ? AND headerKey = ? AND number = ?"
  static let opened: SQL = "SELECT 1 FROM srOpened WHERE mark = ?"
  static let opening: SQL = "INSERT OR IGNORE INTO srOpened (mark, openedAt) VALUES (?, ?)"
}

extension Reading where Self: ~Copyable {
  public func ratchetSession(_ id: RatchetSessionRecord.ID) throws(StorageError) -> RatchetSessionRecord? {
    try first(RatchetSessionRecord.byID, id)
  }

  /// The sessions with a device, the newest one first.
  public func ratchetSessions(
    with device: RatchetDeviceRecord.ID
  ) throws(StorageError) -> [RatchetSessionRecord] {
    try all(RatchetSessionRecord.byDevice, device)
  }

  /// The session of a start.
  public func ratchetSession(startKey: [UInt8]) throws(StorageError) -> RatchetSessionRecord? {
    try first(RatchetSessionRecord.byStart, startKey)
  }

  /// The newest session with each device.
  public func newestRatchetSessions() throws(StorageError) -> [RatchetSessionRecord] {
    try all(RatchetSessionRecord.newest)
  }

  /// The tag keys of all sessions.
  public func ratchetTagKeys() throws(StorageError) -> [(id: RatchetSessionRecord.ID, keys: [UInt8])] {
    try map(RatchetSessionRecord.allTagKeys) {
      (row) throws(StorageError) -> (id: RatchetSessionRecord.ID, keys: [UInt8]) in (try row[0], try row[1])
    }
  }

  /// The keys of messages that a session skipped, oldest first.
  public func skippedKeys(of session: RatchetSessionRecord.ID) throws(StorageError) -> [RatchetSkippedKey] {
    try map(SkippedStatements.ofSession, session) { (row) throws(StorageError) in
      let seconds: Int64 = try row[3]
      return RatchetSkippedKey(
        headerKey: try row[0], number: UInt32(truncatingIfNeeded: try row[1] as Int64),
        messageKey: try row[2], skippedAtSeconds: UInt64(clamping: seconds / 1000))
    }
  }

  /// True if a message with this mark was opened before.
  public func wasOpened(_ mark: [UInt8]) throws(StorageError) -> Bool {
    try exists(SkippedStatements.opened, mark)
  }
}

extension WriteTransaction {
  /// Keeps a session and returns it with its number. Of a device, the newest ones are kept, and the newest one that both
  /// sides are known to have: any number of others may be started and never answered.
  @discardableResult
  public func put(_ session: RatchetSessionRecord) throws(StorageError) -> RatchetSessionRecord {
    var s = session
    if s.id.rawValue == 0 {
      s.id = RatchetSessionRecord.ID(
        rawValue: try insert(
          RatchetSessionRecord.insertion, s.deviceID, s.startedAt, s.startKey, s.state, s.tagKeys,
          s.confirmedAt, s.isClosed, s.bundleFetchedAt, s.usedAt, s.heardAt, s.sentAt, s.unansweredAt,
          s.contentAt,
          s.receivedSinceSend))
      try run(RatchetSessionRecord.trimming, s.deviceID, RatchetSessionRecord.limit)
    } else {
      try run(
        RatchetSessionRecord.change, s.state, s.tagKeys, s.confirmedAt, s.isClosed, s.usedAt, s.heardAt,
        s.sentAt, s.unansweredAt, s.contentAt, s.receivedSinceSend, s.id)
    }
    return s
  }

  /// Ends sending on the sessions with a device that are older than this one.
  public func closeRatchetSessions(olderThan session: RatchetSessionRecord) throws(StorageError) {
    try run(RatchetSessionRecord.closing, session.deviceID, session.startedAt, session.startKey)
  }

  /// Ends sending on all sessions with a device.
  public func closeRatchetSessions(with device: RatchetDeviceRecord.ID) throws(StorageError) {
    try run(RatchetSessionRecord.closingAll, device)
  }

  public func deleteRatchetSession(_ id: RatchetSessionRecord.ID) throws(StorageError) {
    try run(RatchetSessionRecord.deletion, id)
  }

  public func insert(
    _ key: RatchetSkippedKey, of session: RatchetSessionRecord.ID
  ) throws(StorageError) {
    try run(
      SkippedStatements.insertion, session, key.headerKey, Int64(key.number), key.messageKey,
      Int64(clamping: key.skippedAtSeconds) * 1000)
  }

  public func delete(
    _ key: RatchetSkippedKey, of session: RatchetSessionRecord.ID
  ) throws(StorageError) {
    try run(SkippedStatements.deletion, session, key.headerKey, Int64(key.number))
  }

  /// Records that a message with this mark was opened.
  public func noteOpened(_ mark: [UInt8], at now: Int64) throws(StorageError) {
    try run(SkippedStatements.opening, mark, now)
  }
}
