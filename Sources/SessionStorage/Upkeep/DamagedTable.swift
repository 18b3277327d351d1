/// A table of a damaged database: every row that can still be reached.
///
/// SQLite stops at the first unreadable page. Reading continues after it: rows have numbers or ordered keys, so it
/// skips ahead, in small steps first, until a row can be read.
///
/// The keys are known only from the rows: if the first and the last page of a table with keys are both damaged, the
/// rows between them cannot be found.
struct DamagedTable {
  let name: String
  let columns: [String]
  /// The first column of the key, in a table without numbers for its rows.
  let firstKey: String?
  let keys: [String]
  let source: any SQLConnection

  /// The numbers tried one by one after damage, and then in larger steps.
  private static let steps: Int64 = 10_000

  typealias Take = ([EngineValue]) throws(StorageError) -> Void

  /// Gives each row once, or, in a table without numbers, twice. Returns at how many places reading went no further.
  func forEachRow(_ take: Take) throws(StorageError) -> Int {
    if let firstKey { try walkKeys(firstKey, take) } else { try walkNumbers(take) }
  }

  /// The number of rows, if an intact index knows it.
  func count() throws(StorageError) -> Int? {
    var count: Int?
    _ = try reading { () throws(StorageError) in
      let statement = try source.prepare("SELECT count(*) FROM \"\(name)\"")
      guard try statement.step() else { return }
      if let damage = source.damage { throw damage }
      count = Int(statement.int64(0))
    }
    return count
  }

  /// Runs code that may hit damage. Returns true if it did not.
  private func reading(_ body: () throws(StorageError) -> Void) throws(StorageError) -> Bool {
    // The engine is in its senses again when a transaction ends.
    try source.run("BEGIN")
    defer { try? source.run("ROLLBACK") }
    do throws(StorageError) {
      try body()
      return true
    } catch {
      // A table that is in no readable page of the schema is as good as damaged.
      guard error.isDamage || error.code == .statement else { throw error }
      return false
    }
  }

  private var list: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }

  /// The row that a statement has come to, unless a part of it is damaged.
  private func row(_ statement: any SQLStatement, from first: Int) throws(StorageError) -> [EngineValue] {
    let values = (first..<first + columns.count).map { statement.value($0) }
    if let damage = source.damage { throw damage }
    return values
  }
}

// MARK: - By number

extension DamagedTable {
  private func walkNumbers(_ take: Take) throws(StorageError) -> Int {
    var breaks = 0
    var next = Int64.min
    while true {
      var last: Int64?
      let isEnd = try reading { () throws(StorageError) in
        let statement = try source.prepare(
          "SELECT rowid, \(list) FROM \"\(name)\" WHERE rowid >= ? ORDER BY rowid")
        statement.bind(next, 0)
        while try statement.step() {
          try take(try row(statement, from: 1))
          last = statement.int64(0)
        }
      }
      if isEnd { return breaks }
      breaks += 1
      guard let place = try readablePlace(after: last ?? max(next, -1)) else { return breaks }
      next = place
    }
  }

  /// The first number from which on rows can be read; nil when there are none.
  private func readablePlace(after number: Int64) throws(StorageError) -> Int64? {
    let end = try largestNumber() ?? number + 1000 * Self.steps
    let stride = max((end - number) / Self.steps, 1)
    var place = number
    for attempt in 1...2 * Self.steps {
      let step = attempt <= Self.steps ? 1 : stride
      place += step
      switch try probe(place) {
      case .row: return try firstReadable(after: place - step, upTo: place)
      // Rows between the last step and this one may end in what cannot be read.
      case .end: return try firstReadableRow(after: place - step, upTo: place)
      case .damage: if place > end { return nil }
      }
    }
    return nil
  }

  /// The largest number there is, or was given; nil when nothing knows.
  private func largestNumber() throws(StorageError) -> Int64? {
    var largest: Int64?
    for question in [
      "SELECT max(rowid) FROM \"\(name)\"", "SELECT seq FROM sqlite_sequence WHERE name = '\(name)'",
    ] where largest == nil {
      _ = try reading { () throws(StorageError) in
        let statement = try source.prepare(question)
        guard try statement.step(), source.damage == nil else { return }
        largest = statement.int64(0)
      }
    }
    return largest
  }

  /// The smallest number from which on there are rows, between one that is damaged and one that is not.
  private func firstReadable(after damaged: Int64, upTo readable: Int64) throws(StorageError) -> Int64 {
    var (low, high) = (damaged, readable)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try probe(middle) == .damage { low = middle } else { high = middle }
    }
    return high
  }

  private func firstReadableRow(after damaged: Int64, upTo end: Int64) throws(StorageError) -> Int64? {
    let place = try firstReadable(after: damaged, upTo: end)
    return try probe(place) == .row ? place : nil
  }

  private enum Found {
    case row
    case end
    case damage
  }

  private func probe(_ number: Int64) throws(StorageError) -> Found {
    var found = Found.damage
    _ = try reading { () throws(StorageError) in
      // A row that is continued on a page of its own may break there.
      let statement = try source.prepare(
        "SELECT \(list) FROM \"\(name)\" WHERE rowid >= ? ORDER BY rowid LIMIT 1")
      statement.bind(number, 0)
      guard try statement.step() else {
        found = .end
        return
      }
      _ = try row(statement, from: 0)
      found = .row
    }
    return found
  }
}

// MARK: - By key

extension DamagedTable {
  private func walkKeys(_ firstKey: String, _ take: Take) throws(StorageError) -> Int {
    var breaks = 0
    var last: EngineValue?
    var isEnd = try scan(from: nil, to: nil, take) { last = $0 }
    while !isEnd {
      breaks += 1
      // If no readable place follows the damage, read the rest from the other end.
      guard let before = last, let place = try readablePlace(after: before) else {
        _ = try scan(from: nil, to: nil, isDown: true, take)
        return breaks
      }
      // Rows that the step went over, but that are not damaged.
      _ = try scan(from: before, to: place, isDown: true, take)
      last = place
      isEnd = try scan(from: place, to: nil, take) { last = $0 }
    }
    return breaks
  }

  /// A value after another one from which rows can be read; nil if there are none.
  private func readablePlace(after value: EngineValue) throws(StorageError) -> EngineValue? {
    for place in Self.places(after: value) {
      var hasRow = false
      let isEnd = try scan(from: place, to: nil, limit: 1, { (_) throws(StorageError) in hasRow = true })
      if hasRow { return place }
      if isEnd { return nil }
    }
    return nil
  }

  /// Reads the rows between two values, inclusive, and returns true if it reached the end.
  private func scan(
    from low: EngineValue?, to high: EngineValue?, isDown: Bool = false, limit: Int = -1, _ take: Take,
    reached: (EngineValue) -> Void = { _ in }
  ) throws(StorageError) -> Bool {
    let key = "\"\(firstKey ?? "rowid")\""
    let conditions = [low.map { _ in "\(key) >= ?" }, high.map { _ in "\(key) <= ?" }].compactMap(\.self)
    let order = keys.map { "\"\($0)\"\(isDown ? " DESC" : "")" }.joined(separator: ", ")
    return try reading { () throws(StorageError) in
      let statement = try source.prepare(
        "SELECT \(key), \(list) FROM \"\(name)\" "
          + (conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND ")) ")
          + "ORDER BY \(order) LIMIT \(limit)")
      for (index, value) in [low, high].compactMap(\.self).enumerated() { statement.bind(value, index) }
      while try statement.step() {
        try take(try row(statement, from: 1))
        reached(statement.value(0))
      }
    }
  }

  /// Values after another one, at growing distances: those that differ in the last place first.
  static func places(after value: EngineValue) -> AnySequence<EngineValue> {
    switch value {
    case .null, .real: AnySequence([])
    case .integer(let number):
      AnySequence(
        (0..<62).lazy.compactMap { bit in
          let (place, isTooFar) = number.addingReportingOverflow(1 << bit)
          return isTooFar ? nil : .integer(place)
        })
    case .text(let text):
      AnySequence(
        text.indices.reversed().lazy.flatMap { index in
          let beginning = text[..<index]
          return characters(after: text[index]).lazy.map { EngineValue.text(beginning + String($0)) }
        })
    case .blob(let bytes):
      AnySequence(
        bytes.indices.reversed().lazy.flatMap { index in
          let beginning = bytes[..<index]
          return (bytes[index]..<0xFF).lazy.map { EngineValue.blob(beginning + [$0 + 1]) }
        })
    }
  }

  /// The ASCII characters after another one, which most keys consist of, and the greatest character.
  private static func characters(after character: Character) -> [Character] {
    let next = character.asciiValue.map { $0 + 1 } ?? 0x7F
    return (next..<max(next, 0x7F)).map { Character(Unicode.Scalar($0)) } + ["\u{10FFFF}"]
  }
}
