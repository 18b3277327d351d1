package import CSessionCore

/// Bytes that stay secret: kept out of swap and core dumps, read-only, wiped when the last reference goes.
///
/// They are never printed; closures borrow them.
// Sendable without the compiler's check: nothing writes to the memory behind the handle before deinit, which runs
// when no task can reach it any more.
public final class SecretBytes: @unchecked Sendable {
  private let handle: OpaquePointer

  /// Copies at least one byte. The caller wipes the original.
  public init(copying bytes: some Collection<UInt8>) throws(SessionError) {
    handle = try bytes.lend { (bytes) throws(SessionError) in
      try Core.object { sc_secret_new($0, nil, bytes) }
    }
  }

  deinit { sc_secret_free(handle) }

  public var count: Int { core.len }

  /// Lends the bytes to a closure.
  public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(core.content.span)
  }

  /// A copy in ordinary memory, never wiped; for data that must leave the program.
  public func reveal() -> [UInt8] { Array(core.content) }

  /// The hexadecimal digits, which the caller wipes.
  package func hexDigits() -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return withBytes { bytes in
      var text: [UInt8] = []
      // Growth would leave a copy behind.
      text.reserveCapacity(2 * bytes.count)
      for index in bytes.indices {
        text.append(digits[Int(bytes[index] >> 4)])
        text.append(digits[Int(bytes[index] & 15)])
      }
      return text
    }
  }

  /// Compares in a time that depends only on the lengths.
  public func equals(_ other: SecretBytes) -> Bool {
    count == other.count && withCore { mine in other.withCore { sc_equal(mine.ptr, $0.ptr, mine.len) } }
  }

  package func withCore<R, E: Error>(_ body: (sc_bytes) throws(E) -> R) throws(E) -> R {
    try body(core)
  }

  /// The bytes, until the last reference goes.
  fileprivate var core: sc_bytes { sc_secret_bytes(handle) }
}

extension [SecretBytes] {
  func withCore<R, E: Error>(_ body: ([sc_bytes]) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(self) {} }
    return try body(map(\.core))
  }
}

extension SecretBytes {
  /// Fresh random bytes.
  public static func random(count: Int) throws(SessionError) -> SecretBytes {
    try Core.secret(count: count) { bytes in
      sc_random(nil, bytes, count)
      return SC_OK
    }
  }
}

extension SecretBytes {
  /// Returns their 32-byte BLAKE2b hash, which identifies a key without revealing it.
  public func digest() throws(SessionError) -> [UInt8] {
    try withCore { (bytes) throws(SessionError) in try Core.hash(of: bytes.content) }
  }

  /// Derives a key of 16 to 64 bytes for one purpose: BLAKE2b with these bytes as its key.
  package func key(
    for purpose: some Collection<UInt8>, count: Int = 32
  ) throws(SessionError) -> SecretBytes {
    try withCore { (key) throws(SessionError) in
      try purpose.lend { (purpose) throws(SessionError) in
        try Core.secret(count: count) { sc_blake2b($0, count, key, purpose) }
      }
    }
  }
}

extension SecretBytes: Hashable {
  public static func == (a: SecretBytes, b: SecretBytes) -> Bool { a.equals(b) }
  /// A hash of the bytes would leak information; a hash of their number does not.
  public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  public var description: String { "SecretBytes(\(count) bytes)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
