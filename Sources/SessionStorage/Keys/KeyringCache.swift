/// A key store with the keyring of the kernel before it: after the first use the key stays in the memory of the kernel,
/// for as long as the login session lasts and it is used now and then, and no passphrase has to be typed again.
///
/// Only processes of the same session and user reach it there, it is never swapped out, and it is gone after a restart.
/// Where the kernel has no keyring, this is the store behind it and nothing more.
public struct KeyringCache<Store: KeyStore>: KeyStore {
  /// How long a key stays unused.
  public static var lifetime: Duration { .seconds(8 * 3600) }

  private let store: Store
  private let entry: KeyringEntry
  private let lifetime: Duration

  /// `name` tells the keys of several databases apart.
  public init(_ store: Store, name: String, lifetime: Duration = Self.lifetime) {
    self.store = store
    self.lifetime = lifetime
    entry = KeyringEntry(name: name)
  }

  public func load() throws(StorageError) -> DatabaseKey {
    if let secret = entry.read(), let key = try? DatabaseKey(secret) {
      entry.prolong(lifetime)
      return key
    }
    let key = try store.load()
    remember(key)
    return key
  }

  public func keep(_ key: DatabaseKey) throws(StorageError) {
    // Whatever becomes of the store, the old key is not to be found here any more.
    entry.remove()
    try store.keep(key)
    remember(key)
  }

  public func forget() throws(StorageError) {
    entry.remove()
    try store.forget()
  }

  /// Has the store asked the next time, and so a passphrase typed again.
  public func lock() { entry.remove() }

  /// Keeps a key here alone, as if it had just been asked of the store.
  func remember(_ key: DatabaseKey) {
    guard let secret = try? key.withSalt() else { return }
    entry.write(secret, lifetime: lifetime)
  }
}
