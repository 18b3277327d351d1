/// The result of salvaging a database.
public struct SalvageReport: Hashable, Sendable {
  public struct Table: Hashable, Sendable {
    public let name: String
    /// The number of recovered rows.
    public var kept = 0
    /// The number of lost rows; nil if unknown.
    public var lost: Int?
    /// At how many places reading went no further.
    public var breaks = 0
    /// The number of rows that were left out or changed because they referred to lost rows.
    public var orphaned = 0

    public init(name: String) { self.name = name }

    public var isWhole: Bool { lost == 0 && breaks == 0 && orphaned == 0 }
  }

  /// All tables of the schema, by name.
  public let tables: [Table]

  public var isWhole: Bool { tables.allSatisfy(\.isWhole) }
  public var kept: Int { tables.reduce(0) { $0 + $1.kept } }
}
