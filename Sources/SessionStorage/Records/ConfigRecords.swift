/// The stored state of a config.
public struct ConfigDumpRecord: Record, Hashable {
  /// The owner of the config: an account or a group.
  public let owner: String
  public let kind: String
  public let content: [UInt8]
  /// When the newest message that is in it was stored.
  public let at: Int64

  public init(_ kind: String, of owner: String, content: [UInt8], at: Int64) {
    self.owner = owner
    self.kind = kind
    self.content = content
    self.at = at
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    owner = try row[0]
    kind = try row[1]
    content = try row[2]
    at = try row[3]
  }

  fileprivate static let everything: SQL =
    "SELECT owner, kind, content, at FROM configDump ORDER BY owner, kind"
  fileprivate static let change: SQL =
    "UPDATE configDump SET content = ?, at = ? WHERE owner = ? AND kind = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO configDump (content, at, owner, kind) VALUES (?, ?, ?, ?)"
  fileprivate static let deletion: SQL = "DELETE FROM configDump WHERE owner = ?"
  fileprivate static let obsolete: SQL = "SELECT hash FROM obsoleteHash WHERE owner = ? ORDER BY hash"
  fileprivate static let obsoleteInsertion: SQL =
    "INSERT OR IGNORE INTO obsoleteHash (owner, hash) VALUES (?, ?)"
  fileprivate static let obsoleteDeletion: SQL = "DELETE FROM obsoleteHash WHERE owner = ? AND hash = ?"
}

/// A stored part of a config message whose other parts have not arrived.
public struct ConfigPartRecord: Record, Hashable {
  /// The message of a part: its name, and its number of parts.
  public struct Whole: Hashable, Sendable {
    public let name: [UInt8]
    public let count: Int

    public init(_ name: [UInt8], count: Int) {
      self.name = name
      self.count = count
    }
  }

  public let whole: Whole
  public let index: Int
  /// The name that the swarm has for it.
  public let hash: String
  public let content: [UInt8]
  /// When it is given up, unless others come.
  public let expiresAt: Int64

  public init(_ index: Int, of whole: Whole, hash: String, content: [UInt8], expiresAt: Int64) {
    self.index = index
    self.whole = whole
    self.hash = hash
    self.content = content
    self.expiresAt = expiresAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    whole = Whole(try row[0], count: try row[1])
    index = try row[2]
    hash = try row[3]
    content = try row[4]
    expiresAt = try row[5]
  }

  /// Identifies it among the parts of its config.
  fileprivate struct Place: Hashable {
    let whole: Whole
    let index: Int
    let hash: String
  }

  fileprivate var place: Place { Place(whole: whole, index: index, hash: hash) }

  fileprivate static let everything: SQL = """
    SELECT whole, count, place, hash, content, expiresAt FROM configPart WHERE owner = ? AND kind = ? ORDER BY id
    """
  fileprivate static let places: SQL =
    "SELECT id, whole, count, place, hash FROM configPart WHERE owner = ? AND kind = ?"
  fileprivate static let insertion: SQL = """
    INSERT INTO configPart (owner, kind, whole, count, place, hash, expiresAt, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let removal: SQL = "DELETE FROM configPart WHERE id = ?"
  fileprivate static let deletion: SQL = "DELETE FROM configPart WHERE owner = ?"
}

extension Reading where Self: ~Copyable {
  public func configDumps() throws(StorageError) -> [ConfigDumpRecord] {
    try all(ConfigDumpRecord.everything)
  }

  /// The parts that belong to a dump, in order of arrival.
  public func configParts(_ kind: String, of owner: String) throws(StorageError) -> [ConfigPartRecord] {
    try all(ConfigPartRecord.everything, owner, kind)
  }

  /// Hashes that are still to be deleted from a swarm.
  public func obsoleteHashes(of owner: String) throws(StorageError) -> [String] {
    try values(ConfigDumpRecord.obsolete, owner)
  }
}

extension WriteTransaction {
  public func put(_ dump: ConfigDumpRecord) throws(StorageError) {
    try put(
      ConfigDumpRecord.change, or: ConfigDumpRecord.insertion, dump.content, dump.at, dump.owner, dump.kind)
    note(.updated, .configs(of: dump.owner))
  }

  /// Stores exactly these parts for a dump. Parts that are already stored are not written again.
  public func keep(
    _ parts: [ConfigPartRecord], besideDump kind: String, of owner: String
  ) throws(StorageError) {
    var kept: [ConfigPartRecord.Place: Int64] = [:]
    let rows = try map(ConfigPartRecord.places, owner, kind) { (row) throws(StorageError) in
      let whole = ConfigPartRecord.Whole(try row[1], count: try row[2])
      let id: Int64 = try row[0]
      return (ConfigPartRecord.Place(whole: whole, index: try row[3], hash: try row[4]), id)
    }
    for (place, id) in rows { kept[place] = id }
    for part in parts where kept.removeValue(forKey: part.place) == nil {
      try run(
        ConfigPartRecord.insertion, owner, kind, part.whole.name, part.whole.count, part.index, part.hash,
        part.expiresAt, part.content)
    }
    for id in kept.values { try run(ConfigPartRecord.removal, id) }
  }

  public func deleteConfigDumps(of owner: String) throws(StorageError) {
    try run(ConfigDumpRecord.deletion, owner)
    try run(ConfigPartRecord.deletion, owner)
    note(.deleted, .configs(of: owner))
  }

  public func addObsoleteHashes(_ hashes: [String], of owner: String) throws(StorageError) {
    for hash in hashes { try run(ConfigDumpRecord.obsoleteInsertion, owner, hash) }
  }

  public func removeObsoleteHashes(_ hashes: [String], of owner: String) throws(StorageError) {
    for hash in hashes { try run(ConfigDumpRecord.obsoleteDeletion, owner, hash) }
  }
}
