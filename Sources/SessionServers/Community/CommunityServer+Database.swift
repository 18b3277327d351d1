import Glibc
import SessionBase
import SessionCore
import SessionNodeCore
import SessionService
public import SessionStorage

extension CommunityServer {
  /// Moves all rows into an empty database of PostgreSQL, or for nil into a file in the folder. No server may run. The old
  /// rows stay where they are. `record` is called when the rows are there, to change the configuration; then a file gets
  /// another name.
  ///
  /// Throws `ServiceFailure.folderInUse` while a server has the folder, and a `StorageError` if rows differ afterwards.
  public static func moveDatabase(
    _ options: Options, to address: PostgreSQLAddress?, record: @escaping @Sendable () throws -> Void
  ) async throws -> [CommunityTable] {
    try await WorkerQueue("session.community.moving").run {
      let folder = CommunityFolder(path: options.folder)
      let lock = try folder.lock()
      defer { withExtendedLifetime(lock) {} }
      switch (options.database, address) {
      case (nil, nil): throw ServiceFailure.request("the rows are in a file already")
      case (nil, let new?): return try move(folder, to: new, record)
      case (let old?, nil): return try move(folder, from: old, record)
      case (_?, _?):
        throw ServiceFailure.request("rows move between PostgreSQL and a file; move them into a file first")
      }
    }
  }

  private static func move(
    _ folder: CommunityFolder, to address: PostgreSQLAddress, _ record: () throws -> Void
  ) throws -> [CommunityTable] {
    let keys = try folder.keys()
    let file = try folder.openFile(keys)
    defer { try? file.close() }
    let server = try PostgreSQLDatabase(address, schema: .community, owner: keys.publicKey.hex)
    defer { server.close() }
    let alone = try excludeServers(at: address)
    defer { alone.close() }
    let copied = try file.read { source in
      try server.write { target in try CommunityTable.copyAll(from: source, to: target) }
    }
    try file.close()
    try record()
    guard rename(folder.database, folder.database + ".moved") == 0 else {
      throw ServiceFailure.request("the rows have moved, but \(folder.database) cannot be renamed")
    }
    return copied
  }

  private static func move(
    _ folder: CommunityFolder, from address: PostgreSQLAddress, _ record: () throws -> Void
  ) throws -> [CommunityTable] {
    let keys = try folder.keys()
    guard OpenFile.isMissing(folder.database) else {
      throw ServiceFailure.request(
        "there is a database in \(folder.path) already; move \(folder.database) away")
    }
    let server = try PostgreSQLDatabase(address, schema: .community, owner: keys.publicKey.hex)
    defer { server.close() }
    let alone = try excludeServers(at: address)
    defer { alone.close() }
    let file = try folder.makeFile(keys)
    defer { try? file.close() }
    do {
      let copied = try server.read { source in
        try file.write { target in try CommunityTable.copyAll(from: source, to: target) }
      }
      try record()
      return copied
    } catch {
      try? file.close()
      unlink(folder.database)
      throw error
    }
  }

  /// Keeps servers from starting; throws if one works.
  static func excludeServers(at address: PostgreSQLAddress) throws -> PostgreSQLRole {
    guard let alone = SharedEngine.excludeServers(at: address) else {
      throw ServiceFailure.request(
        "a server works on \(address), or it cannot be reached; stop all servers first")
    }
    return alone
  }
}
