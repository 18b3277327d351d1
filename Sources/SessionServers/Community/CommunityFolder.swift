import Glibc
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

  /// The keys of the server.
  func keys() throws -> ExchangeKeys {
    guard !OpenFile.isMissing(keyPath) else {
      throw ServiceFailure.folder("the key of the server is missing; restore \(keyPath) from a backup")
    }
    return try key.read()
  }

  /// Makes the keys of a server, and its database: a file, or the tables at an address. What is there already stays. No keys
  /// are made where there is a database: they could not open it.
  func prepare(at address: PostgreSQLAddress?) throws -> ExchangeKeys {
    if let address {
      let isNew = OpenFile.isMissing(keyPath)
      let keys = try key.keys()
      do { try SharedEngine(address, key: keys.publicKey).close() } catch {
        // The rows are those of a server whose key is missing.
        if isNew { unlink(keyPath) }
        throw error
      }
      return keys
    }
    let keys = try OpenFile.isMissing(database) ? key.keys() : keys()
    if OpenFile.isMissing(database) {
      try makeFile(keys).close()
    }
    return keys
  }

  /// Opens the file of the database.
  func openFile(_ keys: ExchangeKeys, readLimit: Duration? = nil) throws -> Database {
    guard !OpenFile.isMissing(database) else {
      throw ServiceFailure.folder("\(database) is missing; restore it from a backup")
    }
    return try makeFile(keys, readLimit: readLimit)
  }

  /// Opens the file of the database, or makes one.
  func makeFile(_ keys: ExchangeKeys, readLimit: Duration? = nil) throws -> Database {
    var options = DatabaseOptions()
    options.readLimit = readLimit
    options.isShared = false
    options.readers = 2
    options.cacheBytes = 8 * 1024 * 1024
    return try Database.open(database, key: Self.databaseKey(keys), schema: .community, options: options)
  }

  /// Opens the database. Throws `damagedFiles` for one that is damaged.
  func store(_ keys: ExchangeKeys, _ options: CommunityServer.Options) throws -> CommunityStore {
    do {
      if let address = options.database {
        let engine = try SharedEngine(address, key: keys.publicKey, readLimit: options.maxWork)
        return CommunityStore(engine, memory: options.memory)
      }
      let engine = EmbeddedEngine(try openFile(keys, readLimit: options.maxWork))
      return CommunityStore(engine, memory: options.memory)
    } catch let error as StorageError where error.isDamage {
      throw ServiceFailure.damagedFiles(error.message)
    }
  }

  /// The key of the database, which follows from that of the server.
  static func databaseKey(_ keys: ExchangeKeys) throws -> DatabaseKey {
    try DatabaseKey(keys.secret(named: "data of a community server"))
  }
}
