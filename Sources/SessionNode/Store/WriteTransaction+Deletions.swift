import SessionCore
import SessionStorage

/// Rows that are remembered of an account, the newest.
private let mostDeletions = 2000
private let mostClearings = 50
private let mostAbsences = 500
/// No message lives longer: 30 days, with some room for clocks.
let longestMemory: UInt64 = 30 * 86_400_000 + 70_000

/// Recent deletions: a copy that was on its way meanwhile does not restore a message.
extension WriteTransaction {
  /// Remembers that messages which were here are deleted.
  func rememberDeletion(
    of hashes: [String], account: [UInt8], requestedAt: UInt64, limits: RememberedLimits
  ) throws(StorageError) {
    for hash in hashes.prefix(mostDeletions) {
      try remember(hash, in: "deletions", of: account, requestedAt: requestedAt)
    }
    try keepNewest(mostDeletions, of: account, in: "deletions", atMost: limits.deletions)
  }

  /// Remembers deletions of messages that are not here, but may be on their way.
  func rememberAbsence(
    of hashes: [String], account: [UInt8], requestedAt: UInt64, limits: RememberedLimits
  ) throws(StorageError) {
    guard !hashes.isEmpty else { return }
    for hash in hashes.prefix(mostAbsences) {
      try remember(hash, in: "absences", of: account, requestedAt: requestedAt)
    }
    try keepNewest(mostAbsences, of: account, in: "absences", atMost: limits.absences)
  }

  /// A row that is there keeps its number: rows are counted by their numbers, so one account cannot push out the others
  /// by deleting the same message again and again.
  private func remember(
    _ hash: String, in table: SQL, of account: [UInt8], requestedAt: UInt64
  ) throws(StorageError) {
    let (time, ends) = (Int64(clamping: requestedAt), Int64(clamping: requestedAt + longestMemory))
    let known = try run(
      """
      UPDATE \(table) SET time = max(time, ?), ends = max(ends, ?) WHERE account = ? AND hash = ?
      """, time, ends, account, hash)
    guard known == 0 else { return }
    try insert(
      "INSERT INTO \(table) (account, hash, time, ends) VALUES (?, ?, ?, ?)", account, hash, time, ends)
  }

  /// Remembers a deletion of all messages up to `latest`; without a limit, up to the newest message, or now.
  func rememberClearing(
    of account: [UInt8], namespace: Int?, notAfter latest: Int64, requestedAt: UInt64,
    limits: RememberedLimits
  ) throws(StorageError) {
    let newest: Int64 =
      try value(
        "SELECT coalesce(max(timestamp), -1) FROM messages WHERE \(ofAccount) AND timestamp <= ?3", account,
        namespace, latest) ?? -1
    let isAbsence = newest < 0
    let latest = latest == .max ? max(newest, Int64(clamping: requestedAt)) : latest
    let table: SQL = isAbsence ? "absences" : "clearings"
    try insert(
      "INSERT INTO \(table) (account, namespace, latest, time, ends) VALUES (?, ?, ?, ?, ?)", account,
      namespace, latest, Int64(clamping: requestedAt), Int64(clamping: requestedAt + longestMemory))
    if isAbsence {
      try keepNewest(mostAbsences, of: account, in: table, atMost: limits.absences)
    } else {
      try keepNewest(mostClearings, of: account, in: table, atMost: limits.clearings)
    }
  }

  /// Forgets the oldest rows of an account, and of all accounts, beyond so many.
  private func keepNewest(
    _ count: Int, of account: [UInt8], in table: SQL, atMost all: Int
  ) throws(StorageError) {
    try run(
      """
      DELETE FROM \(table) WHERE account = ?1 AND id <=
        (SELECT id FROM \(table) WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, account, count)
    // There are never more rows than numbers between the first and the last.
    try run("DELETE FROM \(table) WHERE id <= (SELECT max(id) FROM \(table)) - ?", all)
  }

  /// True if a late message was deleted after its request, or its outbox holds a newer one.
  func isOvertaken(
    _ message: StoredMessage, of account: [UInt8], namespace: Int16, requestedAt: UInt64
  ) throws(StorageError) -> Bool {
    let (requestedAt, timestamp) = (Int64(clamping: requestedAt), Int64(clamping: message.timestamp))
    if try exists(
      "SELECT 1 FROM deletions WHERE account = ? AND hash = ? AND time >= ?", account, message.hash,
      requestedAt)
    {
      return true
    }
    if try exists(
      """
      SELECT 1 FROM absences WHERE account = ?1 AND time >= ?4 AND
        (hash = ?2 OR (hash IS NULL AND (namespace IS NULL OR namespace = ?3) AND latest >= ?5))
      """, account, message.hash, Int(namespace), requestedAt, timestamp)
    {
      return true
    }
    if try exists(
      """
      SELECT 1 FROM clearings
      WHERE account = ? AND (namespace IS NULL OR namespace = ?) AND latest >= ? AND time >= ?
      """, account, Int(namespace), timestamp, requestedAt)
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
