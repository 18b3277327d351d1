import SessionCore
import SessionStorage

/// Deletions that are remembered of an account, the newest, by hash and of whole namespaces.
private let mostDeletions = 2000
private let mostClearings = 50
/// No message lives longer: 30 days, with some room for clocks.
private let longestLife: UInt64 = 30 * 86_400_000 + 70_000

/// What was deleted of late: a copy that was under way to this node meanwhile does not bring it back.
extension WriteTransaction {
  /// Remembers that messages are deleted, whether they were there or not.
  func rememberDeletion(of hashes: [String], account: [UInt8], asked: UInt64) throws(StorageError) {
    for hash in hashes.prefix(mostDeletions) {
      try run(
        "INSERT OR REPLACE INTO deletions (account, hash, time, ends) VALUES (?, ?, ?, ?)", account, hash,
        Int64(clamping: asked), Int64(clamping: asked + longestLife))
    }
    try run(
      """
      DELETE FROM deletions WHERE account = ?1 AND id <=
        (SELECT id FROM deletions WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, account, mostDeletions)
  }

  /// Remembers that all messages are deleted whose own time is not after `latest`; where that is no limit, up to the
  /// newest that is there, or to now.
  func rememberClearing(
    of account: [UInt8], namespace: Int?, notAfter latest: Int64, asked: UInt64
  ) throws(StorageError) {
    var latest = latest
    if latest == .max {
      let newest: Int64? = try value(
        "SELECT coalesce(max(timestamp), 0) FROM messages WHERE \(ofAccount)", account, namespace)
      latest = max(newest ?? 0, Int64(clamping: asked))
    }
    try insert(
      "INSERT INTO clearings (account, namespace, latest, time, ends) VALUES (?, ?, ?, ?, ?)", account,
      namespace, latest, Int64(clamping: asked), Int64(clamping: asked + longestLife))
    try run(
      """
      DELETE FROM clearings WHERE account = ?1 AND id <=
        (SELECT id FROM clearings WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, account, mostClearings)
  }

  /// Whether a message that comes later than it should was deleted since it was asked for, or its outbox holds a newer
  /// one.
  func isOvertaken(
    _ message: StoredMessage, of account: [UInt8], namespace: Int16, asked: UInt64
  ) throws(StorageError) -> Bool {
    let (asked, timestamp) = (Int64(clamping: asked), Int64(clamping: message.timestamp))
    if try exists(
      "SELECT 1 FROM deletions WHERE account = ? AND hash = ? AND time >= ?", account, message.hash, asked)
    {
      return true
    }
    if try exists(
      """
      SELECT 1 FROM clearings
      WHERE account = ? AND (namespace IS NULL OR namespace = ?) AND latest >= ? AND time >= ?
      """, account, Int(namespace), timestamp, asked)
    {
      return true
    }
    guard namespace.isOutbox else { return false }
    return try exists(
      """
      SELECT 1 FROM messages JOIN owners ON owners.id = owner
      WHERE account = ? AND namespace = ? AND hash <> ? AND timestamp > ?
      """, account, Int(namespace), message.hash, timestamp)
  }
}
