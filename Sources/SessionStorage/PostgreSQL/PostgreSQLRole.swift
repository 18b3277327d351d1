import SessionBase
import Synchronization

/// A role that a process with a database has for as long as it has its connection: one process alone, or several that
/// share it.
package final class PostgreSQLRole: Sendable {
  private let statements: Statements
  private let number: Int64
  private let lock: SQL
  /// The connection on which the role was taken, by its number; 0 for none.
  private let taken = Mutex(0)

  /// `number` names the role to all processes. One that is not shared is refused while others share it, and the other way
  /// round.
  package init(_ number: Int64, isShared: Bool = false, at address: PostgreSQLAddress) {
    self.number = number
    lock = isShared ? "SELECT pg_try_advisory_lock_shared(?1)" : "SELECT pg_try_advisory_lock(?1)"
    statements = Statements(PostgreSQLConnection(address))
  }

  /// True if this process has the role now. It takes the role if it is free; false if the database cannot be reached.
  package func isHeld() async -> Bool {
    await statements.queue.run { (try? self.take()) ?? false }
  }

  /// The same on the calling thread.
  package func isHeldBlocking() -> Bool { statements.queue.runBlocking { (try? take()) ?? false } }

  private func take() throws(StorageError) -> Bool {
    guard let connection = statements.connection as? PostgreSQLConnection else { return false }
    try connection.open()
    let isAlive: Int64? = try value("SELECT 1")
    guard isAlive == 1 else { return false }
    if taken.withLock({ $0 == connection.generation }) { return true }
    let isTaken: Bool? = try value(lock, number)
    guard isTaken == true else { return false }
    taken.withLock { $0 = connection.generation }
    return true
  }

  private func value<V: DatabaseValue, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> V? {
    var result: V?
    try statements.forEach(sql, repeat each values) { (row) throws(StorageError) in
      result = try row[0]
      return false
    }
    return result
  }

  /// Gives the role back.
  package func close() {
    statements.queue.runBlocking {
      // The server notices some time later that a connection has ended.
      try? statements.connection.run("SELECT pg_advisory_unlock_all()")
      statements.close()
    }
  }
}
