import SessionBase
package import SessionCore
package import SessionNodeCore

/// A file with the X25519 secret of a server: 32 bytes, for its owner alone.
package struct ExchangeKeyFile: Sendable {
  private static let bytes = 32

  let path: String

  package init(path: String) { self.path = path }

  /// The keys of the file; fresh ones are written where there is none. One that is there and cannot be read is a
  /// failure.
  package func keys() throws(SessionError) -> ExchangeKeys {
    do throws(SessionError) {
      return try read()
    } catch {
      guard error.code == .fileUnreadable, OpenFile.isMissing(path) else { throw error }
      let keys = try ExchangeKeys.random()
      try write(keys)
      return keys
    }
  }

  /// The keys of a file that is there. Throws `keySize` for a file of another size.
  package func read() throws(SessionError) -> ExchangeKeys {
    var secret = try SessionError.files { () throws(FileError) in
      try OpenFile(reading: path).readAll(upTo: Self.bytes + 1)
    }
    defer { secret.wipe() }
    return try ExchangeKeys(secret: SecretBytes(copying: secret))
  }

  /// Writes keys where there are none.
  package func write(_ keys: ExchangeKeys) throws(SessionError) {
    try keys.secret().withBytes { (secret) throws(SessionError) in
      try SessionError.files { () throws(FileError) in try PendingFile.write(secret, to: path) }
    }
  }
}
