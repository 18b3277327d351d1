import Glibc
import SessionBase
import Synchronization

/// The state of a database at one moment, as a file of its own, encrypted with the same key, which goes with the last
/// reference, or after its use. Other connections and processes write to the database while the snapshot is made.
// Sendable without the compiler's check: the connections are touched on the queue alone.
public final class DatabaseSnapshot: @unchecked Sendable {
  /// Pages that are copied at a time.
  private static let stepPages: Int32 = 256

  private let queue: WorkerQueue
  private let copy: Statements
  private let path: String
  private let isRemoved = Atomic<Bool>(false)
  /// Bytes of the file.
  public let size: Int

  private init(_ copy: Statements, at path: String, size: Int, on queue: WorkerQueue) {
    (self.copy, self.path, self.size, self.queue) = (copy, path, size, queue)
  }

  deinit { remove() }

  /// Runs a closure, and then removes the file, however it ends: the snapshot is of no use any more.
  public func use<R: Sendable>(_ body: (DatabaseSnapshot) async throws -> R) async throws -> R {
    let result: Result<R, any Error>
    do { result = .success(try await body(self)) } catch { result = .failure(error) }
    await queue.run { [self] in remove() }
    return try result.get()
  }

  private func remove() {
    guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
    copy.close()
    DatabaseFile(path: path).remove()
  }

  /// Takes a snapshot of the database at a path, which is there. `target` is the path of its file; one that is there is
  /// what an interrupted process has left.
  public static func take(
    of path: String, key: DatabaseKey, at target: String
  ) async throws -> DatabaseSnapshot {
    let queue = WorkerQueue("session.storage.snapshot")
    let taking = try await queue.run { () throws(StorageError) in
      try begin(of: path, key: key, at: target)
    }
    do {
      while try await queue.run({ try taking.pages.copy(stepPages) }) { try Task.checkCancellation() }
      return try await queue.run {
        taking.source.close()
        return DatabaseSnapshot(
          Statements(taking.target), at: target, size: try size(of: taking.target), on: queue)
      }
    } catch {
      await queue.run { _ = unlink(target) }
      throw error
    }
  }

  /// A snapshot that is being taken.
  // Sendable without the compiler's check: it is touched on the queue alone.
  private struct Taking: @unchecked Sendable {
    let source: Statements
    let target: SQLCipherConnection
    let pages: SQLCipherPages
    let use: DatabaseUse
  }

  private static func begin(
    of path: String, key: DatabaseKey, at target: String
  ) throws(StorageError) -> Taking {
    let file = DatabaseFile(path: path)
    let use = try DatabaseUse(.part, of: file)
    try file.prepare(mayCreate: false)
    let connection = try SQLCipherConnection.open(path, key: key, for: .reading, busyTimeout: .seconds(5))
    let source = Statements(connection)
    // One transaction sees one state, whatever is written meanwhile.
    try source.begin(TransactionStatements.begin)
    try source.run("SELECT 1 FROM sqlite_master LIMIT 1")
    DatabaseFile(path: target).remove()
    try DatabaseFile(path: target).prepare(mayCreate: true)
    let copy = try SQLCipherConnection.open(target, key: key, for: .copying, busyTimeout: .zero)
    return Taking(
      source: source, target: copy, pages: try SQLCipherPages(from: connection, to: copy), use: use)
  }

  private static func size(of target: SQLCipherConnection) throws(StorageError) -> Int {
    let transaction = ReadTransaction(statements: Statements(target))
    let pages: Int = try transaction.value("PRAGMA page_count") ?? 0
    return pages * DatabaseFile.pageSize
  }

  /// Reads the rows of the snapshot.
  public func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await queue.run { [self] in try body(ReadTransaction(statements: copy)) }
  }

  /// The bytes of its file from an offset on, encrypted.
  public func bytes(at offset: Int, count: Int) async throws -> [UInt8] {
    precondition(offset >= 0 && count >= 0 && offset + count <= size, "a piece beyond the end of a snapshot")
    return try await queue.run { [self] in
      var bytes = [UInt8](repeating: 0, count: count)
      try bytes.withUnsafeMutableBytes { try copy.connection.readFile(at: offset, into: $0) }
      return bytes
    }
  }
}
