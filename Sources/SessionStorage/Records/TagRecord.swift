/// A tag that the user gives to conversations.
public struct TagRecord: Record, Hashable {
  public typealias ID = RowID<TagRecord>

  /// How many tags there may be, and how many a conversation may have.
  public static let limit = 64
  public static let limitOfConversation = 16
  /// How long a conversation that is gone keeps its tags, in milliseconds.
  public static let keptFor: Int64 = 30 * 24 * 3_600_000

  /// Zero until it is stored.
  public var id = ID(rawValue: 0)
  public var name: String
  /// The folded name, which is unique.
  public var searchName: String
  public var emoji: String?
  public var position: Int

  public init(_ name: String, searchName: String, emoji: String? = nil, position: Int) {
    self.name = name
    self.searchName = searchName
    self.emoji = emoji
    self.position = position
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    name = try row[1]
    searchName = try row[2]
    emoji = try row[3]
    position = try row[4]
  }

  private static let columns: SQL = "SELECT id, name, searchName, emoji, position FROM tag"
  fileprivate static let inOrder: SQL = "\(columns) ORDER BY position, id"
  fileprivate static let byName: SQL = "\(columns) WHERE searchName = ?"
  fileprivate static let byAddress: SQL = """
    SELECT id, name, searchName, emoji, position FROM threadTag JOIN tag ON id = tagID WHERE address = ? \
    ORDER BY position, id
    """
  fileprivate static let addresses: SQL = "SELECT address FROM threadTag WHERE tagID = ? ORDER BY address"
  fileprivate static let uses: SQL = "SELECT address, tagID FROM threadTag ORDER BY address, tagID"
  fileprivate static let nextPosition: SQL = "SELECT ifnull(max(position) + 1, 0) FROM tag"
  fileprivate static let insertion: SQL =
    "INSERT INTO tag (name, searchName, emoji, position) VALUES (?, ?, ?, ?)"
  fileprivate static let change: SQL =
    "UPDATE tag SET name = ?, searchName = ?, emoji = ?, position = ? WHERE id = ?"
  fileprivate static let deletion: SQL = "DELETE FROM tag WHERE id = ?"
  fileprivate static let adding: SQL = "INSERT OR IGNORE INTO threadTag (address, tagID) VALUES (?, ?)"
  fileprivate static let removal: SQL = "DELETE FROM threadTag WHERE address = ? AND tagID = ?"
  fileprivate static let moving: SQL = "UPDATE OR IGNORE threadTag SET address = ? WHERE address = ?"
  fileprivate static let clearing: SQL = "DELETE FROM threadTag WHERE address = ?"
  fileprivate static let losing: SQL =
    "UPDATE threadTag SET lostAt = ? WHERE lostAt IS NULL AND address NOT IN (SELECT address FROM thread)"
  fileprivate static let returning: SQL =
    "UPDATE threadTag SET lostAt = NULL WHERE lostAt IS NOT NULL AND address IN (SELECT address FROM thread)"
  fileprivate static let expiry: SQL = "DELETE FROM threadTag WHERE lostAt < ?"
}

/// A tag of a conversation.
public struct TagUse: Record, Hashable {
  /// The text form of the conversation.
  public let address: String
  public let tag: TagRecord.ID

  public init(_ row: borrowing Row) throws(StorageError) {
    address = try row[0]
    tag = try row[1]
  }
}

extension Reading where Self: ~Copyable {
  /// All tags, in their order.
  public func tags() throws(StorageError) -> [TagRecord] { try all(TagRecord.inOrder) }

  public func tag(named searchName: String) throws(StorageError) -> TagRecord? {
    try first(TagRecord.byName, searchName)
  }

  /// The tags of a conversation, in their order.
  public func tags(of address: String) throws(StorageError) -> [TagRecord] {
    try all(TagRecord.byAddress, address)
  }

  /// The conversations that have a tag.
  public func addresses(tagged tag: TagRecord.ID) throws(StorageError) -> [String] {
    try values(TagRecord.addresses, tag)
  }

  /// The tags of all conversations.
  public func tagUses() throws(StorageError) -> [TagUse] { try all(TagRecord.uses) }

  /// The position behind all tags.
  public func nextTagPosition() throws(StorageError) -> Int { try value(TagRecord.nextPosition) ?? 0 }
}

extension WriteTransaction {
  /// Keeps a tag, and returns it with its number: `duplicate` if another one has its name.
  public func insert(_ tag: TagRecord) throws(StorageError) -> TagRecord {
    var tag = tag
    tag.id = TagRecord.ID(
      rawValue: try insert(TagRecord.insertion, tag.name, tag.searchName, tag.emoji, tag.position))
    note(.inserted, .tags)
    return tag
  }

  public func update(_ tag: TagRecord) throws(StorageError) {
    try run(TagRecord.change, tag.name, tag.searchName, tag.emoji, tag.position, tag.id)
    note(.updated, .tags)
  }

  /// Deletes a tag; conversations lose it.
  public func deleteTag(_ id: TagRecord.ID) throws(StorageError) {
    try run(TagRecord.deletion, id)
    note(.deleted, .tags)
  }

  /// Gives a tag to a conversation. Returns false if it had it.
  @discardableResult
  public func add(_ tag: TagRecord.ID, to address: String) throws(StorageError) -> Bool {
    let isNew = try run(TagRecord.adding, address, tag) > 0
    if isNew { note(.inserted, .tags) }
    return isNew
  }

  /// Takes a tag from a conversation. Returns false if it did not have it.
  @discardableResult
  public func remove(_ tag: TagRecord.ID, from address: String) throws(StorageError) -> Bool {
    let isGone = try run(TagRecord.removal, address, tag) > 0
    if isGone { note(.deleted, .tags) }
    return isGone
  }

  /// Gives the tags of a conversation to another one.
  func moveTags(of address: String, to other: String) throws(StorageError) {
    guard try run(TagRecord.moving, other, address) + run(TagRecord.clearing, address) > 0 else { return }
    note(.updated, .tags)
  }

  /// Deletes the tags of conversations that have been gone for a month. Returns how many.
  @discardableResult
  public func deleteLostTags(at now: Int64) throws(StorageError) -> Int {
    try run(TagRecord.returning)
    try run(TagRecord.losing, now)
    return try run(TagRecord.expiry, now - TagRecord.keptFor)
  }
}
