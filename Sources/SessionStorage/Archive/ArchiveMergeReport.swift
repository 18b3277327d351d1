/// What became of the rows of an archive that was merged into an account.
public struct ArchiveMergeReport: Sendable {
  /// The rows of a table.
  public struct Tally: Hashable, Sendable {
    public internal(set) var added = 0
    /// The number of rows that were here already.
    public internal(set) var here = 0
    /// The number of rows that were deleted here, and stay so.
    public internal(set) var skipped = 0
  }

  /// The tables that have any, in the order in which they were merged.
  public private(set) var tables: [(name: String, tally: Tally)] = []

  /// The number of rows that were added.
  public var added: Int { tables.reduce(0) { $0 + $1.tally.added } }

  mutating func add(_ tally: Tally, to table: String) {
    guard let index = tables.firstIndex(where: { $0.name == table }) else {
      if tally != Tally() { tables.append((table, tally)) }
      return
    }
    tables[index].tally.added += tally.added
    tables[index].tally.here += tally.here
    tables[index].tally.skipped += tally.skipped
  }
}
