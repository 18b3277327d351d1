import SessionBase
import SessionNodeCore
import SessionService
import SessionStorage

/// The folder of a community server.
struct CommunityFolder: Sendable {
  let path: String

  private var keyPath: String { path + "/key_x25519" }
  var database: String { path + "/community.db" }
  var key: ExchangeKeyFile { ExchangeKeyFile(path: keyPath) }
  var control: String { path + "/control" }
  var files: String { path + "/files" }

  /// Creates the folder if necessary, and locks it for one process.
  func lock() throws -> FolderLock {
    try FolderLock.prepare(path)
    return try FolderLock.take(path, purpose: "session server community")
  }

  /// The keys of the server. Fresh ones are made only where there is no database: they could not open it.
  func keys() throws -> ExchangeKeys {
    if OpenFile.isMissing(database) { return try key.keys() }
    guard !OpenFile.isMissing(keyPath) else {
      throw ServiceFailure.folder("the key of the server is missing; restore \(keyPath) from a backup")
    }
    return try key.read()
  }

  /// Opens the file of the database, or makes one.
  func openFile(_ keys: ExchangeKeys) throws -> Database {
    var options = DatabaseOptions()
    options.isShared = false
    options.readers = 2
    options.cacheBytes = 8 * 1024 * 1024
    return try Database.open(database, key: Self.databaseKey(keys), schema: .community, options: options)
  }

  /// Opens the database. Throws `damagedFiles` for one that is damaged.
  func store(_ keys: ExchangeKeys, _ options: CommunityServer.Options) throws -> CommunityStore {
    do {
      if let address = options.database {
        return CommunityStore(try SharedEngine(address, key: keys.publicKey))
      }
      return CommunityStore(EmbeddedEngine(try openFile(keys)))
    } catch let error as StorageError where error.isDamage {
      throw ServiceFailure.damagedFiles(error.message)
    }
  }

  /// The key of the database, which follows from that of the server.
  static func databaseKey(_ keys: ExchangeKeys) throws -> DatabaseKey {
    try DatabaseKey(keys.secret(named: "data of a community server"))
  }
}
