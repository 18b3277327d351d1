import SessionCore

/// The rows of one table on their way from an archive into a database.
final class ArchiveInsertion {
  let table: String
  let columns: [String]
  private let statement: any SQLStatement
  private let connection: any SQLConnection
  /// The declared type of each column.
  private let types: [String]

  /// Throws `value` for a table or column that the schema of the archive does not have.
  init(into table: String, _ columns: [String], _ statements: Statements) throws(StorageError) {
    self.table = table
    self.columns = columns
    connection = statements.connection
    guard let known = ArchiveTable.all.first(where: { $0.name == table }) else {
      throw StorageError(.value, "the archive has a table that its schema lacks")
    }
    var declared: [String: String] = [:]
    let info = try connection.prepare("PRAGMA table_info(\"\(known.name)\")")
    while try info.step() { declared[info.text(1)] = info.text(2) }
    var types: [String] = []
    for column in columns {
      // Names of an archive are compared, and never become a part of a statement before.
      guard let type = declared[column], !known.omitted.contains(column) else {
        throw StorageError(.value, "the archive has a column of \(table) that its schema lacks")
      }
      types.append(type)
    }
    guard Set(columns).count == columns.count else {
      throw StorageError(.value, "the archive has a column of \(table) twice")
    }
    self.types = types
    var names = columns.map { "\"\($0)\"" }
    var places = columns.map { _ in "?" }
    if table == "file" {
      // Until its content comes.
      names += ["path", "localKey"]
      places += ["'pending/' || hex(randomblob(16))", "zeroblob(0)"]
    }
    statement = try connection.prepare(
      "INSERT OR IGNORE INTO \"\(table)\" (\(names.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
    )
  }

  /// Inserts a row. False if it contradicts the rules of the table, or another row.
  func insert(_ row: [ArchiveValue]) throws(StorageError) -> Bool {
    defer { statement.reset() }
    for (place, value) in row.enumerated() { statement.bind(value, place) }
    _ = try statement.step()
    return connection.changedRows > 0
  }

  /// Why a row is left out; nil if it is not. Without a detail it is no problem.
  func mistake(
    in row: [ArchiveValue], settings: Set<String>, numbers: ClosedRange<Int64>
  ) -> (item: String, detail: String?)? {
    var item = table
    for (column, value) in zip(columns, row) where column == "id" {
      guard case .integer(let number) = value else { break }
      guard numbers.contains(number) else { return (table, "a number that no row has") }
      item += " \(number)"
    }
    if table == "setting" {
      guard let name = zip(columns, row).first(where: { $0.0 == "name" })?.1, case .text(let name) = name
      else {
        return (item, "a setting without a name")
      }
      return settings.contains(name) ? nil : (item, nil)
    }
    for (type, (column, value)) in zip(types, zip(columns, row)) where !value.fits(type) {
      return (item, "\(column) has another type")
    }
    return nil
  }

  /// What referred to files that are not in the archive is downloaded again, or is gone.
  static let filesThatDidNotCome: [String] = {
    let missing = "(SELECT id FROM file WHERE path LIKE 'pending/%')"
    let (downloaded, uploaded, pending) = (
      AttachmentRecord.State.downloaded.rawValue, AttachmentRecord.State.uploaded.rawValue,
      AttachmentRecord.State.pendingDownload.rawValue
    )
    return [
      """
      UPDATE attachment SET fileID = NULL, state = CASE WHEN url IS NOT NULL \
      AND state IN (\(downloaded), \(uploaded)) THEN \(pending) ELSE state END WHERE fileID IN \(missing)
      """,
      "UPDATE profile SET pictureFileID = NULL WHERE pictureFileID IN \(missing)",
      "UPDATE closedGroup SET pictureFileID = NULL WHERE pictureFileID IN \(missing)",
      "UPDATE community SET imageFileID = NULL WHERE imageFileID IN \(missing)",
      "DELETE FROM file WHERE path LIKE 'pending/%'",
    ]
  }()
}

extension ArchiveValue {
  /// True if a column of a declared type has such values.
  fileprivate func fits(_ type: String) -> Bool {
    switch self {
    case .null: true
    case .invalid: false
    case .integer: type == "INTEGER" || type == "REAL"
    case .real: type == "REAL"
    case .text: type == "TEXT"
    case .blob: type == "BLOB"
    }
  }
}

extension SQLStatement {
  /// Binds a value of an archive.
  func bind(_ value: ArchiveValue, _ place: Int) {
    switch value {
    case .null, .invalid: bindNull(place, .null)
    case .integer(let number): bind(number, place)
    case .real(let number): bind(number, place)
    case .text(let text): bind(text, place)
    case .blob(let bytes): bind(bytes, place)
    }
  }
}
