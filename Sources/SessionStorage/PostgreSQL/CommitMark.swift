import SessionCore

/// A row that a transaction leaves, so that its outcome can be found out when the answer to the commit is lost.
///
/// Adding the same row once more waits for the transaction that may still be at work: it then either fails, as that one has
/// committed, or stands in its place, so that it never will.
struct CommitMark: Hashable, Sendable {
  private static let size = 16

  /// The table of the marks.
  static let table: SQL = """
    CREATE TABLE IF NOT EXISTS commit_mark (mark BLOB PRIMARY KEY, made TIMESTAMPTZ NOT NULL DEFAULT now());
    CREATE INDEX IF NOT EXISTS commit_mark_made ON commit_mark (made);
    """
  /// Removes old ones, which no process needs any more.
  static let removal: SQL = "DELETE FROM commit_mark WHERE made < now() - interval '1 hour'"

  private let hex: String

  init() throws(StorageError) {
    do { hex = try SecretBytes.random(count: Self.size).reveal().hex } catch {
      throw StorageError(.io, "there is no randomness: \(error)")
    }
  }

  /// The statement that adds it.
  var insertion: String { "INSERT INTO commit_mark (mark) VALUES (decode('\(hex)', 'hex'))" }
}

extension PostgreSQLConnection {
  /// True if the transaction that left a mark has committed. Otherwise the mark is that of this transaction.
  func hasCommitted(_ mark: CommitMark) throws(StorageError) -> Bool {
    try run("\(mark.insertion) ON CONFLICT DO NOTHING")
    return changedRows == 0
  }
}
