/// A moderator of a room.
public struct RoomModeratorRecord: Record, Hashable {
  public let person: String
  public let isAdmin: Bool
  /// True if only other moderators see it.
  public let isHidden: Bool

  public init(_ person: String, isAdmin: Bool, isHidden: Bool) {
    self.person = person
    self.isAdmin = isAdmin
    self.isHidden = isHidden
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    person = try row[0]
    isAdmin = try row[1]
    isHidden = try row[2]
  }

  fileprivate static let byThread: SQL =
    "SELECT person, isAdmin, isHidden FROM communityModerator WHERE threadID = ? ORDER BY person"
  fileprivate static let insertion: SQL =
    "INSERT INTO communityModerator (threadID, person, isAdmin, isHidden) VALUES (?, ?, ?, ?)"
  fileprivate static let deletion: SQL = "DELETE FROM communityModerator WHERE threadID = ?"
}

/// A message of a room that its moderators pinned, by its number there.
public struct RoomPinRecord: Record, Hashable {
  /// What a pinned message says that is not among the messages of the room here.
  public struct Copy: Hashable, Sendable {
    public let author: String
    public let postedAt: Int64
    public let body: String

    public init(by author: String, at postedAt: Int64, _ body: String) {
      self.author = author
      self.postedAt = postedAt
      self.body = body
    }
  }

  public let serverID: Int64
  public let pinnedAt: Int64
  public let pinnedBy: String?
  public var copy: Copy?

  public init(_ serverID: Int64, at pinnedAt: Int64, by person: String?) {
    self.serverID = serverID
    self.pinnedAt = pinnedAt
    pinnedBy = person
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    serverID = try row[0]
    pinnedAt = try row[1]
    pinnedBy = try row[2]
    let author: String? = try row[3]
    guard let author else { return }
    copy = Copy(by: author, at: try row[4], try row[5])
  }

  fileprivate static let byThread: SQL = """
    SELECT serverID, pinnedAt, pinnedBy, author, postedAt, body FROM communityPin WHERE threadID = ? \
    ORDER BY pinnedAt, serverID
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO communityPin (threadID, serverID, pinnedAt, pinnedBy, author, postedAt, body) \
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM communityPin WHERE threadID = ?"
}

/// A reaction of ours in a room, added or removed, that reports of the server may not contain yet.
public struct PendingReactionRecord: Record, Hashable {
  public typealias ID = RowID<PendingReactionRecord>

  /// Zero until it is stored.
  public let id: ID
  public let threadID: ThreadRecord.ID
  /// The number of the message.
  public let serverID: Int64
  public let emoji: String
  public let isRemoval: Bool
  /// The number of the change; nil until the server has confirmed it.
  public let sequence: Int64?

  public init(to serverID: Int64, in thread: ThreadRecord.ID, _ emoji: String, isRemoval: Bool) {
    id = ID(rawValue: 0)
    threadID = thread
    self.serverID = serverID
    self.emoji = emoji
    self.isRemoval = isRemoval
    sequence = nil
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    threadID = try row[1]
    serverID = try row[2]
    emoji = try row[3]
    isRemoval = try row[4]
    sequence = try row[5]
  }

  private static let columns: SQL =
    "SELECT id, threadID, serverID, emoji, isRemoval, seqno FROM communityPending"
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let byMessage: SQL = "\(columns) WHERE threadID = ? AND serverID = ? ORDER BY id"
  fileprivate static let insertion: SQL =
    "INSERT INTO communityPending (threadID, serverID, emoji, isRemoval, seqno) VALUES (?, ?, ?, ?, ?)"
  fileprivate static let confirmation: SQL = "UPDATE communityPending SET seqno = ? WHERE id = ?"
  fileprivate static let deletion: SQL = "DELETE FROM communityPending WHERE id = ?"
  fileprivate static let deletionOfKnown: SQL =
    "DELETE FROM communityPending WHERE threadID = ? AND serverID = ? AND seqno IS NOT NULL AND seqno <= ?"
  fileprivate static let deletionOfMessage: SQL =
    "DELETE FROM communityPending WHERE threadID = ? AND serverID = ?"
  fileprivate static let deletionOfAll: SQL = "DELETE FROM communityPending WHERE threadID = ?"
}

/// Messages of a room that are not here, between two that are: those with numbers between the two.
public struct RoomGapRecord: Record, Hashable {
  public let below: Int64
  public let above: Int64

  public init(below: Int64, above: Int64) {
    self.below = below
    self.above = above
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    below = try row[0]
    above = try row[1]
  }

  fileprivate static let byThread: SQL =
    "SELECT below, above FROM communityGap WHERE threadID = ? ORDER BY below DESC"
  fileprivate static let insertion: SQL =
    "INSERT OR REPLACE INTO communityGap (threadID, below, above) VALUES (?, ?, ?)"
  fileprivate static let deletion: SQL = "DELETE FROM communityGap WHERE threadID = ? AND below = ?"
  fileprivate static let deletionOfAll: SQL = "DELETE FROM communityGap WHERE threadID = ?"
}

private enum RoomStatements {
  static let oldest: SQL = "SELECT min(serverID) FROM interaction WHERE threadID = ? AND serverID IS NOT NULL"
  static let newest: SQL = "SELECT max(serverID) FROM interaction WHERE threadID = ? AND serverID IS NOT NULL"
  static let newestBelow: SQL = "SELECT max(serverID) FROM interaction WHERE threadID = ? AND serverID < ?"
  static let forgetting: SQL =
    "UPDATE interaction SET serverID = NULL, serverSeqno = NULL WHERE threadID = ? AND serverID IS NOT NULL"
  static let range: SQL = """
    SELECT \(InteractionRecord.columns) FROM interaction i WHERE threadID = ? AND serverID BETWEEN ? AND ? \
    ORDER BY serverID
    """
}

extension Reading where Self: ~Copyable {
  public func moderators(of room: ThreadRecord.ID) throws(StorageError) -> [RoomModeratorRecord] {
    try all(RoomModeratorRecord.byThread, room)
  }

  /// The pinned messages of a room, in the order in which they were pinned.
  public func pins(of room: ThreadRecord.ID) throws(StorageError) -> [RoomPinRecord] {
    try all(RoomPinRecord.byThread, room)
  }

  public func pendingReaction(_ id: PendingReactionRecord.ID) throws(StorageError) -> PendingReactionRecord? {
    try first(PendingReactionRecord.byID, id)
  }

  /// Our reactions to a message that the server may not report yet, in the order in which they were made.
  public func pendingReactions(
    to serverID: Int64, in room: ThreadRecord.ID
  ) throws(StorageError) -> [PendingReactionRecord] {
    try all(PendingReactionRecord.byMessage, room, serverID)
  }

  /// The gaps in a room, the newest first.
  public func gaps(in room: ThreadRecord.ID) throws(StorageError) -> [RoomGapRecord] {
    try all(RoomGapRecord.byThread, room)
  }

  /// The number of the oldest message of a room that is here.
  public func oldestNumber(in room: ThreadRecord.ID) throws(StorageError) -> Int64? {
    let found: Int64?? = try value(RoomStatements.oldest, room)
    return found ?? nil
  }

  /// The number of the newest message of a room that is here.
  public func newestNumber(in room: ThreadRecord.ID) throws(StorageError) -> Int64? {
    let found: Int64?? = try value(RoomStatements.newest, room)
    return found ?? nil
  }

  /// The number of the newest message of a room that is here and older than one.
  public func newestNumber(in room: ThreadRecord.ID, below number: Int64) throws(StorageError) -> Int64? {
    let found: Int64?? = try value(RoomStatements.newestBelow, room, number)
    return found ?? nil
  }

  /// The messages of a room with numbers in a range.
  public func interactions(
    in room: ThreadRecord.ID, numbered range: ClosedRange<Int64>
  ) throws(StorageError) -> [InteractionRecord] {
    try all(RoomStatements.range, room, range.lowerBound, range.upperBound)
  }
}

extension WriteTransaction {
  /// Replaces the known moderators of a room.
  public func setModerators(
    _ moderators: [RoomModeratorRecord], of room: ThreadRecord.ID
  ) throws(StorageError) {
    try run(RoomModeratorRecord.deletion, room)
    for moderator in moderators {
      try run(
        RoomModeratorRecord.insertion, room, moderator.person, moderator.isAdmin, moderator.isHidden)
    }
    note(.updated, .community(room))
  }

  /// Replaces the known pins of a room.
  public func setPins(_ pins: [RoomPinRecord], of room: ThreadRecord.ID) throws(StorageError) {
    try run(RoomPinRecord.deletion, room)
    for pin in pins {
      try run(
        RoomPinRecord.insertion, room, pin.serverID, pin.pinnedAt, pin.pinnedBy, pin.copy?.author,
        pin.copy?.postedAt, pin.copy?.body)
    }
    note(.updated, .community(room))
  }

  public func insert(_ reaction: PendingReactionRecord) throws(StorageError) -> PendingReactionRecord.ID {
    PendingReactionRecord.ID(
      rawValue: try insert(
        PendingReactionRecord.insertion, reaction.threadID, reaction.serverID, reaction.emoji,
        reaction.isRemoval, reaction.sequence))
  }

  /// Records the number of the change with which the server confirmed a reaction.
  public func confirm(_ id: PendingReactionRecord.ID, as sequence: Int64) throws(StorageError) {
    try run(PendingReactionRecord.confirmation, sequence, id)
  }

  public func delete(_ id: PendingReactionRecord.ID) throws(StorageError) {
    try run(PendingReactionRecord.deletion, id)
  }

  /// Forgets the reactions to a message that a report of the server contains.
  public func deletePendingReactions(
    to serverID: Int64, in room: ThreadRecord.ID, upTo sequence: Int64
  ) throws(StorageError) {
    try run(PendingReactionRecord.deletionOfKnown, room, serverID, sequence)
  }

  /// Forgets all pending reactions to a message.
  public func deletePendingReactions(
    to serverID: Int64, in room: ThreadRecord.ID
  ) throws(StorageError) {
    try run(PendingReactionRecord.deletionOfMessage, room, serverID)
  }

  public func put(_ gap: RoomGapRecord, in room: ThreadRecord.ID) throws(StorageError) {
    try run(RoomGapRecord.insertion, room, gap.below, gap.above)
  }

  public func deleteGap(below number: Int64, in room: ThreadRecord.ID) throws(StorageError) {
    try run(RoomGapRecord.deletion, room, number)
  }

  /// Forgets the numbers of all messages of a room, and what is known by numbers. The messages stay.
  public func forgetNumbers(in room: ThreadRecord.ID) throws(StorageError) {
    try run(RoomStatements.forgetting, room)
    try run(PendingReactionRecord.deletionOfAll, room)
    try run(RoomGapRecord.deletionOfAll, room)
    try run(RoomPinRecord.deletion, room)
    note(.updated, .messages(of: room))
    note(.updated, .community(room))
  }
}
