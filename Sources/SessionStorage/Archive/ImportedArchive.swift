import FoundationEssentials
import SessionBase
import SessionCore

/// What an import noted in the database of its account: the archive, and the report of its rows and files.
///
/// From the last row on it takes the place of the position of the import, so that an import that was interrupted behind it
/// continues with the report of what was read. It stays in the database.
struct ImportedArchive: Codable {
  private struct Problem: Codable {
    let kind: String
    let item: String
    let detail: String
  }

  private struct Table: Codable {
    let name: String
    let rows: Int
  }

  let archive: String
  private let tables: [Table]
  private let files: Int
  private let fileBytes: Int64
  private let problems: [Problem]
  private let problemCount: Int
  /// True once the account has all that an account has.
  var isComplete = false

  static let setting = Setting<[UInt8]>("importedArchive")

  init(_ archive: [UInt8], _ report: ArchiveReport) {
    self.archive = archive.hex
    tables = report.rows.map { Table(name: $0.table, rows: $0.count) }
    files = report.files
    fileBytes = report.fileBytes
    problems = report.problems.map { Problem(kind: $0.kind, item: $0.item, detail: $0.detail) }
    problemCount = report.problemCount
  }

  var report: ArchiveReport {
    ArchiveReport(
      rows: tables.map { ($0.name, $0.rows) }, files: files, fileBytes: fileBytes,
      problems: problems.map { ArchiveProblem(kind: $0.kind, item: $0.item, detail: $0.detail) },
      problemCount: problemCount)
  }
}

extension Reading where Self: ~Copyable {
  /// What the import of an archive noted at its end; nil for another archive, or none.
  func importedArchive(_ id: [UInt8]) throws(StorageError) -> ImportedArchive? {
    guard let content = try value(of: ImportedArchive.setting),
      let noted = try? JSONDecoder().decode(ImportedArchive.self, from: Data(content)),
      noted.archive == id.hex
    else { return nil }
    return noted
  }
}

extension WriteTransaction {
  func set(_ archive: ImportedArchive) throws(StorageError) {
    guard let content = try? JSONEncoder().encode(archive) else {
      throw StorageError(.value, "the report of an import has no JSON")
    }
    try set(ImportedArchive.setting, to: Array(content))
  }
}
