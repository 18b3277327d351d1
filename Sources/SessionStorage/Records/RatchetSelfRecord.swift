public import SessionCore

/// This device's own part in the ratchet protocol. There is one row at most.
public struct RatchetSelfRecord: Record, Hashable {
  /// What the device's identity is derived from.
  public let deviceSeed: SecretBytes
  public let createdAt: Int64
  /// The slot that holds the device's bundle; nil until it has one.
  public var slot: Int?
  /// The sequence of the newest bundle.
  public var sequence: Int64
  /// The number of the newest generation of prekeys.
  public var generation: Int64
  /// Identifies the machine: a database that was copied to another one must not go on.
  public let host: [UInt8]
  /// Identifies the state: a database that was put back to an older one must not go on.
  public var mark: [UInt8]
  /// True if the user confirmed that every device of the account takes part.
  public var isClosed = false
  public var publishedAt: Int64?
  /// The digest of the newest bundle.
  public var bundleDigest: [UInt8]?

  public init(deviceSeed: SecretBytes, createdAt: Int64, host: [UInt8], mark: [UInt8]) {
    self.deviceSeed = deviceSeed
    self.createdAt = createdAt
    self.host = host
    self.mark = mark
    sequence = 0
    generation = 0
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    deviceSeed = try row[0]
    createdAt = try row[1]
    slot = try row[2]
    sequence = try row[3]
    generation = try row[4]
    host = try row[5]
    mark = try row[6]
    isClosed = try row[7]
    publishedAt = try row[8]
    bundleDigest = try row[9]
  }

  fileprivate static let found: SQL = """
    SELECT deviceSeed, createdAt, slot, sequence, generation, host, mark, isClosed, publishedAt, bundleDigest FROM srSelf
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO srSelf (deviceSeed, createdAt, slot, sequence, generation, host, mark, isClosed, publishedAt, \
    bundleDigest, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
    """
  fileprivate static let change: SQL = """
    UPDATE srSelf SET deviceSeed = ?, createdAt = ?, slot = ?, sequence = ?, generation = ?, host = ?, mark = ?, \
    isClosed = ?, publishedAt = ?, bundleDigest = ?
    """
}

/// A generation of prekeys that this device has published.
public struct RatchetPrekeyRecord: Record, Hashable {
  public let generation: Int64
  public let secret: SecretBytes
  public let kemSeed: SecretBytes
  public let createdAt: Int64
  /// When a newer generation took its place.
  public let replacedAt: Int64?

  public init(_ row: borrowing Row) throws(StorageError) {
    generation = try row[0]
    secret = try row[1]
    kemSeed = try row[2]
    createdAt = try row[3]
    replacedAt = try row[4]
  }

  fileprivate static let byGeneration: SQL = """
    SELECT generation, secret, kemSeed, createdAt, replacedAt FROM srPrekey WHERE generation = ?
    """
  fileprivate static let insertion: SQL =
    "INSERT INTO srPrekey (generation, secret, kemSeed, createdAt) VALUES (?, ?, ?, ?)"
  fileprivate static let replacement: SQL =
    "UPDATE srPrekey SET replacedAt = ? WHERE generation < ? AND replacedAt IS NULL"
  fileprivate static let end: SQL = "UPDATE srPrekey SET replacedAt = ? WHERE replacedAt IS NULL"
}

private enum RatchetKeyStatements {
  static let own: SQL = "DELETE FROM srSelf"
  static let prekeys: SQL = "DELETE FROM srPrekey"
  static let sessions: SQL = "DELETE FROM srSession"
}

private enum OneTimeStatements {
  static let kept: SQL = "SELECT number, secret FROM srOneTimeKey WHERE generation = ?"
  static let insertion: SQL = "INSERT INTO srOneTimeKey (generation, number, secret) VALUES (?, ?, ?)"
  static let use: SQL = """
    UPDATE srOneTimeKey SET firstUsedAt = ? WHERE generation = ? AND number = ? AND firstUsedAt IS NULL
    """
  static let used: SQL =
    "SELECT count(*) FROM srOneTimeKey WHERE generation = ? AND firstUsedAt IS NOT NULL"
  static let seenStart: SQL = "SELECT 1 FROM srSeenStart WHERE ek = ?"
  static let startInsertion: SQL = "INSERT INTO srSeenStart (ek, generation) VALUES (?, ?)"
}

extension Reading where Self: ~Copyable {
  /// This device's part in the ratchet protocol; nil if it has none.
  public func ratchetSelf() throws(StorageError) -> RatchetSelfRecord? {
    try first(RatchetSelfRecord.found)
  }

  public func ratchetPrekey(_ generation: Int64) throws(StorageError) -> RatchetPrekeyRecord? {
    try first(RatchetPrekeyRecord.byGeneration, generation)
  }

  /// The prekeys of a generation with the one-time prekeys that were not erased; nil if they are gone.
  public func ratchetPrekeys(_ generation: UInt32) throws -> RatchetPrekeys? {
    guard let record = try ratchetPrekey(Int64(generation)) else { return nil }
    let kept = try map(OneTimeStatements.kept, Int64(generation)) {
      (row) throws(StorageError) -> (Int, SecretBytes) in (try row[0], try row[1])
    }
    return try RatchetPrekeys(
      generation: generation, secret: record.secret, kemSeed: record.kemSeed,
      oneTime: Dictionary(kept, uniquingKeysWith: { first, _ in first }))
  }

  /// The number of one-time prekeys of a generation that were used.
  public func usedOneTimeKeys(of generation: Int64) throws(StorageError) -> Int {
    try value(OneTimeStatements.used, generation) ?? 0
  }

  /// True if a start was opened before.
  public func hasSeenStart(_ startKey: [UInt8]) throws(StorageError) -> Bool {
    try exists(OneTimeStatements.seenStart, startKey)
  }
}

extension WriteTransaction {
  public func put(_ record: RatchetSelfRecord) throws(StorageError) {
    let r = record
    try put(
      RatchetSelfRecord.change, or: RatchetSelfRecord.insertion, r.deviceSeed, r.createdAt, r.slot,
      r.sequence, r.generation, r.host, r.mark, r.isClosed, r.publishedAt, r.bundleDigest)
  }

  /// Forgets this device's identity, its prekeys and its sessions. What is known of other devices stays.
  public func forgetRatchetKeys() throws(StorageError) {
    try run(RatchetKeyStatements.sessions)
    try run(RatchetKeyStatements.prekeys)
    try run(RatchetKeyStatements.own)
  }

  /// Keeps a new generation of prekeys. Those before it are replaced now.
  public func insert(_ prekeys: RatchetPrekeys, at now: Int64) throws(StorageError) {
    let generation = Int64(prekeys.generation)
    try run(RatchetPrekeyRecord.insertion, generation, prekeys.secret, prekeys.kemSeed, now)
    for (number, secret) in prekeys.oneTime.sorted(by: { $0.key < $1.key }) {
      try run(OneTimeStatements.insertion, generation, number, secret)
    }
    try run(RatchetPrekeyRecord.replacement, now, generation)
  }

  /// Ends the newest generation of prekeys: the next bundle has new ones, and these are erased in time.
  public func replaceRatchetPrekeys(at now: Int64) throws(StorageError) {
    try run(RatchetPrekeyRecord.end, now)
  }

  /// Records that a start was opened, and the first use of its one-time prekey.
  public func noteStart(
    _ startKey: [UInt8], generation: UInt32, oneTimePlace: Int?, at now: Int64
  ) throws(StorageError) {
    try run(OneTimeStatements.startInsertion, startKey, Int64(generation))
    if let oneTimePlace { try run(OneTimeStatements.use, now, Int64(generation), oneTimePlace) }
  }
}
