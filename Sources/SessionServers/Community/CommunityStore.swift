import SessionBase
import SessionStorage
import Synchronization

/// The rows of a community server. What a call has changed is on the device when it returns.
final class CommunityStore: Sendable {
  private let engine: any CommunityEngine
  let memory: CommunityMemory
  /// When all rows were last looked at for what is over: milliseconds since 1970.
  let lastSweep = Mutex<Int64>(0)

  /// `memory` are the bytes that all requests may take.
  init(_ engine: any CommunityEngine, memory: Int) {
    self.engine = engine
    self.memory = CommunityMemory(engine.news, of: memory)
  }

  /// The number of commits so far.
  var commitCount: UInt64 { engine.commitCount }

  /// True if other processes may work on the same rows and files.
  var isShared: Bool { engine.isShared }

  /// True if this process does what one does for all.
  func keepsHouse() async -> Bool { await engine.keepsHouse() }

  /// Repairs made when a server starts.
  struct Findings: Hashable, Sendable {
    /// Content that no row knew; it is removed.
    var orphans = 0
    /// Rows without content.
    var lost = 0
  }

  /// Seconds after which content without a row is that of no upload.
  static let storingSpan = 3600

  /// Brings rows and content together. Rows without content stay: their numbers are in messages.
  func tidy(_ shelves: CommunityShelves) throws -> Findings {
    var findings = Findings()
    // What another process is storing has no row yet.
    let age = isShared ? Self.storingSpan : 0
    findings.orphans = try shelves.shelves.removeIncoming(olderThan: age)
    let files = try readHere { transaction in
      try transaction.takeTime()
      return try transaction.map("SELECT place, size FROM file") {
        (row) throws(StorageError) -> (String, Int) in
        (try row[0], try row[1])
      }
    }
    shelves.occupy(files.reduce(0) { $0 + $1.1 })
    // A database without files may be new, or the wrong one: the content then belongs to another.
    guard !files.isEmpty else { return findings }
    let known = Set(files.map(\.0)).subtracting([CommunityFile.inRows])
    var found = 0
    for shelf in try shelves.shelves.shelves() {
      for name in try shelves.shelves.names(on: shelf) {
        if known.contains(name) {
          found += 1
        } else if !shelves.folder.isBackedUp, shelves.shelves.isOld(name, on: shelf, seconds: age) {
          shelves.shelves.remove(name, on: shelf)
          findings.orphans += 1
        }
      }
    }
    findings.lost = known.count - found
    return findings
  }

  /// Removes the content of files whose rows are gone.
  func removeContent(of files: [CommunityFile], from shelves: CommunityShelves) async {
    await WorkerQueue("session.community.removing").run { shelves.remove(files) }
  }

  /// The changes of rooms from now on, until the store is closed.
  func observeRooms() -> Observation { engine.observeRooms() }

  func close() throws(StorageError) { try engine.close() }

  /// Writes in a transaction of its own, or one that fails without harm for those that share the commit.
  @discardableResult
  func write<R: Sendable>(
    _ scope: WriteScope = .server, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await engine.write(scope, body)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await engine.read(body)
  }

  /// Reads on the calling thread.
  func readHere<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R { try engine.readHere(body) }
}
