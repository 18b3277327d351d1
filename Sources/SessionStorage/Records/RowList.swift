/// The numbers of many rows as one value of a statement, to read the parts of a whole page with one statement.
public struct RowList<Record>: Sendable {
  fileprivate let text: String

  public init(_ ids: some Sequence<RowID<Record>>) { text = ids.map { "\($0.rawValue)," }.joined() }
}

extension RowList: DatabaseValue {
  public func bind(to place: Place) { text.bind(to: place) }
  public static func bindNull(to place: Place) { String.bindNull(to: place) }
  public init(column: Column) throws(StorageError) { text = try column.text }
}

extension SQL {
  /// A table `list` with a column `id`, of the list that is bound to the first place.
  static let list: SQL = """
    WITH RECURSIVE list(id, rest) AS (SELECT NULL, ? UNION ALL \
    SELECT CAST(substr(rest, 1, instr(rest, ',') - 1) AS INTEGER), substr(rest, instr(rest, ',') + 1) \
    FROM list WHERE rest <> '')
    """
}
