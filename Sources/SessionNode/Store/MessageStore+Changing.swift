public import SessionCore
public import SessionNodeCore
import SessionService
public import SessionStorage

/// Selects messages of an account: in one namespace, or in all.
let ofAccount: SQL = """
  owner = (SELECT id FROM owners WHERE account = ?1) AND (?2 IS NULL OR namespace = ?2)
  """

extension MessageStore {
  /// Deletes messages; returns those that existed. `requestedAt` is the time of the request, in milliseconds since 1970.
  public func delete(_ hashes: [String], of account: [UInt8], requestedAt: UInt64) async throws
    -> [StorageChange]
  {
    try await commits.perform { [remembered, hasDeleted] transaction in
      let hashes = Set(hashes).sorted()
      let found = try hashes.compactMap { try transaction.message($0, of: account) }
      let here = Set(found.map(\.hash))
      try transaction.rememberAbsence(
        of: hashes.filter { !here.contains($0) }, account: account, requestedAt: requestedAt,
        limits: remembered)
      guard !found.isEmpty else { return [] }
      try transaction.rememberDeletion(
        of: found.map(\.hash), account: account, requestedAt: requestedAt, limits: remembered)
      hasDeleted.set(true)
      for message in found { try transaction.run("DELETE FROM messages WHERE hash = ?", message.hash) }
      return found
    }
  }

  /// Deletes all messages of a namespace, or of all, that are not younger than `time`.
  public func deleteAll(
    of account: [UInt8], namespace: Int16?, notAfter time: UInt64 = .max, requestedAt: UInt64
  ) async throws -> [StorageChange] {
    let (number, latest) = (namespace.map(Int.init), Int64(clamping: time))
    return try await commits.perform { [remembered, hasDeleted] transaction in
      let found: [StorageChange] = try transaction.all(
        """
        SELECT hash, namespace, expiry FROM messages WHERE \(ofAccount) AND timestamp <= ?3 ORDER BY namespace, hash
        """, account, number, latest)
      try transaction.rememberClearing(
        of: account, namespace: number, notAfter: latest, requestedAt: requestedAt, limits: remembered)
      if !found.isEmpty { hasDeleted.set(true) }
      try transaction.run(
        "DELETE FROM messages WHERE \(ofAccount) AND timestamp <= ?3", account, number, latest)
      return found
    }
  }

  /// Ends lives that are longer than `expiry` there.
  public func expireAll(
    of account: [UInt8], namespace: Int16?, expiry: UInt64
  ) async throws -> [StorageChange] {
    let (number, time) = (namespace.map(Int.init), Int64(clamping: expiry))
    return try await commits.perform { transaction in
      let found: [StorageChange] = try transaction.all(
        """
        SELECT hash, namespace, ?3 FROM messages WHERE \(ofAccount) AND expiry > ?3 ORDER BY namespace, hash
        """, account, number, time)
      try transaction.run(
        "UPDATE messages SET expiry = ?3 WHERE \(ofAccount) AND expiry > ?3", account, number, time)
      return found
    }
  }

  /// Gives messages another life, as the mode allows.
  public func expire(
    _ hashes: [String], of account: [UInt8], expiries: [UInt64], mode: Storage.Expire.Mode
  ) async throws -> (updated: [StorageChange], unchanged: [StorageChange]) {
    let wanted = Dictionary(
      zip(hashes, expiries.count == 1 ? Array(repeating: expiries[0], count: hashes.count) : expiries),
      uniquingKeysWith: { first, _ in first })
    return try await commits.perform { transaction in
      var (updated, unchanged): ([StorageChange], [StorageChange]) = ([], [])
      for (hash, expiry) in wanted.sorted(by: { $0.key < $1.key }) {
        guard let message = try transaction.message(hash, of: account) else { continue }
        guard mode.changes(message.expiry, to: expiry) else {
          unchanged.append(message)
          continue
        }
        try transaction.run("UPDATE messages SET expiry = ? WHERE hash = ?", Int64(clamping: expiry), hash)
        updated.append(StorageChange(hash: hash, namespace: message.namespace, expiry: expiry))
      }
      return (updated, unchanged)
    }
  }

  /// Revokes tokens. Only the newest tokens of an account are kept. They are deleted when no message from before
  /// can exist; while the account has messages here, they stay.
  public func revoke(_ tokens: [[UInt8]], of account: [UInt8], requestedAt: UInt64) async throws {
    try await commits.perform { [revocationCount, remembered] transaction in
      var count = try revocationCount.now ?? transaction.revocationCount()
      let ends = Int64(clamping: requestedAt + longestMemory)
      for token in tokens {
        // One that comes late must not end sooner than the one that is here.
        let known: Int64? = try transaction.value(
          "SELECT ends FROM revocations WHERE account = ? AND token = ?", account, token)
        count -= try transaction.run(
          "DELETE FROM revocations WHERE account = ? AND token = ?", account, token)
        try transaction.insert(
          "INSERT INTO revocations (account, token, ends) VALUES (?, ?, ?)", account, token,
          max(known ?? ends, ends))
        count += 1
      }
      count -= try transaction.run(
        """
        DELETE FROM revocations WHERE account = ?1 AND id NOT IN
          (SELECT id FROM revocations WHERE account = ?1 ORDER BY id DESC LIMIT ?2)
        """, account, Self.maxRevocations)
      if count > remembered.revocations { count = try transaction.revocationCount() }
      if count > remembered.revocations {
        count -= try transaction.forgetRevocations(over: count - remembered.revocations, of: count)
        // A revocation that protects messages is never forgotten for a new one.
        guard count <= remembered.revocations else { throw NodeFailure.full }
      }
      revocationCount.set(count)
    }
  }

  /// Gives rights back; returns how many tokens were revoked.
  public func unrevoke(_ tokens: [[UInt8]], of account: [UInt8]) async throws -> Int {
    try await commits.perform { transaction in
      try tokens.reduce(0) { count, token in
        try count + transaction.run("DELETE FROM revocations WHERE account = ? AND token = ?", account, token)
      }
    }
  }
}

extension WriteTransaction {
  func revocationCount() throws(StorageError) -> Int {
    try value("SELECT count(*) FROM revocations") ?? 0
  }

  /// Forgets the oldest revocations of accounts that have no messages here. Forgets more than it must, to be rarely
  /// needed. Returns how many it forgot.
  fileprivate func forgetRevocations(over: Int, of count: Int) throws(StorageError) -> Int {
    try run(
      """
      DELETE FROM revocations WHERE id IN
        (SELECT id FROM revocations WHERE account NOT IN (SELECT account FROM owners) ORDER BY id LIMIT ?)
      """, max(over, count / 16))
  }
}

extension Storage.Expire.Mode {
  fileprivate func changes(_ expiry: UInt64, to other: UInt64) -> Bool {
    switch self {
    case .set: true
    case .shorten: other < expiry
    case .extend: other > expiry
    }
  }
}

extension StorageChange: Record {
  /// Reads the columns hash, namespace, expiry.
  public init(_ row: borrowing Row) throws(StorageError) {
    let (namespace, expiry): (Int, Int64) = (try row[1], try row[2])
    self.init(hash: try row[0], namespace: Int16(clamping: namespace), expiry: UInt64(clamping: expiry))
  }
}
