import SessionStorage

/// A table of a community server.
public struct CommunityTable: Hashable, Sendable {
  public let name: String
  public let rows: Int

  private init(_ content: TableCopy.Content) { (name, rows) = (content.table, content.rows) }

  /// All of them, each behind those that its rows refer to.
  private static let names = [
    "person", "room", "message", "history", "reaction", "pin", "file", "file_alias", "file_chunk", "visit",
    "override", "future", "nonce", "inbox", "log",
  ]
  /// Those that tell an operator nothing: the content of files, and what requests leave behind.
  private static let internals: Set = ["file_chunk", "nonce"]
  /// Those whose rows have numbers that are never given twice.
  private static let numbered: Set = ["person", "room", "message", "file", "future", "inbox", "log"]

  /// Copies all rows into an empty database, and compares what has arrived.
  static func copyAll(
    from source: borrowing ReadTransaction, to target: borrowing WriteTransaction
  ) throws(StorageError) -> [CommunityTable] {
    try TableCopy.copy(names, numbered: numbered, from: source, to: target).map { CommunityTable($0) }
  }

  /// Copies the rows that queries of an operator may be about.
  static func copyForQueries(
    from source: borrowing ReadTransaction, to target: borrowing WriteTransaction
  ) throws(StorageError) -> [CommunityTable] {
    let names = names.filter { !internals.contains($0) }
    return try TableCopy.copy(names, numbered: numbered, from: source, to: target).map { CommunityTable($0) }
  }
}
