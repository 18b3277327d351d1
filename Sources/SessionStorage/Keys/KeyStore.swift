/// Storage for the key of a database.
///
/// A store returns the key or an error; it never invents a key. Calls may take a second or so if a passphrase is
/// involved.
public protocol KeyStore: Sendable {
  /// Loads the key. Throws `keyMissing` if there is none.
  func load() throws(StorageError) -> DatabaseKey
  /// Stores a key in place of any earlier one. After a failure the earlier one is still stored.
  func keep(_ key: DatabaseKey) throws(StorageError)
  /// Deletes the key, if there is one.
  func forget() throws(StorageError)
}
