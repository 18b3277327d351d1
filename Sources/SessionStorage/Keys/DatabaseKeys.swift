public import SessionCore

/// The key of one account's database, and whether a passphrase protects it.
///
/// The key itself never changes with the passphrase: the file that keeps it is replaced, in one step, so that after a
/// crash either the old passphrase is right or the new one, and never neither.
public struct DatabaseKeys: Sendable {
  public enum Protection: String, Sendable {
    /// There is no key yet.
    case none
    case open
    case passphrase
  }

  private let path: String
  private let cost: PassphraseKey.Cost
  private let attempts: PassphraseAttempts

  /// `path` is that of the file, by which the keyring knows the key, too; `cost` is for passphrases that are set from now
  /// on.
  public init(
    path: String, cost: PassphraseKey.Cost = .standard, attempts: PassphraseAttempts = .init()
  ) {
    self.path = path
    self.cost = cost
    self.attempts = attempts
  }

  public func protection() throws(StorageError) -> Protection {
    do {
      switch try KeyFile(path: path).read() {
      case .open: return .open
      case .wrapped: return .passphrase
      }
    } catch StorageError.Code.keyMissing {
      return .none
    }
  }

  /// Creates and stores the key of a new database, without a passphrase: see ``OpenKeyFile/warning``. Throws
  /// `duplicate` if there is a key.
  public func create() throws(StorageError) -> DatabaseKey {
    guard try protection() == .none else {
      throw StorageError(.duplicate, "there is already a key in \(path), which a database may need")
    }
    let key = try StorageError.keys("cannot create a key") { () throws(SessionError) in
      try DatabaseKey.random()
    }
    try OpenKeyFile(path: path).keep(key)
    return key
  }

  /// The key, from the key file, the keyring, or with the passphrase that `passphrase` returns. Throws
  /// `passphraseNeeded` if no closure is given.
  public func load(
    asking passphrase: @escaping @Sendable () throws(StorageError) -> SecretBytes = Self.noTerminal
  ) throws(StorageError) -> DatabaseKey {
    guard try protection() == .passphrase else { return try OpenKeyFile(path: path).load() }
    return try cache(store(asking: passphrase)).load()
  }

  public static let noTerminal: @Sendable () throws(StorageError) -> SecretBytes = {
    () throws(StorageError) in
    throw StorageError(
      .passphraseNeeded, "the database has a passphrase, and there is no terminal to prompt on")
  }

  /// The key with this passphrase, even if the keyring has it; afterwards this login session needs no passphrase.
  public func unlock(_ passphrase: SecretBytes) throws(StorageError) -> DatabaseKey {
    let store = store(passphrase)
    let key = try store.load()
    cache(store).remember(key)
    return key
  }

  /// Locks the keys: the next use needs the passphrase.
  public func lock() { cache(store(asking: Self.noTerminal)).lock() }

  /// Checks the passphrase without changing anything.
  public func test(_ passphrase: SecretBytes) throws(StorageError) { _ = try store(passphrase).load() }

  /// Sets a passphrase. Throws `passphraseSet` if there is one.
  public func setPassphrase(_ passphrase: SecretBytes) throws(StorageError) {
    guard try protection() != .passphrase else {
      throw StorageError(.passphraseSet, "there is already a passphrase: change it instead")
    }
    try store(passphrase).keep(try OpenKeyFile(path: path).load())
    // The keyring may hold the key of an earlier file.
    lock()
  }

  public func changePassphrase(from old: SecretBytes, to new: SecretBytes) throws(StorageError) {
    let key = try store(old).load()
    try store(new).keep(key)
    lock()
  }

  /// Keeps the key openly from now on.
  public func removePassphrase(_ passphrase: SecretBytes) throws(StorageError) {
    let key = try store(passphrase).load()
    try OpenKeyFile(path: path).keep(key)
    lock()
  }

  private func store(_ passphrase: SecretBytes) -> PassphraseKeyFile {
    store { () throws(StorageError) in passphrase }
  }

  private func store(
    asking passphrase: @escaping @Sendable () throws(StorageError) -> SecretBytes
  ) -> PassphraseKeyFile {
    PassphraseKeyFile(path: path, cost: cost, attempts: attempts, passphrase: passphrase)
  }

  private func cache(_ store: PassphraseKeyFile) -> KeyringCache<PassphraseKeyFile> {
    KeyringCache(store, name: path)
  }
}
