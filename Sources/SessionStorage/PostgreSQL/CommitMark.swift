import SessionCore

/// A row that a transaction leaves, so that its outcome can be found out when the answer to the commit is lost.
///
/// Adding the same row once more waits for the transaction that may still be at work: it then either fails, as that one has
/// committed, or takes its place for good, so that it never will.
struct CommitMark: Hashable, Sendable {
  private static let size = 16

  /// The table of the marks. A refused one was taken away from a transaction that had not committed.
  static let table: SQL = """
    CREATE TABLE IF NOT EXISTS commit_mark (mark BLOB PRIMARY KEY, made TIMESTAMPTZ NOT NULL DEFAULT now());
    ALTER TABLE commit_mark ADD COLUMN IF NOT EXISTS refused BOOLEAN NOT NULL DEFAULT false;
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

  private var value: String { "decode('\(hex)', 'hex')" }

  /// The statement that adds it.
  var insertion: String { "INSERT INTO commit_mark (mark) VALUES (\(value))" }

  /// The statement that refuses it, if its transaction has not committed.
  var refusal: String {
    "INSERT INTO commit_mark (mark, refused) VALUES (\(value), true) ON CONFLICT DO NOTHING"
  }

  /// The statement that finds its row if it was refused.
  var search: String { "SELECT FROM commit_mark WHERE mark = \(value) AND refused" }
}

extension PostgreSQLConnection {
  /// True if the transaction that left a mark has committed. Otherwise it never will. To be called outside of transactions;
  /// the answer stays the same however often this is called.
  func settle(_ mark: CommitMark) throws(StorageError) -> Bool {
    try run(mark.refusal)
    try run(mark.search)
    return changedRows == 0
  }
}
