/// The result of a sweep. A file that cannot be removed does not stop it.
public struct FileSweep: Sendable {
  public struct Failure: Sendable {
    /// The path of the file, relative to the swept folder.
    public let path: String
    public let error: StorageError
  }

  /// How many files went.
  public internal(set) var removed = 0
  public internal(set) var failures: [Failure] = []
  /// The rows whose files are missing; their content can only be fetched again.
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
