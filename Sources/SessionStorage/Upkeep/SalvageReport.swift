/// What came out of a damaged database.
public struct SalvageReport: Hashable, Sendable {
  public struct Table: Hashable, Sendable {
    public let name: String
    /// How many rows came out.
    public var kept = 0
    /// How many did not; nil when nothing is left that knows how many there were.
    public var lost: Int?
    /// At how many places reading went no further.
    public var breaks = 0
    /// How many rows had to be left out, or changed, because they refer to some that were lost.
    public var orphaned = 0

    public init(name: String) { self.name = name }

    public var isWhole: Bool { lost == 0 && breaks == 0 && orphaned == 0 }
  }

  /// All tables of the schema, by name.
  public let tables: [Table]

  public var isWhole: Bool { tables.allSatisfy(\.isWhole) }
  public var kept: Int { tables.reduce(0) { $0 + $1.kept } }
}
