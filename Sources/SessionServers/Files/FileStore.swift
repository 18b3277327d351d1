import SessionBase
import SessionCore
import SessionHTTP
import SessionService
import SessionStorage

/// The files of a server: their content in a folder, and what is known of them in a database beside it. What a call has
/// changed is on the device when it returns.
///
/// Content gets and loses its name inside a transaction, so that an upload and the removal of an expired file never race. A
/// row is never there without its content. A crash may leave content without a row, which is
/// removed when the store is opened.
final class FileStore: Sendable {
  /// The number of rows that one transaction deletes.
  private static let sweepCount = 200

  let database: Database
  private let commits: CommitGroup
  private let shelves: FileShelves
  private let maxBytes: Int
  /// Content is written one after the other.
  private let writing = WorkerQueue("session.files.writing")
  private let reading = WorkerQueue("session.files.reading")

  /// Repairs made when opening a store.
  struct Findings: Hashable, Sendable {
    /// Content that no row knew; it is removed.
    var orphans = 0
    /// Rows whose content was lost; they are removed.
    var lost = 0
  }

  /// The repairs made when it was opened.
  let findings: Findings

  /// Opens or creates a folder. It is not shared with other processes.
  init(folder: String, key: DatabaseKey, maxBytes: Int = .max) throws {
    try StorageError.files { () throws(FileError) in try PrivateFolder.prepare(folder) }
    var options = DatabaseOptions()
    options.isShared = false
    options.readers = 2
    options.cacheBytes = 512 * 1024
    let database = try Database.open(folder + "/files.db", key: key, schema: .files, options: options)
    let shelves = FileShelves(folder: folder + "/files")
    try shelves.prepare()
    findings = try Self.tidy(database, shelves)
    self.database = database
    self.shelves = shelves
    self.maxBytes = maxBytes
    commits = CommitGroup(database)
  }

  func close() throws(StorageError) { try database.close() }

}

// MARK: - Opening

extension FileStore {
  /// Brings rows and content together.
  private static func tidy(_ database: Database, _ shelves: FileShelves) throws -> Findings {
    var findings = Findings()
    findings.orphans = try shelves.removeIncoming()
    for shelf in try shelves.shelves() {
      // `~` sorts after all characters of names.
      let known: [String] = try database.read { transaction in
        try transaction.values("SELECT name FROM files WHERE name BETWEEN ? AND ?", shelf, shelf + "~")
      }
      let orphans = Set(try shelves.names(on: shelf)).subtracting(known)
      for name in orphans { shelves.remove(name, on: shelf) }
      findings.orphans += orphans.count
    }
    let lost = try database.read { transaction in
      var lost: [String] = []
      try transaction.forEach("SELECT name FROM files") { (row) throws(StorageError) in
        let name: String = try row[0]
        if !shelves.has(name) { lost.append(name) }
        return true
      }
      return lost
    }
    findings.lost = lost.count
    if !lost.isEmpty {
      try database.write { transaction in
        for name in lost { try transaction.run("DELETE FROM files WHERE name = ?", name) }
      }
    }
    return findings
  }
}

// MARK: - Keeping

extension FileStore {
  /// Stores a file until a time; an existing one at least until then. Times are in milliseconds since 1970. Throws
  /// `FileStoreFailure.full` if there is no room.
  func add(_ content: [UInt8], expires: UInt64, now: UInt64) async throws -> StoredFile {
    let name = FileName.of(content)
    if try await file(named: name) != nil, let known = try await refresh(name, expires: expires, now: now) {
      return known
    }
    guard try await totals().bytes + content.count <= maxBytes else { throw FileStoreFailure.full }
    let incoming = try await receive(content, for: name)
    defer { incoming.discard() }
    let (count, maxBytes) = (content.count, maxBytes)
    return try await commits.perform { [shelves] transaction in
      // Somebody may have sent the same meanwhile.
      if let known = try transaction.refresh(name, in: shelves, expires: expires, now: now) { return known }
      guard try transaction.totals().bytes + count <= maxBytes else { throw FileStoreFailure.full }
      try shelves.place(incoming, as: name)
      try transaction.put(
        "UPDATE files SET size = ?2, uploaded = ?3, expires = max(expires, ?4) WHERE name = ?1",
        or: "INSERT INTO files (name, size, uploaded, expires) VALUES (?1, ?2, ?3, ?4)",
        name, count, Int64(clamping: now), Int64(clamping: expires))
      return try transaction.file(named: name)
        ?? StoredFile(name: name, size: count, uploaded: now, expires: expires)
    }
  }

  private func receive(_ content: [UInt8], for name: String) async throws -> IncomingFile {
    try await writing.run { [shelves] in try shelves.receive(content, for: name) }
  }

  private func refresh(_ name: String, expires: UInt64, now: UInt64) async throws -> StoredFile? {
    try await commits.perform { [shelves] transaction in
      try transaction.refresh(name, in: shelves, expires: expires, now: now)
    }
  }

  /// Lets a file live longer; nil where there is none whose time is not over.
  func extend(_ handle: FileHandle, expires: UInt64, now: UInt64) async throws -> StoredFile? {
    try await commits.perform { transaction in
      guard let file = try transaction.file(handle, now: now) else { return nil }
      try transaction.run(
        "UPDATE files SET expires = max(expires, ?) WHERE name = ?", Int64(clamping: expires), file.name)
      return try transaction.file(named: file.name)
    }
  }

  /// The number of a file for clients that do not know names. It is stable and random.
  func number(of file: StoredFile) async throws -> Int64 {
    try await commits.perform { transaction in
      let known: Int64? = try transaction.value(
        "SELECT number FROM files WHERE name = ? AND number IS NOT NULL", file.name)
      if let known { return known }
      while true {
        let number = Int64.random(in: 1...FileHandle.maxNumber)
        guard try !transaction.exists("SELECT 1 FROM files WHERE number = ?", number) else { continue }
        try transaction.run("UPDATE files SET number = ? WHERE name = ?", number, file.name)
        return number
      }
    }
  }

  /// Deletes expired files, rows first and then their content. Returns their number.
  @discardableResult
  func sweep(now: UInt64) async throws -> Int {
    var removed = 0
    while !Task.isCancelled {
      let names: [String] = try await commits.perform { transaction in
        let names: [String] = try transaction.values(
          "SELECT name FROM files WHERE expires <= ? ORDER BY expires LIMIT ?", Int64(clamping: now),
          Self.sweepCount)
        for name in names { try transaction.run("DELETE FROM files WHERE name = ?", name) }
        return names
      }
      guard !names.isEmpty else { break }
      removed += names.count
      try await commits.perform { [shelves] transaction in
        // Somebody may have sent one of them again.
        for name in names where try transaction.file(named: name) == nil { try shelves.remove(name) }
      }
    }
    return removed
  }
}

// MARK: - Looking

extension FileStore {
  /// The number of files, and their total size.
  func totals() async throws -> (files: Int, bytes: Int) {
    try await database.read { try $0.totals() }
  }

  /// The row of a file; nil if there is none, or it has expired.
  func file(_ handle: FileHandle, now: UInt64) async throws -> StoredFile? {
    try await database.read { try $0.file(handle, now: now) }
  }

  private func file(named name: String) async throws -> StoredFile? {
    try await database.read { try $0.file(named: name) }
  }

  /// A file with its content, which stays readable if it expires meanwhile.
  func open(_ handle: FileHandle, now: UInt64) async throws -> (file: StoredFile, content: HTTPFile)? {
    guard let file = try await file(handle, now: now) else { return nil }
    // One whose size is another is not what was sent.
    let content = await reading.run { [shelves] in HTTPFile(reading: shelves.path(of: file.name)) }
    return content.flatMap { $0.size == file.size ? (file, $0) : nil }
  }

  /// All bytes of a file; nil if it cannot be read.
  func readAll(_ content: HTTPFile) async -> [UInt8]? { await reading.run { content.readAll() } }
}

extension Reading where Self: ~Copyable {
  fileprivate func totals() throws(StorageError) -> (files: Int, bytes: Int) {
    try mapFirst("SELECT files, bytes FROM totals") { (row) throws(StorageError) -> (Int, Int) in
      (try row[0], try row[1])
    } ?? (0, 0)
  }

  fileprivate func file(named name: String) throws(StorageError) -> StoredFile? {
    try first("SELECT \(StoredFile.columns) FROM files WHERE name = ?", name)
  }

  fileprivate func file(_ handle: FileHandle, now: UInt64) throws(StorageError) -> StoredFile? {
    let file: StoredFile? =
      switch handle {
      case .name(let name): try file(named: name)
      case .number(let number):
        try first("SELECT \(StoredFile.columns) FROM files WHERE number = ?", number)
      }
    return file.flatMap { $0.expires > now ? $0 : nil }
  }
}

extension WriteTransaction {
  /// Lets a file live longer that was sent again; nil where there is none, or its content is lost.
  fileprivate func refresh(
    _ name: String, in shelves: FileShelves, expires: UInt64, now: UInt64
  ) throws(StorageError) -> StoredFile? {
    guard shelves.has(name) else { return nil }
    let count = try run(
      "UPDATE files SET uploaded = ?2, expires = max(expires, ?3) WHERE name = ?1", name,
      Int64(clamping: now), Int64(clamping: expires))
    return count == 0 ? nil : try file(named: name)
  }
}
