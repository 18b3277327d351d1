public import SessionCore

/// What an archive contains, and what did not travel as a whole.
public struct ArchiveReport: Sendable {
  /// The most problems that are kept; further ones are counted.
  public static let maxProblems = 1000

  /// The number of rows of each table that has any, in their order.
  public private(set) var rows: [(table: String, count: Int)] = []
  /// The number of whole files, and their bytes.
  public internal(set) var files = 0
  public internal(set) var fileBytes: Int64 = 0
  public private(set) var problems: [ArchiveProblem] = []
  public private(set) var problemCount = 0

  public var isWhole: Bool { problemCount == 0 }

  init() {}

  init(
    rows: [(table: String, count: Int)], files: Int, fileBytes: Int64, problems: [ArchiveProblem],
    problemCount: Int
  ) {
    self.rows = rows
    self.files = files
    self.fileBytes = fileBytes
    self.problems = problems
    self.problemCount = problemCount
  }

  mutating func begin(_ table: String) {
    if rows.last?.table != table { rows.append((table, 0)) }
  }

  mutating func countRow() { rows[rows.count - 1].count += 1 }

  mutating func note(_ problem: ArchiveProblem) {
    problemCount += 1
    if problems.count < Self.maxProblems { problems.append(problem) }
  }

  /// Counts problems of which no more is known.
  mutating func count(problems count: Int) { problemCount += count }
}
