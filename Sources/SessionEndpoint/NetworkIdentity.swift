internal import CSessionCore
public import SessionCore

/// The Ed25519 key that an endpoint presents to its peers.
public struct NetworkIdentity: Sendable {
  private let seed: SecretBytes
  /// The public key, 32 bytes.
  public let publicKey: [UInt8]

  /// Creates an identity from the 32-byte seed of the key. Throws `keySize` for another length.
  public init(seed: SecretBytes) throws(SessionError) {
    self.seed = seed
    publicKey = try seed.withPair { array($0.pointee.public_key) }
  }

  /// A fresh key.
  public static func random() throws(SessionError) -> NetworkIdentity {
    try NetworkIdentity(seed: .random(count: Int(SC_ED25519_SEED_BYTES)))
  }

  /// Lends both halves of the key.
  func withPair<R>(
    _ body: (UnsafePointer<sc_ed25519_pair>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try seed.withPair { (pair) throws(SessionError) in try body(pair) }
  }
}
