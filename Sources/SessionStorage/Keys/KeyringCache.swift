/// A key store with the kernel's keyring in front: after the first use the key stays in the memory of the kernel,
/// for the login session and while it is used now and then, so that the passphrase need not be typed again.
///
/// Only processes of the same session and user can read it. It is never swapped out, and lost at a restart. Without
/// a keyring in the kernel this is just the store.
public struct KeyringCache<Store: KeyStore>: KeyStore {
  /// How long an unused key stays in the keyring.
  public static var lifetime: Duration { .seconds(8 * 3600) }

  private let store: Store
  private let entry: KeyringEntry
  private let lifetime: Duration

  /// `name` distinguishes the keys of several databases.
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
    // Remove the old key even if the store then fails.
    entry.remove()
    try store.keep(key)
    remember(key)
  }

  public func forget() throws(StorageError) {
    entry.remove()
    try store.forget()
  }

  /// Removes the key, so that the next use needs the store, and the passphrase.
  public func lock() { entry.remove() }

  /// Stores a key only in the keyring, as if it had just been loaded from the store.
  func remember(_ key: DatabaseKey) {
    guard let secret = try? key.withSalt() else { return }
    entry.write(secret, lifetime: lifetime)
  }
}
