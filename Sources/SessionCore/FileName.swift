internal import CSessionCore

/// The names of files on file servers.
public enum FileName {
  private static let hashBytes: Int32 = 33
  private static let salt = Array("SessionFileSvr\0\0".utf8)

  public static let length = 44

  /// The name derived from the content: the same content has the same name for every sender. Servers may name files
  /// differently, so use the name that the server returned.
  public static func of(_ content: some Collection<UInt8>) -> String {
    let hash = try? Core.bytes(count: hashBytes, of: content) {
      sc_blake2b_salted($0, Int(hashBytes), salt, $1)
    }
    guard let hash else { preconditionFailure("the core refuses a hash of a size that it has") }
    return Core.text(capacity: length + 1) { text in
      _ = hash.withUnsafeBufferPointer { sc_base64_encode(text, sc_bytes($0), SC_BASE64_URL) }
    }
  }
}
