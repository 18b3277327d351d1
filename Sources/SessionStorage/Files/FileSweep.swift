/// What a sweep through the files came to. One file that cannot be removed does not keep the others.
public struct FileSweep: Sendable {
  public struct Failure: Sendable {
    /// Where the file is, from the folder that was swept.
    public let path: String
    public let error: StorageError
  }

  /// How many files went.
  public internal(set) var removed = 0
  public internal(set) var failures: [Failure] = []
  /// What is kept of files that are not there: what they belong to can only be had again from elsewhere.
  public internal(set) var missing: [FileRecord] = []

  /// Does what removes a file, and notes what came of it.
  mutating func remove(_ path: String, _ body: () throws(StorageError) -> Void) -> Bool {
    do throws(StorageError) {
      try body()
      removed += 1
      return true
    } catch {
      failures.append(Failure(path: path, error: error))
      return false
    }
  }
}
