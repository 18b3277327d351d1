/// A key in a file that only its owner may read (mode 0600), without further protection: a copy of the disk reveals the
/// database. For machines that start unattended, and only after a warning.
public struct OpenKeyFile: KeyStore {
  /// The warning to show when a key is stored like this.
  public static let warning =
    "the key of the database is kept without a passphrase: anyone who can read this disk can read the messages"

  private let file: KeyFile

  public init(path: String) {
    file = KeyFile(path: path)
  }

  public func load() throws(StorageError) -> DatabaseKey {
    switch try file.read() {
    case .open(let key): return key
    case .wrapped:
      throw StorageError(.passphraseNeeded, "the key in \(file.path) is protected by a passphrase")
    }
  }

  public func keep(_ key: DatabaseKey) throws(StorageError) { try file.write(.open(key)) }
  public func forget() throws(StorageError) { try file.remove() }
}
