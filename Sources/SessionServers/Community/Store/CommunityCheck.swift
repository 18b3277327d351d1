import Glibc
import SessionBase
import SessionCore
import SessionNodeCore
import SessionService
public import SessionStorage

/// Checks what a community server stores, while the server runs or not.
public struct CommunityCheck: Sendable {
  /// Rows that are named one by one; the rest is counted.
  private static let named = 20
  /// Rows of files that are read at a time.
  private static let pageCount = 1000

  private let folder: CommunityFolder
  private let database: PostgreSQLAddress?
  private let shelves: FileShelves

  /// `database` is the address of the rows, and `files` the folder of the files, if they are not in the folder of the server.
  public init(ofFolder folder: String, database: PostgreSQLAddress? = nil, files: String? = nil) {
    self.folder = CommunityFolder(path: folder)
    self.database = database
    shelves = FileShelves(folder: files ?? self.folder.files)
  }

  /// Finds damage of the database, rows that contradict each other, and files without content. Throws
  /// `CommunityBackupFailure.alreadyRunning` while a backup is written.
  public func run() async throws -> IntegrityReport {
    let (folder, shelves) = (folder, shelves)
    let (keys, lock) = try await WorkerQueue("session.community.check").run {
      (try folder.keys(), try folder.holdContent("session server community database check"))
    }
    defer { withExtendedLifetime(lock) {} }
    guard let database else {
      do {
        let snapshot = try await DatabaseSnapshot.take(
          of: folder.database, key: try CommunityFolder.databaseKey(keys), at: folder.path + "/check.db")
        return try await snapshot.use { try await $0.integrityCheck { try $0.problems(shelves) } }
      } catch let error as StorageError where error.isDamage || error.code == .statement {
        // The pages that were damaged could not be copied.
        return IntegrityReport(damage: [error.message], problems: [])
      }
    }
    return try await WorkerQueue("session.community.check").run {
      let shared = try PostgreSQLDatabase(database, schema: .community, owner: keys.publicKey.hex)
      defer { shared.close() }
      return IntegrityReport(damage: [], problems: try shared.read { try $0.problems(shelves) })
    }
  }

  /// Names what was found, up to a limit.
  fileprivate static func list(_ rows: [Int64], _ words: (Int64) -> String) -> [String] {
    let listed = rows.prefix(named).map(words)
    return rows.count > named ? listed + ["… and \(rows.count - named) more like this"] : listed
  }

  /// The files whose content is not there, or of another size.
  fileprivate static func lost(
    _ transaction: borrowing ReadTransaction, _ shelves: FileShelves
  ) throws(StorageError) -> [Int64] {
    var (lost, last): ([Int64], Int64) = ([], 0)
    while true {
      let files: [CommunityFile] = try transaction.all(
        "SELECT \(CommunityFile.columns) FROM file WHERE id > ?1 ORDER BY id LIMIT ?2", last, pageCount)
      guard let end = files.last?.id else { return lost }
      last = end
      for file in files {
        if file.isInRows {
          if try transaction.contentSize(of: file) != file.size { lost.append(file.id) }
          continue
        }
        var status = stat()
        guard stat(shelves.path(of: file.place), &status) == 0, status.st_size == file.size else {
          lost.append(file.id)
          continue
        }
      }
    }
  }
}

extension ReadTransaction {
  /// Rows that contradict each other, and files without content.
  fileprivate func problems(_ shelves: FileShelves) throws(StorageError) -> [String] {
    let late: [Int64] = try values(
      """
      SELECT message.id FROM message JOIN room ON room.id = message.room
      WHERE createdSeq > sequence OR dataSeq > sequence OR reactedSeq > sequence ORDER BY message.id
      """)
    let strayFiles: [Int64] = try values(
      """
      SELECT id FROM file WHERE message IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM message WHERE message.id = file.message AND message.room = file.room)
      ORDER BY id
      """)
    let strayPins: [Int64] = try values(
      """
      SELECT message FROM pin
      WHERE NOT EXISTS (SELECT 1 FROM message WHERE message.id = pin.message AND message.room = pin.room)
      ORDER BY message
      """)
    return CommunityCheck.list(late) { "message \($0): it changed later than its room" }
      + CommunityCheck.list(strayFiles) { "file \($0): its message is not in its room" }
      + CommunityCheck.list(strayPins) { "message \($0): it is pinned in another room" }
      + CommunityCheck.list(try CommunityCheck.lost(self, shelves)) { "file \($0): its content is lost" }
  }
}
