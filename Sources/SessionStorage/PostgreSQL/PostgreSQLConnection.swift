internal import CPostgreSQL
import Glibc

/// A connection to a PostgreSQL server, which is opened again after it was lost. Its calls block.
// Sendable without the compiler's check: it is handed from thread to thread, and its holder uses it on one at a
// time.
final class PostgreSQLConnection: SQLConnection, @unchecked Sendable {
  private static let connectTimeout: Int32 = 10_000
  /// How long the server works on a statement, and waits for a lock, by default.
  static let usualLimit: Duration = .seconds(60)
  /// What the connection adds to that: so long may the network take.
  private static let grace: Int32 = 10_000

  let address: PostgreSQLAddress
  let dialect = SQLDialect.postgreSQL
  /// The tables whose rows have a number, in lower case.
  let numbered: Set<String>
  private var handle: OpaquePointer?
  /// Counts the connections: prepared statements belong to one.
  private(set) var generation = 0
  /// The failure for which the transaction is to be run again: the connection was lost, or another transaction was in
  /// the way.
  private(set) var setback: StorageError?
  /// True if the transaction has changed rows.
  private(set) var hasWritten = false
  private(set) var lastInsertedRow: Int64 = 0
  private(set) var changedRows = 0
  /// How long a statement may take.
  private var timeout: Int32
  private let limit: Int32
  /// True if the transaction has lifted the limit.
  private var isLifted = false
  private var preparedCount = 0

  /// `limit` is the time limit of a statement, waiting for locks included.
  init(_ address: PostgreSQLAddress, numbered: Set<String> = [], limit: Duration = usualLimit) {
    (self.address, self.numbered) = (address, numbered)
    // For the server, 0 would be no limit.
    self.limit = max(limit.wholeMilliseconds, 1)
    timeout = Self.timeout(for: self.limit)
  }

  private static func timeout(for limit: Int32) -> Int32 {
    let (timeout, isOver) = limit.addingReportingOverflow(grace)
    return isOver ? .max : timeout
  }

  deinit { close() }

  // MARK: - The connection itself

  /// Connects if there is no connection, and begins anew. To be called before each transaction.
  func open() throws(StorageError) {
    (setback, hasWritten) = (nil, false)
    if isLifted { (isLifted, timeout) = (false, Self.timeout(for: limit)) }
    if let handle {
      if PQstatus(handle) == CONNECTION_OK, PQtransactionStatus(handle) == PQTRANS_IDLE { return }
      close()
    }
    let made = connected()
    guard let made, PQstatus(made) == CONNECTION_OK else {
      defer { if let made { PQfinish(made) } }
      let error = StorageError(connecting: made, to: address)
      if error.code == .unreachable { setback = error }
      throw error
    }
    handle = made
    generation += 1
    do {
      try check(made)
      // The server ends what a machine began that is gone: its locks would hold up all others.
      try run(
        """
        SET statement_timeout = \(limit); SET client_min_messages = error; \
        SET idle_in_transaction_session_timeout = 60000; SET tcp_keepalives_idle = 10; \
        SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3
        """)
    } catch {
      close()
      throw error
    }
  }

  private func connected() -> OpaquePointer? {
    let settings = [
      ("connect_timeout", "10"), ("dbname", address.text), ("client_encoding", "UTF8"),
      ("fallback_application_name", "session"), ("tcp_user_timeout", "30000"),
    ]
    let keywords = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for text in keywords + values { free(text) } }
    return postgresql_connect(
      keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil],
      Self.connectTimeout)
  }

  private func check(_ made: OpaquePointer) throws(StorageError) {
    let version = PQserverVersion(made)
    guard version >= 130_000 else {
      throw StorageError(
        .denied,
        "PostgreSQL \(version / 10_000) is too old; the database needs a server of version 13 or later")
    }
    guard let encoding = PQparameterStatus(made, "server_encoding"), String(cString: encoding) == "UTF8"
    else {
      throw StorageError(
        .denied, "the database is not in UTF-8; run: createdb --template template0 --encoding UTF8 NAME")
    }
  }

  /// True if there was a connection, and it is gone.
  var isLost: Bool { handle.map { PQstatus($0) != CONNECTION_OK } ?? true }

  var isInTransaction: Bool {
    guard let handle else { return false }
    return switch PQtransactionStatus(handle) {
    case PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_ACTIVE: true
    default: false
    }
  }

  func close() {
    if let handle { PQfinish(handle) }
    handle = nil
  }

  /// Lets statements take as long as they need.
  func takeTime() throws(StorageError) {
    timeout = .max
    try run("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
  }

  /// Gives the statements of the transaction the usual time, if they have less.
  func liftLimit() throws(StorageError) {
    let usual = Self.usualLimit.wholeMilliseconds
    guard limit < usual else { return }
    (isLifted, timeout) = (true, Self.timeout(for: usual))
    try run("SET LOCAL statement_timeout = \(usual)")
  }

  // MARK: - Statements

  func prepare(_ text: String) throws(StorageError) -> any SQLStatement {
    preparedCount += 1
    return PostgreSQLStatement(
      PostgreSQLText(text, numbered: numbered), name: "s\(preparedCount)", of: self)
  }

  func run(_ script: String) throws(StorageError) {
    let text = PostgreSQLText(script).text
    let result = try result { PQsendQuery($0, text) }
    defer { PQclear(result) }
    note(changed: PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0, inserted: nil)
  }

  /// Commits, after it has left a mark, if one is given.
  func commit(mark: CommitMark?) throws(StorageError) {
    try run(mark.map { $0.insertion + "; COMMIT" } ?? "COMMIT")
  }

  /// Sends something, and returns the result that comes. The caller clears it.
  func result(_ send: (OpaquePointer) -> Int32) throws(StorageError) -> OpaquePointer {
    guard let handle else { throw lost() }
    guard send(handle) == 1, let result = postgresql_await(handle, timeout) else { throw lost() }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return result
    default:
      defer { PQclear(result) }
      let state = SQLState(rawValue: Self.field("C", of: result))
      let error = StorageError(state, said: Self.field("M", of: result))
      if state.isSetback { setback = error }
      throw error
    }
  }

  private static func field(_ name: Unicode.Scalar, of result: OpaquePointer) -> String {
    PQresultErrorField(result, Int32(name.value)).map { String(cString: $0) } ?? ""
  }

  // MARK: - Announcements

  /// Waits until others have announced something, another descriptor is ready to be read, or the time is over, in
  /// milliseconds. Returns what was announced.
  func announcements(orUntil other: Int32, within time: Int32) throws(StorageError) -> [String] {
    guard let handle else { throw lost() }
    // The answer to a statement may have brought some, of which the socket says nothing any more.
    let known = Self.takeAnnouncements(from: handle)
    guard known.isEmpty else { return known }
    var descriptors = [PQsocket(handle), other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if poll(&descriptors, 2, time) > 0, descriptors[0].revents != 0, PQconsumeInput(handle) != 1 {
      throw lost()
    }
    return Self.takeAnnouncements(from: handle)
  }

  private static func takeAnnouncements(from handle: OpaquePointer) -> [String] {
    var texts: [String] = []
    while let notice = PQnotifies(handle) {
      defer { PQfreemem(notice) }
      texts.append(String(cString: notice.pointee.extra))
    }
    return texts
  }

  /// Has statements fail that take longer, in milliseconds.
  func setTimeout(_ time: Int32) { timeout = time }

  /// Notes what a statement has done.
  func note(changed: Int, inserted: Int64?) {
    changedRows = changed
    if changed > 0 { hasWritten = true }
    if let inserted { lastInsertedRow = inserted }
  }

  private func lost() -> StorageError {
    let error =
      handle.map { StorageError(connecting: $0, to: address) }
      ?? StorageError(.unreachable, "the connection to \(address) is closed")
    close()
    setback = error
    return error
  }

  // MARK: - What only files have

  var damage: StorageError? { nil }
  func setDurable(_ isDurable: Bool) throws(StorageError) {}
  func dataVersion() throws(StorageError) -> Int64 { 0 }
  func checkpoint() throws(StorageError) -> Bool { true }
  func compact() throws(StorageError) {}
  func readFile(at offset: Int, into out: UnsafeMutableRawBufferPointer) throws(StorageError) {
    throw StorageError(.cannotOpen, "\(address) is no file")
  }
  func releaseMemory() {}
}
