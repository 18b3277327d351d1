import SessionCore
import SessionStorage

/// The folder of a node: its key, and what it keeps.
struct NodeFolder: Sendable {
  let path: String

  /// Opens the folder, or makes it with fresh keys, for its owner alone.
  func open(maxBytes: Int = .max) throws -> (keys: NodeKeys, store: MessageStore) {
    try PrivateFolder.prepare(path)
    let keys = try SeedFile(path: path + "/key").keys()
    let secret = try keys.secret(named: "what a storage node keeps")
    let store = try MessageStore(path: path + "/messages.db", key: DatabaseKey(secret), maxBytes: maxBytes)
    return (keys, store)
  }
}

/// A file with the seed of a key: 64 hexadecimal digits, for its owner alone.
struct SeedFile: Sendable {
  let path: String

  /// The keys of the file; fresh ones are written where there is none.
  func keys() throws(SessionError) -> NodeKeys {
    do throws(SessionError) {
      return try read()
    } catch {
      guard error.code == .fileUnreadable else { throw error }
      let keys = try NodeKeys.random()
      let file = try PendingFile(for: path)
      try keys.withSeed { (seed) throws(SessionError) in
        var text = Array(seed.withUnsafeBytes { Array($0) }.hex.utf8) + [UInt8(ascii: "\n")]
        defer { text.wipe() }
        try file.write(text.span)
      }
      try file.commit()
      return keys
    }
  }

  private func read() throws(SessionError) -> NodeKeys {
    var text = try OpenFile(reading: path).readAll(upTo: 1024)
    defer { text.wipe() }
    var seed = try [UInt8](hex: text.prefix { $0 != UInt8(ascii: "\n") })
    defer { seed.wipe() }
    return try NodeKeys(seed: SecretBytes(copying: seed))
  }
}
