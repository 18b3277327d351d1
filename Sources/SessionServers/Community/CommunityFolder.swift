import SessionNodeCore
import SessionService
import SessionStorage

/// The folder of a community server.
struct CommunityFolder: Sendable {
  let path: String

  var key: ExchangeKeyFile { ExchangeKeyFile(path: path + "/key_x25519") }
  var control: String { path + "/control" }
  var files: String { path + "/files" }

  /// Creates the folder if necessary, and locks it for one process.
  func lock() throws -> FolderLock {
    try FolderLock.prepare(path)
    return try FolderLock.take(path, purpose: "session server community")
  }

  /// Opens the database. Throws `damagedFiles` for one that is damaged.
  func store(_ keys: ExchangeKeys) throws -> CommunityStore {
    do {
      return try CommunityStore(
        path: path + "/community.db", key: DatabaseKey(keys.secret(named: "data of a community server")))
    } catch let error as StorageError where error.isDamage {
      throw ServiceFailure.damagedFiles(error.message)
    }
  }
}
