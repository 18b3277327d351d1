internal import CSessionCore

/// Derives keys from passphrases with Argon2id: slow and memory-hungry on purpose.
public enum PassphraseKey {
  /// The size of the public salt of a key: 16 bytes, fresh for each passphrase.
  public static let saltCount = Int(SC_PASSPHRASE_SALT_BYTES)

  /// The cost of each guess of a passphrase.
  public struct Cost: Hashable, Sendable, Codable {
    public var passes: UInt32
    /// The amount of memory, in bytes.
    public var memory: Int

    public init(passes: UInt32, memory: Int) {
      self.passes = passes
      self.memory = memory
    }

    /// True within the limits, which keep a forged cost from stalling the machine.
    package var isAllowed: Bool {
      (1...UInt32(SC_PASSPHRASE_MAX_PASSES)).contains(passes)
        && (8 << 10...1 << 30).contains(memory)
    }

    /// For a key that protects everything: 3 passes over 256 MiB.
    public static let standard = Cost(passes: 3, memory: 256 << 20)
    /// For small machines: 2 passes over 64 MiB.
    public static let light = Cost(passes: 2, memory: 64 << 20)
  }

  /// Derives a key of 16 to 64 bytes. Uses the time and memory of the cost on the calling thread.
  public static func derive(
    from passphrase: SecretBytes, salt: some Collection<UInt8>, cost: Cost = .standard, count: Int = 32
  ) throws(SessionError) -> SecretBytes {
    guard salt.count == saltCount else {
      throw SessionError(.argument, "a salt has \(saltCount) bytes, this one has \(salt.count)")
    }
    guard cost.memory >= 0 else { throw SessionError(SC_ERR_PASSPHRASE_COST) }
    let salt = Array(salt)
    return try passphrase.withCore { (passphrase) throws(SessionError) in
      try Core.secret(count: count) { key in
        sc_passphrase_key(
          key, count, passphrase, salt, sc_passphrase_cost(passes: cost.passes, memory: cost.memory))
      }
    }
  }
}
