internal import CSessionCore

/// The names that file servers give to content.
public enum FileName {
  private static let hashBytes = 33
  private static let salt = Array("SessionFileSvr\0\0".utf8)

  /// Characters of each of them.
  public static let length = 44

  /// What the content itself says it is called: the same content has the same name, whoever sends it. Other servers may
  /// name it otherwise, so that only the one it was sent to knows the name that counts.
  public static func of(_ content: some Collection<UInt8>) -> String {
    var hash = [UInt8](repeating: 0, count: hashBytes)
    let outcome = Result { () throws(SessionError) in
      try content.lend { (content) throws(SessionError) in
        try Core.call { sc_blake2b_salted(&hash, hashBytes, salt, content) }
      }
    }
    guard case .success = outcome else {
      preconditionFailure("the core refuses a hash of a size that it has")
    }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { text in
      guard let start = text.baseAddress else { preconditionFailure("no memory was asked for") }
      _ = hash.withUnsafeBufferPointer { sc_base64_encode(start, sc_bytes($0), SC_BASE64_URL) }
      return String(cString: start)
    }
  }
}
