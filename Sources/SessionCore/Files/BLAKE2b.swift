internal import CSessionCore

/// A BLAKE2b hash of 64 bytes of what comes in pieces.
public struct BLAKE2b: Sendable {
  public static let byteCount = Int(SC_BLAKE2B_MAX_BYTES)

  // The state of the core's stream, which has no pointers.
  private var state = [UInt64](repeating: 0, count: MemoryLayout<sc_blake2b_stream>.size / 8)

  public init() { withStream { sc_blake2b_begin($0) } }

  public mutating func add(_ piece: some Collection<UInt8>) {
    Array(piece).withUnsafeBufferPointer { piece in withStream { sc_blake2b_add($0, sc_bytes(piece)) } }
  }

  /// Returns the hash of all pieces. The value is then useless.
  public mutating func finish() -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.byteCount)
    hash.withUnsafeMutableBufferPointer { hash in
      guard let start = hash.baseAddress else { return }
      withStream { sc_blake2b_end(start, $0) }
    }
    return hash
  }

  private mutating func withStream(_ body: (UnsafeMutablePointer<sc_blake2b_stream>) -> Void) {
    state.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { preconditionFailure("the state has no memory") }
      body(start.bindMemory(to: sc_blake2b_stream.self, capacity: 1))
    }
  }
}
