import Glibc
import SessionBase
import SessionCore

/// The new database and files of an account, as they are filled from an archive.
final class ArchiveTarget {
  /// The most rows in a transaction.
  private static let rowsTogether = 2000
  /// The most rows and files that are taken.
  private static let maxRows: Int64 = 100_000_000
  private static let maxFiles = 1_000_000
  /// Greater numbers of rows are refused, so that new rows still get theirs.
  private static let numbers: ClosedRange<Int64> = 1...1 << 62

  private(set) var report = ArchiveReport()
  private let statements: Statements
  private let archive: [UInt8]
  private let folder: String
  private let settings: Set<String>
  /// The statements that make the triggers, which are missing while rows come.
  private let triggers: [String]
  /// The number of rows and files that are committed.
  private var done: Int64
  /// The number of those that were read.
  private var count: Int64 = 0
  private var files = 0
  private var isWriting = false
  private var rows: ArchiveInsertion?
  private var file: ArchiveArrival?
  /// True while a file comes that is there already.
  private var isPassing = false
  /// The number of problems that were noted here, and not in the archive.
  private var ownProblems = 0

  init(
    folder: String, database: String, key: DatabaseKey, _ schema: Schema, settings: Set<String>,
    archive id: [UInt8]
  ) throws(StorageError) {
    self.archive = id
    self.folder = folder
    self.settings = settings
    triggers = try Self.triggers(of: schema)
    let file = DatabaseFile(path: database)
    let isNew = !OpenFile.exists(database)
    try file.prepare(mayCreate: true)
    statements = Statements(
      try SQLCipherConnection.open(database, key: key, for: .writing, busyTimeout: .zero))
    if !isNew, let position = try? Self.position(of: id, statements) {
      done = position
      try recallProblems()
    } else {
      done = 0
      try Migrator(schema: schema, file: file, confirming: .none).run(statements)
      _ = try SalvageTarget(statements: statements, upkeep: schema.upkeep).removeTriggers()
      try statements.connection.run(
        """
        CREATE TABLE importPosition (archive BLOB NOT NULL, done INTEGER NOT NULL, problems INTEGER NOT NULL);
        CREATE TABLE importProblem (kind TEXT NOT NULL, item TEXT NOT NULL, detail TEXT NOT NULL)
        """)
      let position = try statements.connection.prepare("INSERT INTO importPosition VALUES (?, 0, 0)")
      position.bind(id, 0)
      _ = try position.step()
    }
    try statements.connection.run("PRAGMA foreign_keys = OFF")
    try statements.connection.setDurable(true)
  }

  func close() {
    file = nil
    rows = nil
    if isWriting { statements.abort() }
    statements.close()
  }

  /// How far an import of an archive came; throws if none was begun.
  static func position(of archive: [UInt8], _ statements: Statements) throws(StorageError) -> Int64 {
    let found = try statements.connection.prepare("SELECT done FROM importPosition WHERE archive = ?")
    found.bind(archive, 0)
    guard try found.step() else { throw StorageError(.value, "another archive was imported here") }
    return found.int64(0)
  }

  /// Takes over what an interrupted import could not take. Problems of the archive itself are read again.
  private func recallProblems() throws(StorageError) {
    let kept = try statements.connection.prepare(
      "SELECT kind, item, detail FROM importProblem ORDER BY rowid")
    while try kept.step() {
      report.note(ArchiveProblem(kind: kept.text(0), item: kept.text(1), detail: kept.text(2)))
    }
    let count = try statements.connection.prepare("SELECT problems FROM importPosition")
    ownProblems = try count.step() ? Int(count.int64(0)) : 0
    report.count(problems: ownProblems - report.problemCount)
  }

  private static func triggers(of schema: Schema) throws(StorageError) -> [String] {
    let example = Statements(try SQLCipherConnection.openInMemory())
    defer { example.close() }
    try Migrator(schema: schema, file: nil, confirming: .none).run(example)
    let found = try example.connection.prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
    var triggers: [String] = []
    while try found.step() { triggers.append(found.text(0)) }
    return triggers
  }

  // MARK: - Taking

  func take(_ event: ArchiveEvent) throws {
    switch event {
    case .manifest: break
    case .table(let name, let columns):
      guard rows?.table != name || rows?.columns != columns else { break }
      rows = try ArchiveInsertion(into: name, columns, statements)
      report.begin(name)
    case .row(let row): try take(row)
    case .file(let file): try begin(file)
    case .content(let piece):
      guard !isPassing else { break }
      try file?.write(piece)
    case .fileEnd(let problem): try endFile(problem)
    case .problem(let problem): report.note(problem)
    }
  }

  private func take(_ row: [ArchiveValue]) throws {
    count += 1
    guard count <= Self.maxRows else { throw StorageError(.overloaded, "the archive has too many rows") }
    guard let rows else { return }
    guard count > done else { return report.countRow() }
    try begin()
    if let mistake = rows.mistake(in: row, settings: settings, numbers: Self.numbers) {
      if let detail = mistake.detail { try note("rowInvalid", mistake.item, detail) }
    } else if try rows.insert(row) {
      report.countRow()
    } else {
      try note("rowConflict", rows.table, "the row contradicts another one")
    }
    if count % Int64(Self.rowsTogether) == 0 { try commit() }
  }

  /// Notes a problem, also for an import that goes on later. In a transaction.
  private func note(_ kind: String, _ item: String, _ detail: String) throws(StorageError) {
    report.note(ArchiveProblem(kind: kind, item: item, detail: detail))
    ownProblems += 1
    guard ownProblems <= ArchiveReport.maxProblems else { return }
    let keeping = try statements.connection.prepare("INSERT INTO importProblem VALUES (?, ?, ?)")
    for (place, text) in [kind, item, detail].enumerated() { keeping.bind(text, place) }
    _ = try keeping.step()
  }

  private func begin() throws(StorageError) {
    guard !isWriting else { return }
    try statements.begin("BEGIN IMMEDIATE")
    isWriting = true
  }

  /// Commits what was taken, together with its place.
  private func commit() throws(StorageError) {
    try begin()
    let position = try statements.connection.prepare("UPDATE importPosition SET done = ?, problems = ?")
    position.bind(count, 0)
    position.bind(Int64(ownProblems), 1)
    _ = try position.step()
    try statements.end("COMMIT")
    isWriting = false
    done = max(done, count)
  }

  // MARK: - Files

  private func begin(_ file: ArchiveFile) throws {
    files += 1
    guard files <= Self.maxFiles else { throw StorageError(.overloaded, "the archive has too many files") }
    count += 1
    isPassing = count <= done
    guard !isPassing else { return }
    if isWriting {
      // The file is not a part of what was taken yet.
      count -= 1
      try commit()
      count += 1
    }
    self.file = try ArchiveArrival(of: file, in: folder)
  }

  private func endFile(_ problem: String?) throws {
    defer { file = nil }
    guard !isPassing else {
      if problem == nil { report.files += 1 }
      return
    }
    guard problem == nil, let file else { return try commit() }
    let kept = try file.commit()
    try begin()
    let change = try statements.connection.prepare(
      "UPDATE file SET path = ?, localKey = ?, byteCount = ? WHERE id = ?")
    change.bind(kept.path, 0)
    change.bind(kept.key, 1)
    change.bind(kept.size, 2)
    change.bind(kept.id, 3)
    _ = try change.step()
    if statements.connection.changedRows == 0 {
      try note("rowOrphan", "file \(kept.id)", "no row refers to the file")
    } else {
      report.files += 1
      report.fileBytes += kept.size
    }
    try commit()
  }

  // MARK: - Finishing

  /// Makes of the rows what a database is: references that lead somewhere, counts, the search, triggers.
  func finish(_ manifest: ArchiveManifest) throws {
    rows = nil
    try commit()
    let target = SalvageTarget(statements: statements, upkeep: .account)
    try begin()
    for repair in ArchiveInsertion.filesThatDidNotCome { try statements.connection.run(repair) }
    let tables = ArchiveTable.all.map {
      DamagedTable(name: $0.name, columns: [], firstKey: nil, keys: [], source: statements.connection)
    }
    for (table, orphans) in try target.mend(tables).sorted(by: { $0.key < $1.key }) where orphans > 0 {
      try note("rowOrphan", table, "\(orphans) rows referred to rows that did not travel")
    }
    try target.derive()
    try raise(manifest.sequences)
    for trigger in triggers { try statements.connection.run(trigger) }
    try statements.connection.run("DROP TABLE importPosition; DROP TABLE importProblem")
    try WriteTransaction(statements: statements, log: TransactionLog()).set(ImportedArchive(archive, report))
    try statements.end("COMMIT")
    isWriting = false
    _ = try statements.connection.checkpoint()
  }

  /// Numbers that were given once are not given again.
  private func raise(_ sequences: [(table: String, number: Int64)]) throws {
    let raising = try statements.connection.prepare(
      "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?")
    let adding = try statements.connection.prepare(
      "INSERT INTO sqlite_sequence (seq, name) SELECT ?, ? WHERE changes() = 0")
    for (table, number) in sequences where ArchiveTable.all.contains(where: { $0.name == table }) {
      for statement in [raising, adding] {
        defer { statement.reset() }
        statement.bind(min(number, Self.numbers.upperBound), 0)
        statement.bind(table, 1)
        _ = try statement.step()
      }
    }
  }
}
