internal import CLinux
import Glibc
import SessionBase
import Synchronization

/// Hears on a connection of its own which rows other processes have changed, and reports it to the observers of a database.
///
/// While the connection is lost it hears nothing, and says so. Once it stands again, anything may have changed.
package final class PostgreSQLListener: Sendable {
  /// Milliseconds without an announcement after which the connection is tried, and that an answer may take: a network that
  /// has failed may not tell.
  fileprivate static let interval: Int32 = 1000
  fileprivate static let patience: Int32 = 2000
  /// The pauses before the next connection, in milliseconds.
  fileprivate static let pauses: [Int32] = [50, 100, 200, 500, 1000]

  fileprivate struct State {
    var isHearing = false
    var isClosed = false
  }

  /// What the thread needs, which may live a little longer than the listener.
  fileprivate final class Ear: Sendable {
    let database: PostgreSQLDatabase
    let state = Mutex(State())
    let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    init(_ database: PostgreSQLDatabase) { self.database = database }

    deinit { Glibc.close(wake) }
  }

  private let ear: Ear

  /// Listens until it is closed.
  package init(to database: PostgreSQLDatabase) {
    ear = Ear(database)
    // Without a thread it hears nothing, and what it would report is read from the database.
    _ = OwnThread.start { [ear] in ear.listen() }
  }

  deinit { close() }

  /// False while others may change rows unheard.
  package var isHearing: Bool { ear.state.withLock { $0.isHearing } }

  package func close() {
    ear.state.withLock { $0 = State(isHearing: false, isClosed: true) }
    var one: UInt64 = 1
    write(ear.wake, &one, MemoryLayout.size(ofValue: one))
  }
}

extension PostgreSQLListener.Ear {
  fileprivate func listen() {
    let connection = PostgreSQLConnection(database.address)
    var failures = 0
    while !isClosed {
      do throws(StorageError) {
        try begin(on: connection)
        failures = 0
        while !isClosed { try hear(on: connection) }
      } catch {
        state.withLock { $0.isHearing = false }
        // What observers remember may be out of date from now on.
        database.observations.deliver(.external)
        connection.close()
        var wake = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
        poll(&wake, 1, PostgreSQLListener.pauses[min(failures, PostgreSQLListener.pauses.count - 1)])
        failures += 1
      }
    }
    connection.close()
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  private func begin(on connection: PostgreSQLConnection) throws(StorageError) {
    try connection.open()
    connection.setTimeout(PostgreSQLListener.patience)
    try connection.run("LISTEN \(ChangeSet.channel)")
    // What has changed before was not heard.
    database.observations.deliver(.external)
    state.withLock { if !$0.isClosed { $0.isHearing = true } }
  }

  private func hear(on connection: PostgreSQLConnection) throws(StorageError) {
    let texts = try connection.announcements(orUntil: wake, within: PostgreSQLListener.interval)
    if !texts.isEmpty {
      database.observations.deliver(ChangeSet(announcements: texts))
    } else if !isClosed {
      try connection.run("SELECT 1")
    }
  }
}
