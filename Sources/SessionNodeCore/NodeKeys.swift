package import CSessionCore
public import SessionCore
public import SessionEndpoint

/// The keys of a storage node: the Ed25519 key that identifies it, and its X25519 form, which seals onion layers.
public final class NodeKeys: Sendable {
  /// 32 bytes.
  public let publicKey: [UInt8]
  /// The X25519 form, which seals requests.
  public let exchange: ExchangeKeys
  /// The same key for an endpoint.
  public let identity: NetworkIdentity

  private let seed: SecretBytes
  private let pair: SecretBytes

  /// Creates keys from the 32-byte seed of the Ed25519 key. Throws `keySize` for another length.
  public init(seed: SecretBytes) throws(SessionError) {
    self.seed = seed
    identity = try NetworkIdentity(seed: seed)
    pair = try Core.withWiped(sc_keypair.self) { (pair) throws(SessionError) in
      seed.withCore { sc_keypair_from_seed(pair, $0.ptr) }
      return try SecretBytes(value: pair)
    }
    publicKey = identity.publicKey
    exchange = try pair.withValue(sc_keypair.self) { (pair) throws(SessionError) in
      try withUnsafePointer(to: pair.pointee.x) { (pair) throws(SessionError) in try ExchangeKeys(pair) }
    }
  }

  /// The X25519 form of the public key, 32 bytes.
  public var exchangeKey: [UInt8] { exchange.publicKey }

  /// Fresh keys.
  public static func random() throws(SessionError) -> NodeKeys {
    try NodeKeys(seed: .random(count: Int(SC_ED25519_SEED_BYTES)))
  }

  /// The seed, for storing it.
  public func withSeed<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try seed.withBytes(body)
  }

  public func sign(_ message: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    try withPair { (pair) throws(SessionError) in try pair.sign(message) }
  }

  /// Derives 32 secret bytes from the keys and a name; they reveal nothing about the keys.
  public func secret(named name: String) throws(SessionError) -> SecretBytes {
    try name.utf8.lend { (name) throws(SessionError) in
      try Core.secret(count: 32) { out in seed.withCore { sc_blake2b(out, 32, $0, name) } }
    }
  }

  package func withPair<R, E: Error>(_ body: (UnsafePointer<sc_keypair>) throws(E) -> R) throws(E) -> R {
    try pair.withValue(sc_keypair.self, body)
  }
}
