public import SessionCore

/// A key under a passphrase, in a file: without the passphrase nothing on the disk opens the database.
public struct PassphraseKeyFile: KeyStore {
  /// Longer passphrases are rejected.
  public static let passphraseByteLimit = 1024

  private let file: KeyFile
  private let passphrase: @Sendable () throws(StorageError) -> SecretBytes
  private let cost: PassphraseKey.Cost
  private let attempts: PassphraseAttempts

  /// `cost` applies to keys stored from now on; a stored key has its own. `passphrase` is called on the caller's
  /// thread when a passphrase is needed, and may prompt.
  public init(
    path: String, cost: PassphraseKey.Cost = .standard, attempts: PassphraseAttempts,
    passphrase: @escaping @Sendable () throws(StorageError) -> SecretBytes
  ) {
    file = KeyFile(path: path)
    self.passphrase = passphrase
    self.cost = cost
    self.attempts = attempts
  }

  /// Throws `wrongPassphrase`, `tooManyAttempts` after too many wrong ones, `passphraseNotSet` if the key is stored
  /// without one.
  public func load() throws(StorageError) -> DatabaseKey {
    guard case .wrapped(let key) = try file.read() else {
      throw StorageError(.passphraseNotSet, "the key in \(file.path) is not protected by a passphrase")
    }
    return try attempts.attempt { () throws(StorageError) in try key.open(passphrase: try ask()) }
  }

  public func keep(_ key: DatabaseKey) throws(StorageError) {
    try file.write(.wrapped(try WrappedKey(key, passphrase: try ask(), cost: cost)))
  }

  public func forget() throws(StorageError) { try file.remove() }

  private func ask() throws(StorageError) -> SecretBytes {
    let passphrase = try passphrase()
    guard passphrase.count <= Self.passphraseByteLimit else {
      throw StorageError(.tooLarge, "a passphrase has at most \(Self.passphraseByteLimit) bytes")
    }
    return passphrase
  }
}
