/// A message of a conversation, or a note of the program in it.
public struct InteractionRecord: Hashable, Sendable {
  public typealias ID = RowID<InteractionRecord>

  /// The kind. The numbers are those of the reference client, so that its data can be imported.
  public struct Kind: RawRepresentable, Hashable, Sendable, DatabaseValue {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let incoming = Kind(rawValue: 0)
    public static let outgoing = Kind(rawValue: 1)
    public static let incomingDeleted = Kind(rawValue: 3)
    public static let incomingDeletedLocally = Kind(rawValue: 4)
    public static let outgoingDeleted = Kind(rawValue: 5)
    public static let outgoingDeletedLocally = Kind(rawValue: 6)

    /// The first number of notes of the program.
    public static let firstNote = 1000
    public var isNote: Bool { rawValue >= Self.firstNote }
  }

  public enum State: Int, Sendable, CaseIterable, DatabaseValue {
    case received = 0
    case sending = 1
    case sent = 2
    case failed = 3
    /// Sent, while the copy for our other devices is on its way.
    case syncing = 4
    case failedToSync = 5
  }

  /// Zero until it is stored.
  public var id = ID(rawValue: 0)
  public internal(set) var threadID: ThreadRecord.ID
  /// For a message of ours in a room, the id under which it was posted.
  public var author: String
  public var kind: Kind
  public var body: String?
  /// The details of a note.
  public var info: [UInt8]?
  public var sentAt: Int64
  public var receivedAt: Int64
  public var serverHash: String?
  public var uuid: String?
  /// The number of the message in its community.
  public var serverID: Int64?
  public var wasRead = false
  public var hasMention = false
  public var state: State
  /// Why sending failed, for people.
  public var failure: String?
  public var readByRecipientAt: Int64?
  public var expiry = ExpiryTimer.off
  public var expiryStartedAt: Int64?
  public var linkPreviewID: LinkPreviewRecord.ID?
  public var isWhisper = false
  public var whisperTo: String?
  public var proMessageFeatures: Int64 = 0
  public var proProfileFeatures: Int64 = 0
  /// The verdict on the sender's Pro proof.
  public var proStatus: Int64 = 0
  /// The number of the last change of the message in its community.
  public var serverSeqno: Int64?
  /// When its author changed it.
  public var editedAt: Int64?
  /// True if its community hides it from all others.
  public var isFiltered = false
  /// How the message was protected on its way; zero if that is not known.
  public var level: Int64 = 0
  /// True if it came from a device that nothing of its account vouches for.
  public var isFromHeldDevice = false
}

extension InteractionRecord {
  public init(
    in threadID: ThreadRecord.ID, by author: String, _ kind: Kind, body: String? = nil, sentAt: Int64,
    receivedAt: Int64, state: State
  ) {
    self.init(
      threadID: threadID, author: author, kind: kind, body: body, sentAt: sentAt, receivedAt: receivedAt,
      state: state)
  }
}

/// A place in a conversation, from which pages are read.
public struct InteractionPlace: Hashable, Sendable {
  public let sentAt: Int64
  public let id: InteractionRecord.ID

  public init(sentAt: Int64, id: InteractionRecord.ID) {
    self.sentAt = sentAt
    self.id = id
  }

  /// Before everything.
  public static let start = InteractionPlace(sentAt: .min, id: .init(rawValue: .min))
  /// After everything.
  public static let end = InteractionPlace(sentAt: .max, id: .init(rawValue: .max))
}

extension InteractionRecord {
  public var place: InteractionPlace { InteractionPlace(sentAt: sentAt, id: id) }
}

// MARK: - Statements

extension InteractionRecord: Record {
  static let columns: SQL = """
    i.id, i.threadID, i.author, i.kind, i.body, i.info, i.sentAt, i.receivedAt, i.serverHash, i.uuid, i.serverID, \
    i.wasRead, i.hasMention, i.state, i.failure, i.readByRecipientAt, i.expiryMode, i.expirySeconds, \
    i.expiryStartedAt, i.linkPreviewID, i.isWhisper, i.whisperTo, i.proMessageFeatures, i.proProfileFeatures, \
    i.proStatus, i.serverSeqno, i.editedAt, i.isFiltered, i.level, i.isFromHeldDevice
    """

  // All at once: a failure between two properties would have the rest of them taken back, for which the compiler makes
  // a copy of every record.
  public init(_ row: borrowing Row) throws(StorageError) {
    self.init(
      id: try row[0], threadID: try row[1], author: try row[recurring: 2], kind: try row[3], body: try row[4],
      info: try row[5], sentAt: try row[6], receivedAt: try row[7], serverHash: try row[8], uuid: try row[9],
      serverID: try row[10], wasRead: try row[11], hasMention: try row[12], state: try row[13],
      failure: try row[14], readByRecipientAt: try row[15],
      expiry: ExpiryTimer(try row[16], seconds: try row[17]), expiryStartedAt: try row[18],
      linkPreviewID: try row[19], isWhisper: try row[20], whisperTo: try row[21],
      proMessageFeatures: try row[22], proProfileFeatures: try row[23], proStatus: try row[24],
      serverSeqno: try row[25], editedAt: try row[26], isFiltered: try row[27],
      level: try row[28], isFromHeldDevice: try row[29])
  }

  fileprivate static let insertion: SQL = """
    INSERT INTO interaction (threadID, author, kind, body, info, sentAt, receivedAt, serverHash, uuid, serverID, \
    wasRead, hasMention, state, failure, readByRecipientAt, expiryMode, expirySeconds, expiryStartedAt, \
    linkPreviewID, isWhisper, whisperTo, proMessageFeatures, proProfileFeatures, proStatus, serverSeqno, editedAt, \
    isFiltered, level, isFromHeldDevice) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \
    ?, ?, ?, ?)
    """
  fileprivate static let change: SQL = """
    UPDATE interaction SET author = ?, kind = ?, body = ?, info = ?, sentAt = ?, receivedAt = ?, serverHash = ?, uuid = ?, \
    serverID = ?, wasRead = ?, hasMention = ?, state = ?, failure = ?, readByRecipientAt = ?, expiryMode = ?, \
    expirySeconds = ?, expiryStartedAt = ?, linkPreviewID = ?, isWhisper = ?, whisperTo = ?, \
    proMessageFeatures = ?, proProfileFeatures = ?, proStatus = ?, serverSeqno = ?, editedAt = ?, \
    isFiltered = ?, level = ?, isFromHeldDevice = ? WHERE id = ?
    """
  fileprivate static let deletion: SQL = "DELETE FROM interaction WHERE id = ?"
  fileprivate static let byID: SQL = "SELECT \(columns) FROM interaction i WHERE id = ?"
  fileprivate static let byIDs: SQL =
    "\(SQL.list) SELECT \(columns) FROM list CROSS JOIN interaction i WHERE i.id = list.id"
  /// The quoting message follows these columns.
  fileprivate static let byQuotes: SQL = """
    \(SQL.list) SELECT \(columns), q.interactionID FROM list CROSS JOIN quote q CROSS JOIN interaction m \
    CROSS JOIN interaction i WHERE q.interactionID = list.id AND m.id = q.interactionID \
    AND i.threadID = m.threadID AND i.author = q.author AND i.sentAt = q.sentAt AND i.kind < 1000
    """
  fileprivate static let authorsAt: SQL =
    "SELECT author FROM interaction WHERE threadID = ? AND sentAt = ? AND kind < 1000"
  fileprivate static let byHash: SQL =
    "SELECT \(columns) FROM interaction i WHERE threadID = ? AND serverHash = ?"
  // It reads one entry of the index for each author, however much they wrote.
  fileprivate static let authors: SQL = """
    WITH RECURSIVE found (author) AS ( \
    SELECT min(author) FROM interaction WHERE threadID = ?1 AND kind < 1000 UNION ALL \
    SELECT (SELECT min(i.author) FROM interaction i WHERE i.threadID = ?1 AND i.kind < 1000 AND i.author > found.author) \
    FROM found WHERE found.author IS NOT NULL) SELECT author FROM found WHERE author IS NOT NULL
    """
  fileprivate static let byServerID: SQL =
    "SELECT \(columns) FROM interaction i WHERE threadID = ? AND serverID = ?"
  fileprivate static let bySending: SQL =
    "SELECT \(columns) FROM interaction i WHERE threadID = ? AND author = ? AND sentAt = ? AND kind < 1000"
  fileprivate static let bySendingAnywhere: SQL = """
    SELECT \(columns) FROM thread t CROSS JOIN interaction i \
    WHERE i.threadID = t.id AND i.author = ? AND i.sentAt = ? AND i.kind < 1000
    """
  fileprivate static let page: SQL = """
    SELECT \(columns) FROM interaction i WHERE threadID = ? AND (sentAt, id) < (?, ?) \
    ORDER BY sentAt DESC, id DESC LIMIT ?
    """
  fileprivate static let pageAfter: SQL = """
    SELECT \(columns) FROM interaction i WHERE threadID = ? AND (sentAt, id) > (?, ?) \
    ORDER BY sentAt, id LIMIT ?
    """
  fileprivate static let count: SQL = "SELECT count(*) FROM interaction WHERE threadID = ?"
  fileprivate static let unread: SQL =
    "SELECT \(columns) FROM interaction i WHERE threadID = ? AND wasRead = 0 AND sentAt <= ? ORDER BY sentAt"
  fileprivate static let reading: SQL =
    "UPDATE interaction SET wasRead = 1 WHERE threadID = ? AND wasRead = 0 AND sentAt <= ?"
  fileprivate static let unsettled: SQL =
    "SELECT \(columns) FROM interaction i WHERE state IN (1, 4) ORDER BY id"
  fileprivate static let unsettledCount: SQL =
    "SELECT count(*) FROM (SELECT 1 FROM interaction WHERE state IN (1, 4) LIMIT ?)"
  fileprivate static let expired: SQL = """
    SELECT \(columns) FROM interaction i WHERE expiryStartedAt IS NOT NULL \
    AND expiryStartedAt + expirySeconds * 1000 <= ? ORDER BY expiryStartedAt + expirySeconds * 1000 LIMIT ?
    """
  fileprivate static let nextExpiry: SQL = """
    SELECT min(expiryStartedAt + expirySeconds * 1000) FROM interaction WHERE expiryStartedAt IS NOT NULL
    """
}

extension Reading where Self: ~Copyable {
  public func interaction(_ id: InteractionRecord.ID) throws(StorageError) -> InteractionRecord? {
    try first(InteractionRecord.byID, id)
  }

  public func interactions(_ ids: RowList<InteractionRecord>) throws(StorageError) -> [InteractionRecord] {
    try all(InteractionRecord.byIDs, ids)
  }

  /// The messages that messages reply to, if stored here.
  public func interactions(
    quotedBy messages: RowList<InteractionRecord>
  ) throws(StorageError) -> [InteractionRecord.ID: InteractionRecord] {
    var found: [InteractionRecord.ID: InteractionRecord] = [:]
    try forEach(InteractionRecord.byQuotes, messages) { (row) throws(StorageError) in
      found[try row[30]] = try InteractionRecord(row)
      return true
    }
    return found
  }

  public func interaction(
    in thread: ThreadRecord.ID, serverHash: String
  ) throws(StorageError) -> InteractionRecord? {
    try first(InteractionRecord.byHash, thread, serverHash)
  }

  /// Those who wrote in a conversation at a time.
  public func authors(
    in thread: ThreadRecord.ID, sentAt: Int64
  ) throws(StorageError) -> [String] {
    try values(InteractionRecord.authorsAt, thread, sentAt)
  }

  /// Everybody who wrote in a conversation, in the order of their ids.
  public func authors(in thread: ThreadRecord.ID) throws(StorageError) -> [String] {
    try values(InteractionRecord.authors, thread)
  }

  /// The message with a number in a room.
  public func interaction(
    in thread: ThreadRecord.ID, serverID: Int64
  ) throws(StorageError) -> InteractionRecord? {
    try first(InteractionRecord.byServerID, thread, serverID)
  }

  /// The message by author and time, which identify it in quotes, reactions and requests.
  public func interaction(
    in thread: ThreadRecord.ID, by author: String, sentAt: Int64
  ) throws(StorageError) -> InteractionRecord? {
    try first(InteractionRecord.bySending, thread, author, sentAt)
  }

  /// The messages of an author and time, in all conversations.
  public func interactions(by author: String, sentAt: Int64) throws(StorageError) -> [InteractionRecord] {
    try all(InteractionRecord.bySendingAnywhere, author, sentAt)
  }

  /// The messages right before a place, the last one first.
  public func page(
    of thread: ThreadRecord.ID, before place: InteractionPlace = .end, limit: Int
  ) throws(StorageError) -> [InteractionRecord] {
    try all(InteractionRecord.page, thread, place.sentAt, place.id, limit)
  }

  /// The messages right after a place, the first one first.
  public func page(
    of thread: ThreadRecord.ID, after place: InteractionPlace, limit: Int
  ) throws(StorageError) -> [InteractionRecord] {
    try all(InteractionRecord.pageAfter, thread, place.sentAt, place.id, limit)
  }

  /// The number of messages and notes in a conversation.
  public func interactionCount(of thread: ThreadRecord.ID) throws(StorageError) -> Int {
    try value(InteractionRecord.count, thread) ?? 0
  }

  /// Messages that were being sent or synced, when nothing is: the program was ended then.
  public func unsettledInteractions() throws(StorageError) -> [InteractionRecord] {
    try all(InteractionRecord.unsettled)
  }

  /// How many messages are being sent; no more than a limit are counted.
  public func unsettledCount(upTo limit: Int) throws(StorageError) -> Int {
    try value(InteractionRecord.unsettledCount, limit) ?? 0
  }

  /// Expired messages, the earliest expiry first.
  public func expiredInteractions(at now: Int64, limit: Int) throws(StorageError) -> [InteractionRecord] {
    try all(InteractionRecord.expired, now, limit)
  }

  /// The earliest expiry of a message.
  public func nextInteractionExpiry() throws(StorageError) -> Int64? {
    // Of no rows the least time is null.
    let found: Int64?? = try value(InteractionRecord.nextExpiry)
    return found ?? nil
  }
}

extension WriteTransaction {
  /// Keeps a message and returns it with its number: `duplicate` when it is there already.
  @discardableResult
  public func insert(_ interaction: InteractionRecord) throws(StorageError) -> InteractionRecord {
    var interaction = interaction
    let i = interaction
    interaction.id = InteractionRecord.ID(
      rawValue: try insert(
        InteractionRecord.insertion, i.threadID, i.author, i.kind, i.body, i.info, i.sentAt, i.receivedAt,
        i.serverHash, i.uuid, i.serverID, i.wasRead, i.hasMention, i.state, i.failure, i.readByRecipientAt,
        i.expiry.mode, i.expiry.seconds, i.expiryStartedAt, i.linkPreviewID, i.isWhisper, i.whisperTo,
        i.proMessageFeatures, i.proProfileFeatures, i.proStatus, i.serverSeqno, i.editedAt, i.isFiltered,
        i.level,
        i.isFromHeldDevice))
    try makeFound(interaction, isNew: true)
    note(.inserted, interaction)
    return interaction
  }

  /// Stores the changed fields of a message.
  public func update(_ interaction: InteractionRecord) throws(StorageError) {
    let i = interaction
    try run(
      InteractionRecord.change, i.author, i.kind, i.body, i.info, i.sentAt, i.receivedAt, i.serverHash,
      i.uuid,
      i.serverID,
      i.wasRead, i.hasMention, i.state, i.failure, i.readByRecipientAt, i.expiry.mode, i.expiry.seconds,
      i.expiryStartedAt, i.linkPreviewID, i.isWhisper, i.whisperTo, i.proMessageFeatures,
      i.proProfileFeatures, i.proStatus, i.serverSeqno, i.editedAt, i.isFiltered, i.level, i.isFromHeldDevice,
      i.id)
    try makeFound(interaction, isNew: false)
    note(.updated, interaction)
  }

  /// Deletes a message without a trace. Files that only it referred to are left to be swept.
  public func delete(_ interaction: InteractionRecord) throws(StorageError) {
    try run(InteractionRecord.deletion, interaction.id)
    note(.deleted, interaction)
  }

  /// Marks messages up to a time as read, and returns them.
  public func markRead(
    in thread: ThreadRecord.ID, upTo time: Int64
  ) throws(StorageError) -> [InteractionRecord] {
    let read: [InteractionRecord] = try all(InteractionRecord.unread, thread, time)
    guard !read.isEmpty else { return [] }
    try run(InteractionRecord.reading, thread, time)
    for interaction in read { note(.updated, interaction) }
    return read.map { interaction in
      var interaction = interaction
      interaction.wasRead = true
      return interaction
    }
  }

  private func note(_ kind: ChangeSet.Kind, _ interaction: InteractionRecord) {
    note(kind, .interaction(interaction.id))
    note(.updated, .messages(of: interaction.threadID))
    note(.updated, .thread(interaction.threadID))
    note(.updated, .unread(in: interaction.threadID))
  }
}
