internal import CSessionCore

/// A public key of minisign, which signs releases.
public struct ReleaseKey: Hashable, Sendable {
  /// The id that signatures name.
  public let id: [UInt8]
  private let key: [UInt8]

  /// The longest key or signature, in bytes.
  public static let maxText = Int(SC_MINISIGN_MAX_TEXT)

  /// Reads a line of base64, or a file of minisign. Throws `fileFormat` for anything else.
  public init(parsing text: some Collection<UInt8>) throws(SessionError) {
    var read = sc_minisign_key()
    try Core.call(with: text) { sc_minisign_key_read(&read, $0) }
    id = withUnsafeBytes(of: read.id) { Array($0) }
    key = withUnsafeBytes(of: read.key) { Array($0) }
  }

  fileprivate var core: sc_minisign_key {
    var core = sc_minisign_key()
    withUnsafeMutableBytes(of: &core.id) { $0.copyBytes(from: id) }
    withUnsafeMutableBytes(of: &core.key) { $0.copyBytes(from: key) }
    return core
  }

  /// An id as minisign prints it.
  public static func shown(_ id: [UInt8]) -> String { id.reversed().hex.uppercased() }
}

/// A signature file of minisign. Its contents can be trusted once they are verified.
public struct ReleaseSignature: Sendable {
  private let text: [UInt8]
  /// The id of the key that made it.
  public let keyID: [UInt8]

  /// Throws `fileFormat`, and `version` for the older form, which does not hash the file.
  public init(parsing text: [UInt8]) throws(SessionError) {
    var read = sc_minisign_signature()
    try Core.call(with: text) { sc_minisign_signature_read(&read, $0) }
    self.text = text
    keyID = withUnsafeBytes(of: read.key_id) { Array($0) }
  }

  /// Verifies the signature of a file, and returns the trusted comment. Throws `signature`.
  public func comment(verifying file: some Collection<UInt8>, by key: ReleaseKey) throws(SessionError)
    -> String
  {
    var comment = ""
    let core = key.core
    try Core.lend(text, file) { (text, file) throws(SessionError) in
      var read = sc_minisign_signature()
      try Core.call { sc_minisign_signature_read(&read, text) }
      try Core.call { withUnsafePointer(to: core) { key in sc_minisign_verify(&read, key, file) } }
      let bytes = UnsafeBufferPointer(start: read.trusted_comment.ptr, count: read.trusted_comment.len)
      comment = String(decoding: bytes, as: UTF8.self)
    }
    return comment
  }
}

/// A list of SHA-256 sums, as `sha256sum` writes it.
public struct ReleaseSums: Sendable {
  private let list: [UInt8]

  /// The longest list, in bytes.
  public static let maxText = Int(SC_SUMS_MAX_TEXT)

  public init(_ list: [UInt8]) { self.list = list }

  /// Returns the sum of a file. Throws `fileFormat` if this is no list, or one that is not in the order of its names, and
  /// `notFound`.
  public func sum(of name: String) throws(SessionError) -> [UInt8] {
    var sum = [UInt8](repeating: 0, count: 32)
    try Core.lend(list, Array(name.utf8)) { (list, name) throws(SessionError) in
      try Core.call { sc_sums_find(&sum, list, name) }
    }
    return sum
  }
}
