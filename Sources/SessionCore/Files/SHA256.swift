internal import CSessionCore

/// A SHA-256 hash of what comes in pieces.
public struct SHA256: Sendable {
  // The state of the core's stream, which has no pointers.
  private var state = [UInt64](repeating: 0, count: MemoryLayout<sc_sha256_stream>.size / 8)

  public init() { withStream { sc_sha256_begin($0) } }

  public mutating func add(_ piece: some Collection<UInt8>) {
    Array(piece).withUnsafeBufferPointer { piece in withStream { sc_sha256_add($0, sc_bytes(piece)) } }
  }

  /// Returns the hash of all pieces. The value is then useless.
  public mutating func finish() -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    hash.withUnsafeMutableBufferPointer { hash in
      guard let start = hash.baseAddress else { return }
      withStream { sc_sha256_end(start, $0) }
    }
    return hash
  }

  private mutating func withStream(_ body: (UnsafeMutablePointer<sc_sha256_stream>) -> Void) {
    state.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { preconditionFailure("the state has no memory") }
      body(start.bindMemory(to: sc_sha256_stream.self, capacity: 1))
    }
  }
}
