import CSQLCipher
import Glibc
import SessionBase
import SessionCore

/// A connection of SQLCipher.
// Sendable without the compiler's check: it is handed from thread to thread, and its holder uses it on one at a
// time.
final class SQLCipherConnection: SQLConnection, @unchecked Sendable {
  let dialect = SQLDialect.sqlite
  private(set) var database: OpaquePointer?
  /// The name of the file, for messages.
  private let name: String
  private var isDurable: Bool?
  /// Reads the first page, which a transaction holds in any case.
  private var probe: OpaquePointer?
  /// True if the file was opened with the key.
  private var isOpened = false
  /// A shim in front of a possibly truncated file, as long as a statement may read it.
  private var cutOffFile: UnsafeMutablePointer<sqlcipher_cut_off_file>?
  /// The time limit of a transaction, as long as a statement may run.
  private var timeLimit: UnsafeMutablePointer<sqlcipher_time_limit>?

  private init(_ database: OpaquePointer, name: String) {
    self.database = database
    self.name = name
  }

  deinit {
    close()
    cutOffFile?.deallocate()
    timeLimit?.deallocate()
  }

  /// Has statements fail with `interrupted` when their transaction takes longer.
  func limitTime(to limit: Duration) {
    guard timeLimit == nil else { return }
    let memory = UnsafeMutablePointer<sqlcipher_time_limit>.allocate(capacity: 1)
    memory.initialize(to: sqlcipher_time_limit(limit_ns: limit.nanoseconds, began_ns: 0))
    timeLimit = memory
    sqlcipher_limit_time(database, memory)
  }

  /// To be called before each step. One outside of a transaction, or that begins one, has all of the time.
  func noteStep() {
    guard let timeLimit, !isInTransaction else { return }
    timeLimit.pointee.began_ns = 0
  }

  func liftLimit() throws(StorageError) { timeLimit?.pointee.began_ns = .max }

  func prepare(_ text: String) throws(StorageError) -> any SQLStatement {
    guard let database else { throw StorageError(.closed, "the database is closed") }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
    guard let statement else { throw StorageError(.statement, "a statement is empty") }
    return SQLCipherStatement(statement, of: self)
  }

  func run(_ script: String) throws(StorageError) {
    guard let database else { throw StorageError(.closed, "the database is closed") }
    try check(sqlite3_exec(database, script, nil, nil, nil))
  }

  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(database) }
  var changedRows: Int { Int(sqlite3_changes(database)) }
  var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  func setDurable(_ isDurable: Bool) throws(StorageError) {
    guard isDurable != self.isDurable else { return }
    try run(isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    self.isDurable = isDurable
  }

  func dataVersion() throws(StorageError) -> Int64 { try number("PRAGMA data_version") }

  func checkpoint() throws(StorageError) -> Bool {
    let status = sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard status & 0xff != SQLITE_BUSY else { return false }
    try check(status)
    return true
  }

  var damage: StorageError? {
    if probe == nil { sqlite3_prepare_v2(database, "SELECT 1 FROM sqlite_master LIMIT 1", -1, &probe, nil) }
    defer { sqlite3_reset(probe) }
    // The engine remembers a page that was not what it should be, until the transaction ends, as an error of no kind.
    switch sqlite3_step(probe) & 0xff {
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB:
      return StorageError(
        .corrupt, "\(name) is damaged: the checksum of a page is wrong", engineCode: SQLITE_ERROR)
    default: return nil
    }
  }

  func compact() throws(StorageError) {
    // The copy may be larger than what memory there is.
    try run("PRAGMA temp_store = FILE")
    defer { try? run("PRAGMA temp_store = MEMORY") }
    try run("VACUUM")
  }

  func readFile(at offset: Int, into out: UnsafeMutableRawBufferPointer) throws(StorageError) {
    let status = sqlcipher_read_file(database, out.baseAddress, Int32(out.count), Int64(offset))
    guard status == SQLITE_OK else { throw failure(status) }
  }

  func releaseMemory() { sqlite3_db_release_memory(database) }

  func close() {
    sqlite3_finalize(probe)
    probe = nil
    // Statements that are still referred to keep it open until they go.
    sqlite3_close_v2(database)
    database = nil
  }

  /// The number a statement gives in its first row.
  private func number(_ text: String) throws(StorageError) -> Int64 {
    let statement = try prepare(text)
    guard try statement.step() else { throw StorageError(.statement, "a statement gave no row") }
    return statement.int64(0)
  }

  private func check(_ status: Int32) throws(StorageError) {
    guard status == SQLITE_OK else { throw failure(status) }
  }

  /// Why the last call failed.
  func failure() -> StorageError { failure(sqlite3_extended_errcode(database)) }

  private func failure(_ status: Int32) -> StorageError {
    let said = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(status))
    return StorageError(
      engine: status, system: sqlite3_system_errno(database), said: said, name: name, wasOpened: isOpened)
  }
}

// MARK: - Opening

extension SQLCipherConnection {
  /// The purpose of a connection.
  enum Use {
    /// Writing, and making the file if there is none.
    case writing
    case reading
    /// Reading a file that may be damaged, which is not written to.
    case rescuing
    /// Filling a file with the pages of another one; it is useless if that is interrupted.
    case copying
  }

  /// Opens a file with its key.
  static func open(
    _ path: String, key: DatabaseKey, for use: Use, busyTimeout: Duration
  ) throws(StorageError) -> SQLCipherConnection {
    let flags =
      switch use {
      case .writing, .copying: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      // A reader writes to the index of the log, which all connections share.
      case .reading: SQLITE_OPEN_READWRITE
      case .rescuing: SQLITE_OPEN_READONLY
      }
    let connection = try open(path, flags, name: path)
    try connection.check(sqlite3_busy_timeout(connection.database, busyTimeout.wholeMilliseconds))
    if use == .rescuing { try connection.expectCutOffFile() }
    try connection.unlock(with: key, toRescue: use == .rescuing)
    try connection.settle(use)
    return connection
  }

  /// A database that lives as long as the connection.
  static func openInMemory() throws(StorageError) -> SQLCipherConnection {
    let connection = try open(
      ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, name: "the database in memory")
    connection.isOpened = true
    try connection.run("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY")
    return connection
  }

  /// Opens a file that is not encrypted and that another program made, whose schema this version of the engine may not
  /// know. It is only read, but what its log has is moved into it.
  static func openForeign(_ path: String) throws(StorageError) -> SQLCipherConnection {
    let connection = try open(path, SQLITE_OPEN_READWRITE, name: path)
    connection.isOpened = true
    try connection.expectCutOffFile()
    // Views and triggers in newer SQL are not looked at.
    try connection.run("PRAGMA writable_schema = ON")
    try connection.run("PRAGMA temp_store = MEMORY; PRAGMA query_only = ON")
    _ = try connection.number("SELECT count(*) FROM sqlite_master")
    return connection
  }

  /// Opens an empty file that stays without encryption, to fill it; it is useless if that is interrupted.
  static func openPlain(_ path: String) throws(StorageError) -> SQLCipherConnection {
    let connection = try open(path, SQLITE_OPEN_READWRITE, name: path)
    connection.isOpened = true
    try connection.run(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON
      """)
    return connection
  }

  private static func open(
    _ path: String, _ flags: Int32, name: String
  ) throws(StorageError) -> SQLCipherConnection {
    var database: OpaquePointer?
    // One thread at a time uses it, so it needs no lock of its own.
    let status = sqlite3_open_v2(
      path, &database, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, nil)
    guard let database else { throw StorageError(.noMemory, "there is not enough memory to open \(name)") }
    let connection = SQLCipherConnection(database, name: name)
    // A handle that could not be opened must not be given a key: that crashes.
    guard status == SQLITE_OK else {
      throw connection.failure(sqlite3_extended_errcode(database))
    }
    sqlite3_extended_result_codes(database, 1)
    return connection
  }

  /// Treats pages beyond the end of the file as damaged, not empty.
  private func expectCutOffFile() throws(StorageError) {
    let file = UnsafeMutablePointer<sqlcipher_cut_off_file>.allocate(capacity: 1)
    file.initialize(to: sqlcipher_cut_off_file())
    cutOffFile = file
    try check(sqlcipher_read_cut_off(database, file))
  }

  /// The page size cannot be read without the key, so it is set before the first access.
  private func unlock(with key: DatabaseKey, toRescue: Bool) throws(StorageError) {
    // Not only of this file: the copy that compacting makes on the way has the size that is usual in the process, and
    // with another one the engine would mix its pages up as soon as they do not fit into memory.
    try run("PRAGMA cipher_default_page_size = 4096")
    let status = key.withEngineForm { form in
      sqlite3_key(database, form.baseAddress, Int32(form.count))
    }
    guard status == SQLITE_OK else {
      throw StorageError(.wrongKey, "SQLCipher rejects the key of \(name)")
    }
    try run("PRAGMA cipher_page_size = 4096")
    // Of tables that are described in a damaged page, the others can be used nevertheless.
    if toRescue { try run("PRAGMA writable_schema = ON") }
    // The key is tried by the first access only.
    _ = try number(toRescue ? "PRAGMA user_version" : "SELECT count(*) FROM sqlite_master")
    isOpened = true
  }

  private func settle(_ use: Use) throws(StorageError) {
    try run("PRAGMA temp_store = MEMORY")
    switch use {
    case .writing:
      let mode = try prepare("PRAGMA journal_mode = WAL")
      guard try mode.step(), mode.text(0) == "wal" else {
        throw StorageError(.readOnly, "\(name) cannot use a write-ahead log: its folder is not writable")
      }
      mode.reset()
      try run("PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 1000")
    case .reading, .rescuing:
      try run("PRAGMA query_only = ON")
    case .copying:
      try run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    }
  }
}

extension Duration {
  var wholeMilliseconds: Int32 {
    Int32(clamping: milliseconds)
  }

  fileprivate var nanoseconds: Int64 {
    let (seconds, rest) = components
    return seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow
      ? .max : seconds * 1_000_000_000 + rest / 1_000_000_000
  }
}

extension DatabaseKey {
  /// Lends the key as the engine takes it when nothing is to be derived: x'…', with the salt of the file where it is
  /// known.
  fileprivate func withEngineForm<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    secret.withBytes { (bytes: Span<UInt8>) in
      withUnsafeTemporaryAllocation(byteCount: 3 + 2 * bytes.count, alignment: 1) { form in
        let digits = StaticString("0123456789abcdef").utf8Start
        form[0] = UInt8(ascii: "x")
        form[1] = UInt8(ascii: "'")
        for index in bytes.indices {
          form[2 + 2 * index] = digits[Int(bytes[index] >> 4)]
          form[3 + 2 * index] = digits[Int(bytes[index] & 15)]
        }
        form[form.count - 1] = UInt8(ascii: "'")
        defer { if let start = form.baseAddress { explicit_bzero(start, form.count) } }
        return body(UnsafeRawBufferPointer(form))
      }
    }
  }
}
