internal import CSessionCore

/// An id: the kind of a party, and its key.
///
/// Shown as 66 lower-case hexadecimal digits.
public struct SessionID: Hashable, Sendable, Comparable {
  /// One byte for the kind, then the key.
  public let bytes: [UInt8]
  public let kind: Kind

  /// The public key, 32 bytes. Which curve it is on depends on the kind.
  public var key: [UInt8] { Array(bytes.dropFirst()) }

  /// Creates an id from its parts; the key has 32 bytes.
  public init(_ kind: Kind, key: some Collection<UInt8>) throws(SessionError) {
    guard key.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    self.kind = kind
    self.bytes = [kind.rawValue] + key
  }

  /// Reads the binary form, 33 bytes.
  public init(bytes: some Collection<UInt8>) throws(SessionError) {
    self.init(
      try bytes.lend { (bytes) throws(SessionError) in
        var id = sc_id()
        try SessionError.check(sc_id_from_bytes(&id, bytes))
        return id
      })
  }

  init(_ id: sc_id) {
    let bytes = array(id)
    guard let kind = Kind(rawValue: bytes[0]) else {
      preconditionFailure("the core gave an id of no kind")
    }
    self.kind = kind
    self.bytes = bytes
  }

  func withCore<R>(_ body: (UnsafePointer<sc_id>) -> R) -> R { withUnsafePointer(to: core, body) }

  var core: sc_id {
    var id = sc_id()
    withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: bytes) }
    return id
  }

  /// Orders ids by their bytes.
  public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension SessionID {
  /// The kind of party that an id identifies.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// A user's Ed25519 key, for communities without blinding.
    case unblinded = 0x00
    case group = 0x03
    /// A user: the account id.
    case standard = 0x05
    /// A key for version checks, unlinkable to the account behind it.
    case version = 0x07
    /// A user as one community sees them.
    case blinded15 = 0x15
    /// A user as one community sees them, second generation.
    case blinded25 = 0x25

    /// The two digits at the start of an id of this kind.
    public var prefix: String { [rawValue].hex }
  }
}

extension SessionID.Kind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unblinded: "unblinded id"
    case .group: "group id"
    case .standard: "account id"
    case .version: "version-check id"
    case .blinded15: "blinded id"
    case .blinded25: "blinded id, second generation"
    }
  }
}
