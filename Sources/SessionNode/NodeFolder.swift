import SessionBase
import SessionCore
import SessionNodeCore
import SessionService
import SessionStorage

/// The folder of a node: its key and its store.
struct NodeFolder: Sendable {
  let path: String

  var key: SeedFile { SeedFile(path: path + "/key") }
  /// The list of nodes of the last time.
  var networkFile: String { path + "/network.json" }
  var control: String { path + "/control" }
  /// The file that marks a node that has left its network.
  var left: String { path + "/left" }
  var certificate: CertificateFiles {
    CertificateFiles(certificate: path + "/https.crt", key: path + "/https.key")
  }

  func prepare() throws { try FolderLock.prepare(path) }

  /// Creates the folder if necessary, and locks it for one process.
  func lock() throws -> FolderLock {
    try prepare()
    return try FolderLock.take(path, purpose: "session node")
  }

  /// Opens the folder, or creates it with new keys, private to its owner.
  func open(maxBytes: Int = .max) throws -> (keys: NodeKeys, store: MessageStore) {
    try prepare()
    let keys = try key.keys()
    let secret = try keys.secret(named: "data of a storage node")
    return (keys, try store(key: DatabaseKey(secret), maxBytes: maxBytes))
  }

  private func store(key: DatabaseKey, maxBytes: Int) throws -> MessageStore {
    do throws(StorageError) {
      return try MessageStore(path: path + "/messages.db", key: key, maxBytes: maxBytes)
    } catch {
      throw error.isDamage ? NodeFailure.damagedStore(error.message) : error
    }
  }
}
