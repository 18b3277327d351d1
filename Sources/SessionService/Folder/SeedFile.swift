import SessionBase
package import SessionCore
package import SessionNodeCore

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
  package func read() throws(SessionError) -> NodeKeys {
    var text = try SessionError.files { () throws(FileError) in
      try OpenFile(reading: path).readAll(upTo: 1024)
    }
    defer { text.wipe() }
    var seed = try [UInt8](hex: text.prefix { $0 != UInt8(ascii: "\n") })
    defer { seed.wipe() }
    return try NodeKeys(seed: SecretBytes(copying: seed))
  }
}
