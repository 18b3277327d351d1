package import SessionBase
package import SessionCore
import SessionStorage

/// What keeps a folder for one process.
package typealias FolderLock = FileLock

extension FolderLock {
  /// Makes a folder for its owner alone, where there is none.
  package static func prepare(_ folder: String) throws {
    do throws(FileError) { try PrivateFolder.prepare(folder) } catch {
      throw NodeFailure.folder(error.message)
    }
  }

  package static func take(_ folder: String, purpose: String) throws -> FolderLock {
    do throws(FileError) {
      return try FileLock(folder + "/lock", of: folder, purpose: purpose)
    } catch {
      throw error.code == .inUse ? NodeFailure.folderInUse(folder) : .folder(error.message)
    }
  }
}

/// The folder of a node: its key, and what it keeps.
struct NodeFolder: Sendable {
  let path: String

  var key: SeedFile { SeedFile(path: path + "/key") }
  /// The list of nodes of the last time.
  var networkFile: String { path + "/network.json" }
  var control: String { path + "/control" }
  /// What is there when the node has left its network.
  var left: String { path + "/left" }
  var certificate: CertificateFiles {
    CertificateFiles(certificate: path + "/https.crt", key: path + "/https.key")
  }

  func prepare() throws { try FolderLock.prepare(path) }

  /// Takes the folder, or makes it, for one process.
  func lock() throws -> FolderLock {
    try prepare()
    return try FolderLock.take(path, purpose: "session node")
  }

  /// Opens the folder, or makes it with fresh keys, for its owner alone.
  func open(maxBytes: Int = .max) throws -> (keys: NodeKeys, store: MessageStore) {
    try prepare()
    let keys = try key.keys()
    let secret = try keys.secret(named: "what a storage node keeps")
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

/// A file with the seed of a key: 64 hexadecimal digits, for its owner alone.
package struct SeedFile: Sendable {
  let path: String

  package init(path: String) { self.path = path }

  /// The keys of the file; fresh ones are written where there is none. One that is there and cannot be read is a
  /// failure.
  package func keys() throws(SessionError) -> NodeKeys {
    do throws(SessionError) {
      return try read()
    } catch {
      guard error.code == .fileUnreadable, OpenFile.isMissing(path) else { throw error }
      let keys = try NodeKeys.random()
      try keys.withSeed { (seed) throws(SessionError) in
        var text = Array(seed.withUnsafeBytes { Array($0) }.hex.utf8) + [UInt8(ascii: "\n")]
        defer { text.wipe() }
        try SessionError.files { () throws(FileError) in try PendingFile.write(text.span, to: path) }
      }
      return keys
    }
  }

  /// The keys of a file that is there.
  func read() throws(SessionError) -> NodeKeys {
    var text = try SessionError.files { () throws(FileError) in
      try OpenFile(reading: path).readAll(upTo: 1024)
    }
    defer { text.wipe() }
    var seed = try [UInt8](hex: text.prefix { $0 != UInt8(ascii: "\n") })
    defer { seed.wipe() }
    return try NodeKeys(seed: SecretBytes(copying: seed))
  }
}
