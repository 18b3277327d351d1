import Glibc
import SessionBase
import SessionCore
import SessionNodeCore
import SessionService
public import SessionStorage

/// A table of a community server.
public struct CommunityTable: Hashable, Sendable {
  public let name: String
  public let rows: Int

  fileprivate init(_ content: TableCopy.Content) { (name, rows) = (content.table, content.rows) }
}

extension CommunityServer {
  /// All tables, each behind those that its rows refer to.
  private static let tables = [
    "person", "room", "message", "history", "reaction", "pin", "file", "file_alias", "file_chunk", "visit",
    "override", "future", "nonce", "inbox", "log",
  ]
  /// Those whose rows have numbers that are never given twice.
  private static let numbered: Set = ["person", "room", "message", "file", "future", "inbox", "log"]

  /// Moves all rows into an empty database of PostgreSQL, or for nil into a file in the folder. No server may run. The old
  /// rows stay where they are; a file gets another name. The configuration is the caller's.
  ///
  /// Throws `ServiceFailure.folderInUse` while a server has the folder, and a `StorageError` if rows differ afterwards.
  public static func moveDatabase(
    _ options: Options, to address: PostgreSQLAddress?
  ) async throws -> [CommunityTable] {
    if let old = options.database { try await checkAlone(old) }
    return try await WorkerQueue("session.community.moving").run {
      let folder = CommunityFolder(path: options.folder)
      let lock = try folder.lock()
      defer { withExtendedLifetime(lock) {} }
      return try move(folder, from: options.database, to: address)
    }
  }

  private static func move(
    _ folder: CommunityFolder, from old: PostgreSQLAddress?, to new: PostgreSQLAddress?
  ) throws -> [CommunityTable] {
    let keys = try folder.keys()
    guard (old == nil) != (new == nil) else {
      throw ServiceFailure.request(
        old == nil
          ? "the rows are in a file already"
          : "rows move between PostgreSQL and a file; move them there first")
    }
    if let new {
      guard !OpenFile.isMissing(folder.database) else {
        throw ServiceFailure.request("there is no database in \(folder.path)")
      }
      let file = try folder.openFile(keys)
      defer { try? file.close() }
      let server = try PostgreSQLDatabase(new, schema: .community, owner: keys.publicKey.hex)
      defer { server.close() }
      let copied = try file.read { source in
        try server.write { target in try copy(source, target) }
      }
      try file.close()
      guard rename(folder.database, folder.database + ".moved") == 0 else {
        throw ServiceFailure.request("the rows have moved, but \(folder.database) cannot be renamed")
      }
      return copied
    }
    guard OpenFile.isMissing(folder.database), let old else {
      throw ServiceFailure.request(
        "there is a database in \(folder.path) already; move \(folder.database) away")
    }
    let server = try PostgreSQLDatabase(old, schema: .community, owner: keys.publicKey.hex)
    defer { server.close() }
    let file = try folder.openFile(keys)
    defer { try? file.close() }
    do {
      return try server.read { source in
        try file.write { target in try copy(source, target) }
      }
    } catch {
      try? file.close()
      unlink(folder.database)
      throw error
    }
  }

  private static func copy(
    _ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction
  ) throws -> [CommunityTable] {
    try TableCopy.copy(tables, numbered: numbered, from: source, to: target).map { CommunityTable($0) }
  }

  /// Throws if a server works on a database.
  private static func checkAlone(_ address: PostgreSQLAddress) async throws {
    let role = PostgreSQLRole(SharedEngine.keeperRole, at: address)
    let isAlone = await role.isHeld()
    role.close()
    guard isAlone else {
      throw ServiceFailure.request(
        "a server works on \(address), or it cannot be reached; stop all servers first")
    }
  }
}
