internal import CPostgreSQL

/// A statement of PostgreSQL, prepared when it first runs on a connection. Values and columns travel in binary form.
///
/// It runs when its row is first looked at, or its first step is made; all of its rows are in memory then.
final class PostgreSQLStatement: SQLStatement {
  private let text: PostgreSQLText
  private let name: String
  private let connection: PostgreSQLConnection
  /// The connection that it was prepared on.
  private var generation = 0

  // The values: where the bytes of each begin, and how many they are; -1 for null.
  private var bytes: [UInt8] = []
  private var offsets: [Int]
  private var lengths: [Int32]
  private var types: [Oid]

  private var result: OpaquePointer?
  private var failure: StorageError?
  private var hasRun = false
  private var next: Int32 = 0
  private var count: Int32 = 0
  private var columnTypes: [Oid] = []
  private var columns: EngineRow?
  /// The row of a statement that failed.
  private let noColumns = EngineRow(columnCount: 0)

  init(_ text: PostgreSQLText, name: String, of connection: PostgreSQLConnection) {
    (self.text, self.name, self.connection) = (text, name, connection)
    offsets = Array(repeating: 0, count: text.placeCount)
    lengths = Array(repeating: -1, count: text.placeCount)
    types = Array(repeating: 0, count: text.placeCount)
  }

  deinit { PQclear(result) }

  // MARK: - Values

  var placeCount: Int { text.placeCount }

  func bindNull(_ place: Int, _ kind: EngineContent.Kind) {
    begin(place, PostgreSQLType(kind))
    lengths[place] = -1
  }

  func bind(_ value: Int64, _ place: Int) {
    begin(place, .int8)
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    end(place)
  }

  func bind(_ value: Double, _ place: Int) {
    begin(place, .float8)
    withUnsafeBytes(of: value.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
    end(place)
  }

  func bind(_ value: String, _ place: Int) {
    begin(place, .text)
    bytes.append(contentsOf: value.utf8)
    end(place)
  }

  func bind(_ value: [UInt8], _ place: Int) { bind(value.span, place) }

  func bind(_ value: Span<UInt8>, _ place: Int) {
    begin(place, .bytea)
    value.withUnsafeBytes { bytes.append(contentsOf: $0) }
    end(place)
  }

  private func begin(_ place: Int, _ type: PostgreSQLType) {
    // Values come in order.
    if place == 0 { bytes.removeAll(keepingCapacity: true) }
    guard place < placeCount else { return }
    types[place] = type.rawValue
    offsets[place] = bytes.count
  }

  private func end(_ place: Int) {
    guard place < placeCount else { return }
    lengths[place] = Int32(bytes.count - offsets[place])
  }

  // MARK: - Running

  private func run() {
    hasRun = true
    do throws(StorageError) {
      if generation != connection.generation { try prepare() }
      let result = try execute()
      self.result = result
      try take(result)
    } catch {
      failure = error
    }
  }

  private func prepare() throws(StorageError) {
    let generation = connection.generation
    PQclear(
      try connection.result { PQsendPrepare($0, name, text.text, Int32(placeCount), types) })
    self.generation = generation
  }

  private func execute() throws(StorageError) -> OpaquePointer {
    // An empty value has an address, too.
    bytes.append(0)
    let sizes = lengths.map { max($0, 0) }
    let formats = [Int32](repeating: 1, count: placeCount)
    return try connection.result { connection in
      bytes.withUnsafeBytes { bytes in
        let values = offsets.indices.map { place in
          lengths[place] < 0
            ? nil
            : UnsafePointer(
              bytes.baseAddress?.advanced(by: offsets[place]).assumingMemoryBound(to: CChar.self))
        }
        return PQsendQueryPrepared(connection, name, Int32(placeCount), values, sizes, formats, 1)
      }
    }
  }

  private func take(_ result: OpaquePointer) throws(StorageError) {
    let columnCount = PQnfields(result)
    if columns == nil || columns?.columns.count != Int(columnCount) {
      columns = EngineRow(columnCount: Int(columnCount))
    }
    columnTypes = (0..<columnCount).map { PQftype(result, $0) }
    count = PQntuples(result)
    guard let tuples = PQcmdTuples(result) else { return }
    let isQuery = PQresultStatus(result) == PGRES_TUPLES_OK && !text.returnsNumber
    let changed = isQuery ? 0 : Int(String(cString: tuples)) ?? 0
    var number: Int64?
    if text.returnsNumber {
      if count > 0 { number = content(0, 0).integer }
      count = 0
    }
    connection.note(changed: changed, inserted: number)
  }

  func reset() {
    PQclear(result)
    (result, failure, hasRun, next, count) = (nil, nil, false, 0, 0)
  }

  // MARK: - Rows

  var row: EngineRow {
    if !hasRun { run() }
    return failure == nil ? columns ?? noColumns : noColumns
  }

  func step() throws(StorageError) -> Bool {
    if !hasRun { run() }
    if let failure { throw failure }
    guard next < count, let columns else { return false }
    for column in columns.columns.indices {
      columns.columns[column] = content(next, Int32(column))
    }
    next += 1
    return true
  }

  private func content(_ row: Int32, _ column: Int32) -> EngineContent {
    guard let result, PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column)
    else {
      return EngineContent(.null)
    }
    let bytes = UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column)))
    return EngineContent(bytes, PostgreSQLType(rawValue: columnTypes[Int(column)]))
  }

  func int64(_ column: Int) -> Int64 {
    let content = row.columns[column]
    return switch content.kind {
    case .integer: content.integer
    case .real: Int64(content.real)
    case .text: Int64(text(column)) ?? 0
    default: 0
    }
  }

  func text(_ column: Int) -> String {
    let content = row.columns[column]
    return switch content.kind {
    case .integer: "\(content.integer)"
    case .real: "\(content.real)"
    case .text, .blob: String(decoding: content.bytes, as: UTF8.self)
    case .null: ""
    }
  }
}
