import SessionBase
import SessionCore
import SessionNodeCore
import SessionService
public import SessionStorage

/// Writes the rows of a community server into a database that is not encrypted, for an operator's own queries, while the
/// server runs or not.
public struct CommunityExport: Sendable {
  private let folder: CommunityFolder
  private let database: PostgreSQLAddress?

  /// `database` is the address of the rows, if they are not in the folder of the server.
  public init(ofFolder folder: String, database: PostgreSQLAddress? = nil) {
    self.folder = CommunityFolder(path: folder)
    self.database = database
  }

  /// Writes the rows of one moment to a file, which appears when it is whole. Throws a `StorageError` `duplicate` for a file
  /// that is there, and `CommunityBackupFailure.alreadyRunning` while another copy of the rows is made.
  public func write(to path: String) async throws -> [CommunityTable] {
    let (folder, database, working) = (folder, database, WorkerQueue("session.community.export"))
    guard !OpenFile.exists(path) else { throw StorageError(.duplicate, "\(path) already exists") }
    let (keys, lock) = try await working.run {
      (try folder.keys(), try folder.holdContent("session server community database export"))
    }
    defer { withExtendedLifetime(lock) {} }
    if let database {
      return try await working.run {
        let server = try PostgreSQLDatabase(database, schema: .community, owner: keys.publicKey.hex)
        defer { server.close() }
        return try server.read { try Self.copy($0, to: path) }
      }
    }
    let snapshot = try await DatabaseSnapshot.take(
      of: folder.database, key: try CommunityFolder.databaseKey(keys), at: folder.path + "/export.db")
    return try await snapshot.use { try await $0.read { try Self.copy($0, to: path) } }
  }

  private static func copy(
    _ source: borrowing ReadTransaction, to path: String
  ) throws -> [CommunityTable] {
    try PlainDatabase.write(path, schema: .community) {
      try CommunityTable.copyForQueries(from: source, to: $0)
    }
  }
}
