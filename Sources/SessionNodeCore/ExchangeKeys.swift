package import CSessionCore
public import SessionCore

/// The X25519 keys of a server, which open requests through the network.
public final class ExchangeKeys: Sendable {
  /// 32 bytes.
  public let publicKey: [UInt8]
  /// One `sc_x25519_pair`.
  private let pair: SecretBytes

  init(_ pair: UnsafePointer<sc_x25519_pair>) throws(SessionError) {
    self.pair = try SecretBytes(value: pair)
    publicKey = array(pair.pointee.public_key)
  }

  /// Creates keys from the 32-byte secret. Throws `keySize` for another length.
  public convenience init(secret: SecretBytes) throws(SessionError) {
    guard secret.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    let pair = try Core.withWiped(sc_x25519_pair.self) { (pair) throws(SessionError) in
      secret.withCore { sc_x25519_pair_from_secret(pair, $0.ptr) }
      return try SecretBytes(value: pair)
    }
    try self.init(pair)
  }

  private init(_ pair: SecretBytes) throws(SessionError) {
    self.pair = pair
    publicKey = pair.withValue(sc_x25519_pair.self) { array($0.pointee.public_key) }
  }

  /// Fresh keys.
  public static func random() throws(SessionError) -> ExchangeKeys {
    try ExchangeKeys(secret: .random(count: Int(SC_KEY_BYTES)))
  }

  /// The secret, for storing it.
  public func secret() throws(SessionError) -> SecretBytes {
    try pair.withValue(sc_x25519_pair.self) { (pair) throws(SessionError) in
      try withUnsafeBytes(of: pair.pointee.secret) { (secret) throws(SessionError) in
        try SecretBytes(copying: secret)
      }
    }
  }

  /// Derives 32 secret bytes from the keys and a name; they reveal nothing about the keys.
  public func secret(named name: String) throws(SessionError) -> SecretBytes {
    let secret = try secret()
    return try name.utf8.lend { (name) throws(SessionError) in
      try Core.secret(count: 32) { out in secret.withCore { sc_blake2b(out, 32, $0, name) } }
    }
  }

  /// Derives 32 secret bytes from a name and the secret, under a key that is the name of a purpose.
  package func secret(of name: String, for purpose: String) throws(SessionError) -> SecretBytes {
    let secret = try secret()
    var text: [UInt8] = []
    // It must not move, which would leave a copy.
    text.reserveCapacity(name.utf8.count + secret.count)
    defer { text.wipe() }
    text += name.utf8
    secret.withBytes { bytes in for index in bytes.indices { text.append(bytes[index]) } }
    return try purpose.utf8.lend { (purpose) throws(SessionError) in
      try text.lend { (text) throws(SessionError) in
        try Core.secret(count: 32) { out in sc_blake2b(out, 32, purpose, text) }
      }
    }
  }

  package func withPair<R, E: Error>(
    _ body: (UnsafePointer<sc_x25519_pair>) throws(E) -> R
  ) throws(E) -> R {
    try pair.withValue(sc_x25519_pair.self, body)
  }
}
