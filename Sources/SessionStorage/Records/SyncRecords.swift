/// A message that a node of a swarm gave us.
public struct ReceivedHash: Hashable, Sendable {
  public let swarm: String
  public let node: String
  public let namespace: Int
  public let hash: String
  public let expiresAt: Int64
  /// When the swarm stored it, according to the node.
  public let storedAt: Int64
  /// When the node gave it for the first time.
  public let receivedAt: Int64

  public init(
    _ hash: String, from node: String, of swarm: String, namespace: Int, expiresAt: Int64, storedAt: Int64,
    receivedAt: Int64
  ) {
    self.swarm = swarm
    self.node = node
    self.namespace = namespace
    self.hash = hash
    self.expiresAt = expiresAt
    self.storedAt = storedAt
    self.receivedAt = receivedAt
  }

  fileprivate static let last: SQL = """
    SELECT hash FROM receivedHash WHERE swarm = ? AND node = ? AND namespace = ? AND isInvalid = 0 AND expiresAt > ? \
    ORDER BY id DESC LIMIT 1
    """
  fileprivate static let lastOfOthers: SQL = """
    SELECT hash FROM receivedHash WHERE swarm = ? AND node <> ? AND namespace = ? AND isInvalid = 0 AND expiresAt > ? \
    AND storedAt < ? ORDER BY storedAt DESC, id DESC LIMIT 1
    """
  // It should have given all messages that are younger than the oldest that it gave.
  fileprivate static let missing: SQL = """
    SELECT 1 FROM receivedHash AS other JOIN seenMessage ON address = swarm AND identifier = hash \
    WHERE swarm = ?1 AND node <> ?2 AND namespace = ?3 AND isInvalid = 0 AND other.expiresAt > ?4 \
    AND receivedAt <= ?5 AND storedAt > ?6 AND storedAt > ifnull((SELECT min(storedAt) FROM receivedHash \
    WHERE swarm = ?1 AND node = ?2 AND namespace = ?3), 0) AND NOT EXISTS (SELECT 1 FROM receivedHash \
    WHERE swarm = ?1 AND node = ?2 AND namespace = ?3 AND hash = other.hash) \
    GROUP BY hash HAVING count(*) > 1 LIMIT 1
    """
  fileprivate static let insertion: SQL = """
    INSERT OR IGNORE INTO receivedHash (swarm, node, namespace, hash, expiresAt, storedAt, receivedAt) \
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let replacement: SQL = """
    INSERT OR REPLACE INTO receivedHash (swarm, node, namespace, hash, expiresAt, storedAt, receivedAt) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ifnull((SELECT receivedAt FROM receivedHash \
    WHERE swarm = ?1 AND node = ?2 AND namespace = ?3 AND hash = ?4), ?7))
    """
  fileprivate static let position: SQL =
    "SELECT id FROM receivedHash WHERE swarm = ? AND node = ? AND namespace = ? AND hash = ?"
  fileprivate static let steppingBack: SQL = """
    UPDATE receivedHash SET isInvalid = 1 WHERE id IN (SELECT id FROM receivedHash \
    WHERE swarm = ? AND node = ? AND namespace = ? AND isInvalid = 0 ORDER BY id DESC LIMIT ?)
    """
  fileprivate static let nodeForgetting: SQL =
    "DELETE FROM receivedHash WHERE swarm = ? AND node = ? AND namespace = ?"
  fileprivate static let any: SQL = "SELECT 1 FROM receivedHash WHERE swarm = ? AND namespace = ? LIMIT 1"
  fileprivate static let anyOfNode: SQL =
    "SELECT 1 FROM receivedHash WHERE swarm = ? AND node = ? AND namespace = ? LIMIT 1"
  fileprivate static let known: SQL =
    "SELECT 1 FROM receivedHash WHERE swarm = ? AND node = ? AND namespace = ? AND hash = ?"
  fileprivate static let invalidation: SQL =
    "UPDATE receivedHash SET isInvalid = 1 WHERE swarm = ? AND hash = ?"
  fileprivate static let change: SQL = "UPDATE receivedHash SET expiresAt = ? WHERE swarm = ? AND hash = ?"
  fileprivate static let shortening: SQL =
    "UPDATE receivedHash SET expiresAt = ?1 WHERE swarm = ?2 AND hash = ?3 AND expiresAt > ?1"
  fileprivate static let forgetting: SQL = "DELETE FROM receivedHash WHERE swarm = ? AND namespace = ?"
  fileprivate static let expiry: SQL = "DELETE FROM receivedHash WHERE expiresAt <= ?"
  fileprivate static let oldest: SQL = """
    SELECT id FROM receivedHash WHERE swarm = ? AND node = ? AND namespace = ? AND isInvalid = 0 \
    ORDER BY id DESC LIMIT 1 OFFSET ?
    """
  fileprivate static let trimming: SQL =
    "DELETE FROM receivedHash WHERE swarm = ? AND node = ? AND namespace = ? AND id <= ?"
}

/// When the mailboxes of an owner were last read from the beginning.
private enum FullReading {
  static let found: SQL = "SELECT at FROM fullReading WHERE swarm = ?"
  static let change: SQL = "UPDATE fullReading SET at = ? WHERE swarm = ?"
  static let insertion: SQL = "INSERT INTO fullReading (at, swarm) VALUES (?, ?)"
  static let expiry: SQL = "DELETE FROM fullReading WHERE at < ?"
  /// Beyond it the swarm stores nothing that was there.
  static let lifetime: Int64 = 31 * 24 * 3_600_000
}

/// A message that was processed, so that duplicates are dropped.
public struct SeenMessage: Hashable, Sendable {
  /// The address of its conversation, which may be deleted.
  public let address: String
  public let identifier: String
  /// Nil if it is never deleted.
  public let expiresAt: Int64?
  public let diesWithThread: Bool

  public init(_ identifier: String, in address: String, expiresAt: Int64?, diesWithThread: Bool) {
    self.identifier = identifier
    self.address = address
    self.expiresAt = expiresAt
    self.diesWithThread = diesWithThread
  }

  fileprivate static let known: SQL = "SELECT 1 FROM seenMessage WHERE address = ? AND identifier = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO seenMessage (address, identifier, expiresAt, diesWithThread) VALUES (?, ?, ?, ?)"
  fileprivate static let newInsertion: SQL =
    "INSERT OR IGNORE INTO seenMessage (address, identifier, expiresAt, diesWithThread) VALUES (?, ?, ?, ?)"
  fileprivate static let deletion: SQL = "DELETE FROM seenMessage WHERE address = ? AND identifier = ?"
  fileprivate static let expired: SQL =
    "SELECT address, identifier FROM seenMessage WHERE expiresAt < ? ORDER BY expiresAt"
  fileprivate static let expiry: SQL = "DELETE FROM seenMessage WHERE expiresAt < ?"
}

/// A receipt for a message that has not arrived yet.
public struct PendingReadReceipt: Hashable, Sendable {
  public let threadID: ThreadRecord.ID
  public let sentAt: Int64
  public let readAt: Int64
  public let expiresAt: Int64

  public init(in threadID: ThreadRecord.ID, sentAt: Int64, readAt: Int64, expiresAt: Int64) {
    self.threadID = threadID
    self.sentAt = sentAt
    self.readAt = readAt
    self.expiresAt = expiresAt
  }

  fileprivate static let found: SQL =
    "SELECT readAt FROM pendingReadReceipt WHERE threadID = ? AND sentAt = ?"
  fileprivate static let change: SQL =
    "UPDATE pendingReadReceipt SET readAt = ?, expiresAt = ? WHERE threadID = ? AND sentAt = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO pendingReadReceipt (readAt, expiresAt, threadID, sentAt) VALUES (?, ?, ?, ?)"
  fileprivate static let deletion: SQL = "DELETE FROM pendingReadReceipt WHERE threadID = ? AND sentAt = ?"
  fileprivate static let expiry: SQL = "DELETE FROM pendingReadReceipt WHERE expiresAt <= ?"
}

extension Reading where Self: ~Copyable {
  /// The newest message of a node that it still stores: the cursor of the next retrieval.
  public func lastHash(
    from node: String, of swarm: String, namespace: Int, at now: Int64
  ) throws(StorageError) -> String? {
    try value(ReceivedHash.last, swarm, node, namespace, now)
  }

  /// The newest message that other nodes than this one gave, among those stored before a time, and still store at `now`.
  public func lastHash(
    fromOthersThan node: String, of swarm: String, namespace: Int, storedBefore time: Int64, at now: Int64
  ) throws(StorageError) -> String? {
    try value(ReceivedHash.lastOfOthers, swarm, node, namespace, now, time)
  }

  /// True if a node has given a message of a namespace.
  public func hasHashes(from node: String, of swarm: String, namespace: Int) throws(StorageError) -> Bool {
    try exists(ReceivedHash.anyOfNode, swarm, node, namespace)
  }

  /// True if a node has not given a readable message that it should have: stored after a time, given by two others
  /// before another, and not deleted or expired.
  public func lacksMessages(
    _ node: String, of swarm: String, namespace: Int, storedAfter start: Int64, knownBefore end: Int64,
    at now: Int64
  ) throws(StorageError) -> Bool {
    try exists(ReceivedHash.missing, swarm, node, namespace, now, end, start)
  }

  /// When a member of a swarm was last read from the beginning; nil if it is not known.
  public func fullReading(of swarm: String) throws(StorageError) -> Int64? {
    try value(FullReading.found, swarm)
  }

  /// True if any node has given a message of a namespace.
  public func hasHashes(of swarm: String, namespace: Int) throws(StorageError) -> Bool {
    try exists(ReceivedHash.any, swarm, namespace)
  }

  public func isKnown(_ hash: ReceivedHash) throws(StorageError) -> Bool {
    try exists(ReceivedHash.known, hash.swarm, hash.node, hash.namespace, hash.hash)
  }

  /// The place of a message in the order in which a node gives them; nil for one that it has not given.
  public func position(
    of hash: String, from node: String, of swarm: String, namespace: Int
  ) throws(StorageError) -> Int64? {
    try value(ReceivedHash.position, swarm, node, namespace, hash)
  }

  public func hasSeen(_ identifier: String, in address: String) throws(StorageError) -> Bool {
    try exists(SeenMessage.known, address, identifier)
  }

  /// The pending receipt of a person for the message of a time.
  public func pendingReadReceipt(in thread: ThreadRecord.ID, sentAt: Int64) throws(StorageError) -> Int64? {
    try value(PendingReadReceipt.found, thread, sentAt)
  }

  /// The messages seen that expire by a time, with the addresses of their conversations.
  public func seenMessages(
    expiredBefore time: Int64
  ) throws(StorageError) -> [(address: String, identifier: String)] {
    try map(SeenMessage.expired, time) { (row) throws(StorageError) in
      let address: String = try row[0]
      let identifier: String = try row[1]
      return (address, identifier)
    }
  }
}

extension WriteTransaction {
  /// Records a hash from a node. False if it was known.
  @discardableResult
  public func insert(_ hash: ReceivedHash) throws(StorageError) -> Bool {
    try run(
      ReceivedHash.insertion, hash.swarm, hash.node, hash.namespace, hash.hash, hash.expiresAt, hash.storedAt,
      hash.receivedAt) > 0
  }

  /// Records a hash as the newest of a node, known or not.
  public func insertLast(_ hash: ReceivedHash) throws(StorageError) {
    // Most are not known, and a replacement has the database encrypt every page that it changes.
    if try insert(hash) { return }
    try run(
      ReceivedHash.replacement, hash.swarm, hash.node, hash.namespace, hash.hash, hash.expiresAt,
      hash.storedAt, hash.receivedAt)
  }

  /// Marks a number of a node's newest messages as gone there, so that the next poll uses an older cursor.
  public func stepBack(
    _ count: Int, from node: String, of swarm: String, namespace: Int
  ) throws(StorageError) {
    try run(ReceivedHash.steppingBack, swarm, node, namespace, count)
  }

  /// Deletes the hashes of a node.
  public func forgetHashes(from node: String, of swarm: String, namespace: Int) throws(StorageError) {
    try run(ReceivedHash.nodeForgetting, swarm, node, namespace)
  }

  /// Marks messages as deleted from a swarm, so that they are not used as cursors.
  public func invalidate(_ hashes: [String], of swarm: String) throws(StorageError) {
    for hash in hashes { try run(ReceivedHash.invalidation, swarm, hash) }
  }

  /// Records that a swarm stores messages no longer than until a time.
  public func shorten(_ hashes: [String], of swarm: String, to expiry: Int64) throws(StorageError) {
    for hash in hashes { try run(ReceivedHash.shortening, expiry, swarm, hash) }
  }

  /// Remembers until when a swarm keeps a message.
  public func setExpiry(_ expiry: Int64, of hash: String, in swarm: String) throws(StorageError) {
    try run(ReceivedHash.change, expiry, swarm, hash)
  }

  /// Deletes the hashes of a swarm, so that its messages are retrieved again. Returns how many there were.
  @discardableResult
  public func forgetHashes(of swarm: String, namespace: Int) throws(StorageError) -> Int {
    try run(ReceivedHash.forgetting, swarm, namespace)
  }

  /// Deletes all but the newest hashes of a node.
  public func trimHashes(
    from node: String, of swarm: String, namespace: Int, keeping count: Int
  ) throws(StorageError) {
    let oldest: Int64? = try value(ReceivedHash.oldest, swarm, node, namespace, count)
    if let oldest { try run(ReceivedHash.trimming, swarm, node, namespace, oldest) }
  }

  @discardableResult
  public func deleteHashes(expiredAt now: Int64) throws(StorageError) -> Int {
    try run(ReceivedHash.expiry, now) + run(FullReading.expiry, now - FullReading.lifetime)
  }

  /// Records that a member of a swarm was read from the beginning.
  public func noteFullReading(of swarm: String, at time: Int64) throws(StorageError) {
    try put(FullReading.change, or: FullReading.insertion, time, swarm)
  }

  /// Remembers that a message was handled: `duplicate` when it was before.
  public func insert(_ seen: SeenMessage) throws(StorageError) {
    try run(SeenMessage.insertion, seen.address, seen.identifier, seen.expiresAt, seen.diesWithThread)
  }

  /// Remembers that a message was handled. Returns false if it was before.
  public func insertNew(_ seen: SeenMessage) throws(StorageError) -> Bool {
    try run(SeenMessage.newInsertion, seen.address, seen.identifier, seen.expiresAt, seen.diesWithThread) > 0
  }

  /// Forgets that a message was handled.
  public func deleteSeenMessage(_ identifier: String, in address: String) throws(StorageError) {
    try run(SeenMessage.deletion, address, identifier)
  }

  @discardableResult
  public func deleteSeenMessages(expiredBefore time: Int64) throws(StorageError) -> Int {
    try run(SeenMessage.expiry, time)
  }

  public func put(_ receipt: PendingReadReceipt) throws(StorageError) {
    try put(
      PendingReadReceipt.change, or: PendingReadReceipt.insertion, receipt.readAt, receipt.expiresAt,
      receipt.threadID, receipt.sentAt)
  }

  public func deletePendingReadReceipt(in thread: ThreadRecord.ID, sentAt: Int64) throws(StorageError) {
    try run(PendingReadReceipt.deletion, thread, sentAt)
  }

  @discardableResult
  public func deletePendingReadReceipts(expiredAt now: Int64) throws(StorageError) -> Int {
    try run(PendingReadReceipt.expiry, now)
  }
}
