/// A database of another program, which is not encrypted, to import from. Its tables can be read, whatever views and
/// triggers it has. Used on one thread.
public final class ForeignDatabase {
  private let statements: Statements

  /// Opens a file that no other process uses: what its log has is moved into it. Throws `corrupt` for a file that is no
  /// database or is truncated, here or when it is read.
  public init(_ path: String) throws(StorageError) {
    statements = Statements(try SQLCipherConnection.openForeign(path))
  }

  deinit { statements.close() }

  /// Reads its rows, all of one state.
  public func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    try statements.begin(TransactionStatements.begin)
    defer { statements.abort() }
    return try body(ReadTransaction(statements: statements))
  }
}

extension Reading where Self: ~Copyable {
  /// The columns of a table; none if there is no such table.
  public func columns(of table: SQL) throws(StorageError) -> Set<String> {
    Set(try map("PRAGMA table_info(\(table))") { (row) throws(StorageError) -> String in try row[1] })
  }
}
