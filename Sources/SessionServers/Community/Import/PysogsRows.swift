import SessionCore
import SessionStorage

/// Copies the rows of a pysogs server into those of a new one, inside of one transaction.
final class PysogsRows {
  /// Of these the new server keeps no more: milliseconds.
  static let historySpan: Int64 = 30 * 86_400_000
  static let nonceSpan: Int64 = 86_400_000
  /// How far numbers are moved on where the old server does not say how many it has given.
  private static let skip: Int64 = 1_000_000

  let server: [UInt8]
  let files: ImportedFiles
  let now: Int64
  var report = CommunityImportReport()
  /// The new numbers of people by those of the old rows.
  var people: [Int64: Int64] = [:]
  /// The ids in the old rows.
  var ids: [Int64: String] = [:]

  init(server: [UInt8], files: ImportedFiles, now: Int64) {
    (self.server, self.files, self.now) = (server, files, now)
  }

  func copy(from source: borrowing ReadTransaction, to target: borrowing WriteTransaction) throws {
    let messages = try source.columns(of: "messages")
    guard try !source.columns(of: "rooms").isEmpty, messages.contains("seqno") || messages.contains("updated")
    else {
      throw CommunityImportFailure.tooOld
    }
    try copyPeople(source, target)
    try copyRooms(source, target)
    try copyOverrides(source, target)
    try copyMessages(source, target)
    try copyHistory(source, target)
    try copyReactions(source, target)
    try copyPins(source, target)
    try copyFiles(source, target)
    try copyImages(source, target)
    try copyAliases(source, target)
    try copyVisits(source, target)
    try copyInbox(source, target)
    try copyFutures(source, target)
    try copyNonces(source, target)
    for (old, new) in [("messages", "message"), ("files", "file"), ("inbox", "inbox")] as [(SQL, String)] {
      try moveNumbers(of: old, to: new, source, target)
    }
  }

  // MARK: - What all tables have in common

  /// Takes each row of a table. One for which the closure throws `RowLeftOut`, or whose values make no sense, is left out.
  /// The first column is the row's number, if it has one.
  func take(
    _ table: String, _ rows: SQL, from source: borrowing ReadTransaction,
    _ body: (borrowing Row) throws -> Void
  ) throws {
    var counts = CommunityImportReport.Table(name: table)
    try source.forEachOfMany(rows) { (row) throws(StorageError) in
      counts.old += 1
      do {
        try body(row)
        counts.new += 1
      } catch {
        let number: Int64? = try? row[0]
        report.leftOut.append(
          CommunityImportReport.LeftOut(table: table, number: number, reason: try reason(error)))
      }
    }
    report.tables.append(counts)
  }

  /// Why a row is left out. Throws what is no fault of the row.
  private func reason(_ error: any Error) throws(StorageError) -> String {
    switch error {
    case let error as RowLeftOut: return error.reason
    case let error as StorageError:
      switch error.code {
      case .value: return "a value has another type than it should"
      case .duplicate: return "there is one of its kind already"
      case .constraint, .reference, .tooLarge: return error.message
      default: throw error
      }
    case FileStoreFailure.full: throw StorageError(.full, "the disk is full")
    default: throw StorageError(.cannotOpen, "\(error)")
    }
  }

  /// Milliseconds since 1970 of a time in seconds.
  func time(_ seconds: Double) throws -> Int64 {
    guard seconds.isFinite, 0...1e11 ~= seconds else { throw RowLeftOut("a time makes no sense") }
    return Int64((seconds * 1000).rounded())
  }

  func time(_ seconds: Double?) throws -> Int64? { try seconds.map { try time($0) } }

  /// The new number of the person of an old row.
  func person(_ number: Int64) throws -> Int64 {
    guard let person = people[number] else { throw RowLeftOut("its person \(number) does not exist") }
    return person
  }

  /// The largest number that a file had before; 0 for none, and for other tables. A new file must not get one of them.
  private func lastAlias(of table: SQL, _ source: borrowing ReadTransaction) throws -> Int64 {
    guard table == "files", try !source.columns(of: "file_id_hacks").isEmpty else { return 0 }
    return try source.value("SELECT coalesce(max(old_file_id), 0) FROM file_id_hacks") ?? 0
  }

  /// The next number of a table is greater than any that was given.
  private func moveNumbers(
    of old: SQL, to new: String, _ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction
  ) throws {
    let isThere = try !source.columns(of: old).isEmpty
    let given = isThere ? try source.lastNumber(of: old) : nil
    let largest: Int64 = isThere ? try source.value("SELECT coalesce(max(id), 0) FROM \(old)") ?? 0 : 0
    let next = max(given.map { max($0, largest) } ?? largest + Self.skip, try lastAlias(of: old, source))
    guard 0..<Int64.max / 2 ~= next else {
      throw CommunityImportFailure.damaged("the numbers of \(old.text) make no sense")
    }
    try target.put(
      "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1",
      or: "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", new, next)
  }
}

/// Why a row of an old server is left out.
struct RowLeftOut: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
