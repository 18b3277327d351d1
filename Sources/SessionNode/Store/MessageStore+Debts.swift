import SessionCore
import SessionNodeCore
import SessionService
import SessionStorage

/// Work for other members of the swarm: requests that could not be forwarded, and transfers of the whole store.
extension MessageStore {
  /// Requests that may be owed in all.
  static let maxDebts = 100_000

  struct Debt: Sendable, Record {
    let id: Int64
    /// When the request was made: milliseconds since 1970.
    let time: UInt64
    let request: [UInt8]
    let account: [UInt8]

    init(_ row: borrowing Row) throws(StorageError) {
      let time: Int64 = try row[1]
      self.id = try row[0]
      self.time = UInt64(clamping: time)
      self.request = try row[2]
      self.account = try row[3]
    }
  }

  /// Stores a request about an account for a member that missed it, until it expires. A member that is owed too many
  /// requests gets the whole store instead.
  func owe(
    _ request: [UInt8], about account: [UInt8], to peers: [[UInt8]], time: UInt64, ends: UInt64,
    most: Int = MessageStore.maxDebts
  ) async throws {
    try await commits.perform { transaction in
      // Not counted one by one: this runs for each request while a member is away.
      let held: Int =
        try transaction.value(
          "SELECT coalesce((SELECT max(id) FROM debts) - (SELECT min(id) FROM debts) + 1, 0)") ?? 0
      for peer in peers {
        if held + peers.count > most {
          try transaction.run("INSERT OR IGNORE INTO transfers (peer, next) VALUES (?, 0)", peer)
        } else {
          try transaction.insert(
            "INSERT INTO debts (peer, time, ends, request, account) VALUES (?, ?, ?, ?, ?)", peer,
            Int64(clamping: time), Int64(clamping: ends), request, account)
        }
      }
    }
  }

  /// The nodes that requests are owed to, and those that are to have everything.
  func pendingPeers() async throws -> (ofRequests: Set<[UInt8]>, ofAll: Set<[UInt8]>) {
    try await database.read { transaction in
      let owed: [[UInt8]] = try transaction.values("SELECT DISTINCT peer FROM debts")
      let waiting: [[UInt8]] = try transaction.values("SELECT peer FROM transfers")
      return (Set(owed), Set(waiting))
    }
  }

  /// The number of stored requests, and of transfers.
  func owed() async throws -> (debts: Int, transfers: Int) {
    try await database.read { transaction in
      let debts: Int = try transaction.value("SELECT count(*) FROM debts") ?? 0
      return (debts, try transaction.value("SELECT count(*) FROM transfers") ?? 0)
    }
  }

  /// The oldest that is owed to a node.
  func debts(to peer: [UInt8], limit: Int) async throws -> [Debt] {
    try await database.read { transaction in
      try transaction.all(
        "SELECT id, time, request, account FROM debts WHERE peer = ? ORDER BY id LIMIT ?", peer, limit)
    }
  }

  /// Deletes delivered requests.
  func settle(_ debts: [Int64]) async throws {
    try await commits.perform { transaction in
      for id in debts { try transaction.run("DELETE FROM debts WHERE id = ?", id) }
    }
  }

  /// Deletes the work for nodes that are gone.
  func forgetCreditors(_ peers: Set<[UInt8]>) async throws {
    try await commits.perform { transaction in
      for peer in peers {
        try transaction.run("DELETE FROM debts WHERE peer = ?", peer)
        try transaction.run("DELETE FROM transfers WHERE peer = ?", peer)
      }
    }
  }
}

// MARK: - Whole stores

extension MessageStore {
  /// Starts transfers to nodes, or starts them again.
  func beginTransfers(to peers: [[UInt8]]) async throws {
    try await commits.perform { transaction in
      for peer in peers {
        try transaction.run("INSERT OR REPLACE INTO transfers (peer, next) VALUES (?, 0)", peer)
      }
    }
  }

  /// The position of a transfer to a node; nil when it is done.
  func nextTransfer(to peer: [UInt8]) async throws -> Int64? {
    try await database.read { transaction in
      try transaction.value("SELECT next FROM transfers WHERE peer = ?", peer)
    }
  }

  /// Remembers how far handing over has come; nil for all the way.
  func transferred(to peer: [UInt8], upTo next: Int64?) async throws {
    try await commits.perform { transaction in
      if let next {
        try transaction.run("UPDATE transfers SET next = ? WHERE peer = ?", next, peer)
      } else {
        try transaction.run("DELETE FROM transfers WHERE peer = ?", peer)
      }
    }
  }

  /// Messages from a number on that are of certain accounts, as many as there is room for, and where to go on; nil when
  /// there is nothing more.
  func page(
    from start: Int64, maxBytes: Int, now: UInt64, where isWanted: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws -> (messages: [TransferBlob.Message], next: Int64?) {
    try await database.read { transaction in
      var messages: [TransferBlob.Message] = []
      var (bytes, next): (Int, Int64?) = (0, nil)
      try transaction.forEach(
        """
        SELECT hash, timestamp, expiry, data, namespace, account, messages.id FROM messages
        JOIN owners ON owners.id = owner WHERE messages.id >= ? AND expiry > ? ORDER BY messages.id
        """, start, Int64(clamping: now)
      ) { (row) throws(StorageError) in
        let account: [UInt8] = try row[5]
        guard isWanted(account) else { return true }
        guard bytes < maxBytes else {
          next = try row[6]
          return false
        }
        let (message, namespace): (StoredMessage, Int) = (try StoredMessage(row), try row[4])
        messages.append(
          TransferBlob.Message(account: account, namespace: Int16(clamping: namespace), message: message))
        bytes += message.data.count + 128
        return true
      }
      return (messages, next)
    }
  }

  /// All rights that certain accounts took back.
  func revocations(
    where isWanted: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws -> [TransferBlob.Revocation] {
    try await database.read { transaction in
      try transaction.map("SELECT account, token FROM revocations ORDER BY id") {
        (row) throws(StorageError) in
        TransferBlob.Revocation(account: try row[0], token: try row[1])
      }.filter { isWanted($0.account) }
    }
  }

  /// Stores messages from another node in one transaction, except for those deleted or replaced meanwhile. Returns
  /// the new ones.
  func take(_ messages: [TransferBlob.Message]) async throws -> [TransferBlob.Message] {
    try takeRoom(messages.reduce(0) { $0 + StoredMessage.room(for: $1.message.data) })
    return try await commits.perform { transaction in
      try messages.filter { one in
        guard
          try !transaction.isOvertaken(one.message, of: one.account, namespace: one.namespace, requestedAt: 0)
        else { return false }
        return try transaction.store(one.message, of: one.account, namespace: one.namespace).isNew
      }
    }
  }
}
