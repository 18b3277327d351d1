import Glibc
import SessionBase

/// A database of a PostgreSQL server, which several processes share.
///
/// Its statements are those of SQLite, as far as `PostgreSQLText` translates them. Writing transactions run beside each
/// other, and take the locks that they need themselves. One that was in another's way, or whose connection was lost, runs
/// again, so its closure must not count on running once.
///
/// The schema has a table `meta (name, value)`, in which the version and the owner stand.
package final class PostgreSQLDatabase: Sendable {
  /// The number of connections that read, and of those that write.
  private static let readers = 4
  private static let writers = 6
  /// The pauses before a transaction runs again, in milliseconds.
  private static let pauses: [UInt32] = [5, 20, 50, 100, 200, 400, 800, 1600, 2000, 2000]

  package let address: PostgreSQLAddress
  private let reading: ReaderPool
  private let writing: ReaderPool
  /// Reports the changes that transactions of this process have noted, and those that a listener hears of.
  package let observations = ObservationCenter()

  /// Opens a database, and brings it to the newest schema. `owner` names the server whose data it holds: `foreign` for
  /// another one's, `newerSchema` for that of a later version. Statements that read fail with `busy` when they take
  /// longer than `readLimit`; nil for the usual limit of a minute. Those that write have the usual limit, waiting
  /// for locks included.
  package init(
    _ address: PostgreSQLAddress, schema: Schema, owner: String, readLimit: Duration? = nil
  ) throws(StorageError) {
    let readLimit = readLimit ?? PostgreSQLConnection.usualLimit
    self.address = address
    let numbered = try Self.prepare(address, schema, owner: owner)
    reading = ReaderPool(limit: Self.readers) {
      Statements(PostgreSQLConnection(address, numbered: numbered, limit: readLimit))
    }
    writing = ReaderPool(limit: Self.writers) {
      Statements(PostgreSQLConnection(address, numbered: numbered))
    }
  }

  package func close() {
    reading.close()
    writing.close()
    observations.finish()
  }

  // MARK: - Reading

  private static let beginReading: SQL = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

  /// Reads one state of the rows.
  package func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    try reading.perform { try Self.read($0, body) }
  }

  package func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await reading.perform { try Self.read($0, body) }
  }

  private static func read<R>(
    _ statements: Statements, _ body: (borrowing ReadTransaction) throws -> R
  ) throws -> R {
    try repeating(statements) { connection in
      try statements.begin(beginReading)
      let result = try body(ReadTransaction(statements: statements))
      if let setback = connection.setback { throw setback }
      try statements.end(TransactionStatements.commit)
      return result
    }
  }

  // MARK: - Writing

  /// Writes in one transaction, which sees what others have committed up to each of its statements.
  @discardableResult
  package func write<R: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await writing.perform { [self] in try write($0, body) }
  }

  /// The same on the calling thread.
  @discardableResult
  package func write<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    try writing.perform { try write($0, body) }
  }

  /// A transaction whose commit was sent, and not answered.
  private struct Unanswered<R> {
    let mark: CommitMark
    let result: R
    let log: TransactionLog
  }

  private func write<R>(
    _ statements: Statements, _ body: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    var unanswered: Unanswered<R>?
    do {
      return try Self.repeating(statements) { connection in
        if let last = unanswered {
          let hasCommitted = try connection.settle(last.mark)
          unanswered = nil
          guard !hasCommitted else {
            committed(last.log)
            return last.result
          }
          Self.undo(last.log)
        }
        let log = TransactionLog()
        do {
          try statements.begin(TransactionStatements.begin)
          let result = try body(WriteTransaction(statements: statements, log: log))
          if let setback = connection.setback { throw setback }
          guard !log.isAbandoned else {
            statements.abort()
            Self.undo(log)
            return result
          }
          for change in log.content.changes.announcements {
            try statements.run("SELECT pg_notify(?1, ?2)", ChangeSet.channel, change)
          }
          // A lost answer to a commit that changed nothing is no loss.
          let mark = connection.hasWritten ? try CommitMark() : nil
          do {
            try statements.end { () throws(StorageError) in try connection.commit(mark: mark) }
          } catch {
            if connection.isLost, let mark { unanswered = Unanswered(mark: mark, result: result, log: log) }
            throw error
          }
          committed(log)
          return result
        } catch {
          if unanswered == nil { Self.undo(log) }
          throw error
        }
      }
    } catch {
      guard let last = unanswered else { throw error }
      Self.undo(last.log)
      throw StorageError(
        .interrupted, "the connection was lost in a commit, so it is unknown whether it took effect: \(error)"
      )
    }
  }

  private func committed(_ log: TransactionLog) {
    for body in log.content.onCommit { body() }
    observations.deliver(log.content.changes)
  }

  private static func undo(_ log: TransactionLog) {
    for body in log.content.onRollback.reversed() { body() }
  }

  /// Removes the marks of old commits, for all processes.
  package func removeMarks() async throws { try await write { try $0.run(CommitMark.removal) } }

  // MARK: - Repeating

  /// Runs a transaction until it has no setback, or there were too many.
  private static func repeating<R>(
    _ statements: Statements, _ body: (PostgreSQLConnection) throws -> R
  ) throws -> R {
    guard let connection = statements.connection as? PostgreSQLConnection else { throw StorageError.closed }
    var count = 0
    while true {
      do {
        try connection.open()
        return try body(connection)
      } catch {
        let setback = connection.setback
        statements.abort()
        // A row that is there still when it runs again was not added at the same time.
        let limit = setback?.code == .duplicate ? 2 : pauses.count
        guard setback != nil, count < limit else { throw error }
        usleep(pauses[count] * 1000)
        count += 1
      }
    }
  }
}
