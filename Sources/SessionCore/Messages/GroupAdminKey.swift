internal import CSessionCore

/// The secret key of a group; its holder is an admin.
public struct GroupAdminKey: Sendable {
  static let seedBytes = Int(SC_ED25519_SEED_BYTES)

  /// The group it belongs to.
  public let group: SessionID
  /// 32 bytes.
  public let seed: SecretBytes

  public init(seed: SecretBytes) throws(SessionError) {
    try MessageRule.groupSeed.require(seed.count == Self.seedBytes)
    self.seed = seed
    let key = try Self.withPair(of: seed) { pair in withUnsafeBytes(of: pair.pointee.public_key) { Array($0) }
    }
    self.group = try SessionID(.group, key: key)
  }

  /// Signs as the group: 64 bytes.
  func sign(_ message: [UInt8]) throws(SessionError) -> [UInt8] {
    try withPair { (pair) throws(SessionError) in
      try message.lend { (message) throws(SessionError) in
        var signature = [UInt8](repeating: 0, count: Int(SC_SIGNATURE_BYTES))
        sc_ed25519_sign(&signature, pair, message)
        return signature
      }
    }
  }

  /// Lends both halves of the key.
  func withPair<R>(
    _ body: (UnsafeMutablePointer<sc_ed25519_pair>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try Self.withPair(of: seed, body)
  }

  private static func withPair<R>(
    of seed: SecretBytes, _ body: (UnsafeMutablePointer<sc_ed25519_pair>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try Core.withWiped(sc_ed25519_pair.self) { (pair) throws(SessionError) in
      seed.withCore { sc_ed25519_pair_from_seed(pair, $0.ptr) }
      return try body(pair)
    }
  }
}

extension GroupAdminKey: Equatable {
  public static func == (a: Self, b: Self) -> Bool { a.group == b.group }
}

extension GroupAdminKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "GroupAdminKey(\(group))" }
  public var customMirror: Mirror { Mirror(self, children: ["group": group]) }
}
