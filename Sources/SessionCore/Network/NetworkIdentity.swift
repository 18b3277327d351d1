internal import CSessionCore

/// The Ed25519 key an endpoint shows to its peers.
public struct NetworkIdentity: Sendable {
  private let seed: SecretBytes
  /// What peers know it by; 32 bytes.
  public let publicKey: [UInt8]

  /// From the 32-byte seed of the key. Throws `keySize` for another length.
  public init(seed: SecretBytes) throws(SessionError) {
    guard seed.count == Int(SC_ED25519_SEED_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    self.seed = seed
    publicKey = try Self.withPair(of: seed) { (pair) throws(SessionError) in
      withUnsafeBytes(of: pair.pointee.public_key) { Array($0) }
    }
  }

  /// A fresh key.
  public static func random() throws(SessionError) -> NetworkIdentity {
    try NetworkIdentity(seed: .random(count: Int(SC_ED25519_SEED_BYTES)))
  }

  /// Lends both halves of the key.
  func withPair<R>(_ body: (UnsafePointer<sc_ed25519_pair>) throws(SessionError) -> R) throws(SessionError)
    -> R
  {
    try Self.withPair(of: seed, body)
  }

  private static func withPair<R>(
    of seed: SecretBytes, _ body: (UnsafePointer<sc_ed25519_pair>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try Core.withWiped(sc_ed25519_pair.self) { (pair) throws(SessionError) in
      seed.withCore { sc_ed25519_pair_from_seed(pair, $0.ptr) }
      return try body(pair)
    }
  }
}
