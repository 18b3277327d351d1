/// Where the key of a database is kept between two uses.
///
/// A store gives the key or says why it cannot; it never makes one up. Its calls may take as long as its protection
/// wants: a second or so where a passphrase is involved.
public protocol KeyStore: Sendable {
  /// The key. `keyMissing` when nothing is kept here.
  func load() throws(StorageError) -> DatabaseKey
  /// Keeps a key instead of whatever is kept here. When it fails, what was kept before still is.
  func keep(_ key: DatabaseKey) throws(StorageError)
  /// Forgets the key. Forgetting nothing is no failure.
  func forget() throws(StorageError)
}
