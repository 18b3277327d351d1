public import SessionCore
public import SessionNodeCore
import SessionStorage

extension MessageStore {
  /// Messages after `lastHash`, or all if that does not exist, in order of arrival; at least one, however small the
  /// budget.
  public func messages(
    of account: [UInt8], namespace: Int16, after lastHash: String, maxCount: UInt64, budget: UInt64,
    now: UInt64
  ) async throws -> (messages: [StoredMessage], hasMore: Bool) {
    try await database.read { transaction in
      let start: Int64? = try transaction.value(
        """
        SELECT messages.id FROM messages JOIN owners ON owners.id = owner
        WHERE hash = ? AND account = ? AND namespace = ?
        """, lastHash, account, Int(namespace))
      var found: [StoredMessage] = []
      var (hasMore, left) = (false, budget)
      try transaction.forEach(
        """
        SELECT hash, timestamp, expiry, data FROM messages
        WHERE owner = (SELECT id FROM owners WHERE account = ?) AND namespace = ? AND id > ? AND expiry > ?
        ORDER BY id
        """, account, Int(namespace), start ?? 0, Int64(clamping: now)
      ) { (row) throws(StorageError) in
        let message = try StoredMessage(row)
        let cost = StoredMessage.cost(hash: message.hash.utf8.count, data: message.data.count)
        hasMore = (maxCount > 0 && found.count >= maxCount) || (!found.isEmpty && cost > left)
        guard !hasMore else { return false }
        left -= min(cost, left)
        found.append(message)
        return true
      }
      return (found, hasMore)
    }
  }

  /// The expiries of those of an account's messages that are there.
  public func expiries(of hashes: [String], account: [UInt8]) async throws -> [StorageChange] {
    try await database.read { transaction in
      try Set(hashes).sorted().compactMap { hash in
        try transaction.message(hash, of: account)
      }
    }
  }

  public func isRevoked(_ token: [UInt8], account: [UInt8]) async throws -> Bool {
    try await database.read { transaction in
      try transaction.exists("SELECT 1 FROM revocations WHERE account = ? AND token = ?", account, token)
    }
  }

  /// The revoked tokens of an account, the oldest first.
  public func revocations(of account: [UInt8]) async throws -> [[UInt8]] {
    try await database.read { transaction in
      try transaction.values("SELECT token FROM revocations WHERE account = ? ORDER BY id", account)
    }
  }

  /// The number of messages.
  public func count() async throws -> Int {
    try await database.read { transaction in try transaction.value("SELECT count(*) FROM messages") ?? 0 }
  }
}

extension Reading where Self: ~Copyable {
  /// The namespace and expiry of a message of an account.
  func message(_ hash: String, of account: [UInt8]) throws(StorageError) -> StorageChange? {
    try mapFirst(
      """
      SELECT namespace, expiry FROM messages JOIN owners ON owners.id = owner WHERE hash = ? AND account = ?
      """, hash, account
    ) { (row) throws(StorageError) in
      let (namespace, expiry): (Int, Int64) = (try row[0], try row[1])
      return StorageChange(
        hash: hash, namespace: Int16(clamping: namespace), expiry: UInt64(clamping: expiry))
    }
  }
}

extension StoredMessage {
  /// Reads the columns hash, timestamp, expiry, data.
  init(_ row: borrowing Row) throws(StorageError) {
    let (timestamp, expiry): (Int64, Int64) = (try row[1], try row[2])
    self.init(
      hash: try row[0], timestamp: UInt64(clamping: timestamp), expiry: UInt64(clamping: expiry),
      data: try row[3])
  }
}
