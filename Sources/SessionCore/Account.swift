internal import CSessionCore

/// A person's account: the id others write to, and the keys behind it.
///
/// Everything is derived from 16 secret bytes, which a ``RecoveryPhrase`` writes as words. The keys are in guarded
/// memory, wiped with the last copy of the account. An account prints as its id.
public struct Account: Sendable {
  public let id: SessionID
  /// The public key that verifies this account's signatures, 32 bytes.
  public let ed25519PublicKey: [UInt8]

  /// One `sc_account`.
  private let keys: SecretBytes

  /// Creates a new account from fresh randomness.
  public static func generate() throws(SessionError) -> Account {
    try Account { account in
      sc_account_generate(account, nil)
      return SC_OK
    }
  }

  /// Restores the account of a recovery phrase.
  public init(_ phrase: RecoveryPhrase) throws(SessionError) {
    try self.init(seed: phrase.seed)
  }

  /// Restores the account of a 16-byte seed.
  public init(seed: SecretBytes) throws(SessionError) {
    guard seed.count == Int(SC_SEED_BYTES) else { throw SessionError(SC_ERR_SEED) }
    self = try seed.withCore { (seed) throws(SessionError) in
      try Account { account in
        sc_account_from_seed(account, seed.ptr)
        return SC_OK
      }
    }
  }

  /// Reads the secret bytes as 32 hexadecimal digits, or as 64 that end in 32 zeros.
  ///
  /// The caller wipes `seed`.
  public init(hexSeed seed: some Collection<UInt8>) throws(SessionError) {
    self = try seed.lend { (text) throws(SessionError) in
      try Account { sc_account_from_hex($0, text) }
    }
  }

  private init(_ make: (UnsafeMutablePointer<sc_account>) -> sc_status) throws(SessionError) {
    (id, ed25519PublicKey, keys) = try Core.withWiped(sc_account.self) { (account) throws(SessionError) in
      try Core.call { make(account) }
      return (
        SessionID(account.pointee.id), array(account.pointee.keys.ed.public_key),
        try SecretBytes(value: account)
      )
    }
  }

  /// Returns the recovery phrase. Anyone who reads it can take over the account.
  public func recoveryPhrase() throws(SessionError) -> RecoveryPhrase {
    RecoveryPhrase(
      seed: try withCore { (account) throws(SessionError) in
        let seed = UnsafeBufferPointer(start: sc_account_seed(account), count: Int(SC_SEED_BYTES))
        return try SecretBytes(copying: seed)
      })
  }

  /// Signs with the account's Ed25519 key: 64 bytes.
  public func sign(_ message: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    try withKeys { (keys) throws(SessionError) in
      try keys.sign(message)
    }
  }
}

extension Account {
  func withCore<R, E: Error>(_ body: (UnsafePointer<sc_account>) throws(E) -> R) throws(E) -> R {
    try keys.withValue(sc_account.self, body)
  }

  func withKeys<R, E: Error>(_ body: (UnsafePointer<sc_keypair>) throws(E) -> R) throws(E) -> R {
    try withCore { (account) throws(E) in
      guard let keys = account.pointer(to: \.keys) else { preconditionFailure("an account has keys") }
      return try body(keys)
    }
  }

  /// Lends the seed of the Ed25519 key.
  func withSeed<R, E: Error>(_ body: (sc_bytes) throws(E) -> R) throws(E) -> R {
    try withKeys { (keys) throws(E) in
      guard let secret = keys.pointer(to: \.ed.secret) else { preconditionFailure("a pair has a secret") }
      return try body(sc_bytes_make(secret, Int(SC_ED25519_SEED_BYTES)))
    }
  }
}

extension Account {
  /// The seed of the Ed25519 key, as an archive has it. Anyone who reads it can take over the account.
  public func archiveSeed() throws(SessionError) -> SecretBytes {
    try withSeed { (seed) throws(SessionError) in try SecretBytes(copying: seed.content) }
  }
}

extension Account: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { id.description }
  public var debugDescription: String { "Account(\(id))" }
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
