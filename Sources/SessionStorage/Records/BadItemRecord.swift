/// Something that a community server sent and this program could not read. A newer version of the program may.
public struct BadItemRecord: Record, Hashable {
  /// The most messages that are kept of our inboxes on each server, and of each room.
  public static let maxLetters = 50
  public static let maxPosts = 200
  /// The most bytes that are kept of one.
  public static let maxBytes = 64 * 1024

  public let server: String
  /// The name of a room, or `>inbox` or `>outbox`.
  public let place: String
  /// Its number on the server.
  public let number: Int64
  public var sequence: Int64?
  public var reason: String
  public var bytes: [UInt8]?
  /// The version of the program that could not read it.
  public var programVersion: String

  public init(
    _ number: Int64, in place: String, of server: String, reason: String, bytes: [UInt8]?,
    programVersion: String
  ) {
    self.number = number
    self.place = place
    self.server = server
    self.reason = reason
    self.bytes = bytes
    self.programVersion = programVersion
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    server = try row[0]
    place = try row[1]
    number = try row[2]
    sequence = try row[3]
    reason = try row[4]
    bytes = try row[5]
    programVersion = try row[6]
  }

  fileprivate static let byPlace: SQL = """
    SELECT server, place, itemID, seqno, reason, bytes, programVersion FROM communityBadItem \
    WHERE server = ? AND place = ? ORDER BY itemID
    """
  fileprivate static let insertion: SQL = """
    INSERT OR REPLACE INTO communityBadItem (server, place, itemID, seqno, reason, bytes, programVersion) \
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL =
    "DELETE FROM communityBadItem WHERE server = ? AND place = ? AND itemID = ?"
  /// The names of inboxes begin with `>`, which no room has.
  fileprivate static let trimming: SQL = """
    DELETE FROM communityBadItem WHERE server = ?1 AND place >= '>' AND place < '?' AND itemID <= (
      SELECT itemID FROM communityBadItem WHERE server = ?1 AND place >= '>' AND place < '?'
      ORDER BY itemID DESC LIMIT 1 OFFSET ?2)
    """
  fileprivate static let trimmingOfRoom: SQL = """
    DELETE FROM communityBadItem WHERE server = ?1 AND place = ?2 AND itemID <= (
      SELECT itemID FROM communityBadItem WHERE server = ?1 AND place = ?2
      ORDER BY itemID DESC LIMIT 1 OFFSET ?3)
    """
}

extension Reading where Self: ~Copyable {
  /// What could not be read in one place, in the order of the numbers.
  public func badItems(in place: String, of server: String) throws(StorageError) -> [BadItemRecord] {
    try all(BadItemRecord.byPlace, server, place)
  }
}

extension WriteTransaction {
  /// Keeps something that could not be read, without its bytes if they are too many. The newest ones stay.
  public func put(_ item: BadItemRecord) throws(StorageError) {
    let bytes = item.bytes.flatMap { $0.count <= BadItemRecord.maxBytes ? $0 : nil }
    try run(
      BadItemRecord.insertion, item.server, item.place, item.number, item.sequence, item.reason, bytes,
      item.programVersion)
    if item.place.hasPrefix(">") {
      try run(BadItemRecord.trimming, item.server, BadItemRecord.maxLetters)
    } else {
      try run(BadItemRecord.trimmingOfRoom, item.server, item.place, BadItemRecord.maxPosts)
    }
  }

  public func delete(_ item: BadItemRecord) throws(StorageError) {
    try run(BadItemRecord.deletion, item.server, item.place, item.number)
  }
}
