/// Checks and repairs of a schema that SQLite cannot do itself.
public struct SchemaUpkeep: Sendable {
  public typealias Check = @Sendable (borrowing WriteTransaction) throws(StorageError) -> [String]
  public typealias Repair = @Sendable (borrowing WriteTransaction) throws(StorageError) -> Void

  /// The inconsistencies of rows, a sentence for each.
  let problems: Check
  /// Recreates lost rows that others refer to, as far as those describe them.
  let replaceLost: Repair
  /// Recomputes derived rows: reference counts, search indexes.
  let derive: Repair
  /// The tables that a salvaged copy must not have rows of: keys that may be used in one place only.
  let unsalvaged: Set<String>

  public init(
    unsalvaged: Set<String> = [], problems: @escaping Check, replaceLost: @escaping Repair,
    derive: @escaping Repair
  ) {
    self.unsalvaged = unsalvaged
    self.problems = problems
    self.replaceLost = replaceLost
    self.derive = derive
  }

  /// For schemas without derived rows.
  public static let none = SchemaUpkeep(
    problems: { (_) throws(StorageError) in [] }, replaceLost: { (_) throws(StorageError) in },
    derive: { (_) throws(StorageError) in })
}
