/// What a schema knows of its rows that the engine cannot know.
public struct SchemaUpkeep: Sendable {
  public typealias Check = @Sendable (borrowing WriteTransaction) throws(StorageError) -> [String]
  public typealias Repair = @Sendable (borrowing WriteTransaction) throws(StorageError) -> Void

  /// What is wrong with the rows, a sentence for each.
  let problems: Check
  /// Makes rows that others refer to and that were lost, so far as those others tell what they were.
  let replaceLost: Repair
  /// Makes again what follows from other rows: counts, searches.
  let derive: Repair

  public init(problems: @escaping Check, replaceLost: @escaping Repair, derive: @escaping Repair) {
    self.problems = problems
    self.replaceLost = replaceLost
    self.derive = derive
  }

  /// For tables that say all of it themselves.
  public static let none = SchemaUpkeep(
    problems: { (_) throws(StorageError) in [] }, replaceLost: { (_) throws(StorageError) in },
    derive: { (_) throws(StorageError) in })
}
