package import CSessionCore

/// The entry point to the C core: calls that can fail go through here, after the core was initialised.
package enum Core {
  /// The result of initialising the core, once per process.
  private static let readiness = sc_init()

  package static func call(_ body: () throws(SessionError) -> sc_status) throws(SessionError) {
    try SessionError.check(readiness)
    try SessionError.check(try body())
  }

  /// Returns the object that `make` creates.
  package static func object(
    _ make: (UnsafeMutablePointer<OpaquePointer?>) throws(SessionError) -> sc_status
  ) throws(SessionError) -> OpaquePointer {
    var object: OpaquePointer?
    try call { () throws(SessionError) in try make(&object) }
    guard let object else { preconditionFailure("the core made nothing and reported nothing missing") }
    return object
  }

  /// Returns the text that `write` puts into a buffer for `capacity` characters, including the terminating zero.
  package static func text(capacity: some BinaryInteger, _ write: (UnsafeMutablePointer<CChar>) -> Void)
    -> String
  {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(capacity)) { text in
      guard let start = text.baseAddress else { preconditionFailure("no memory was asked for") }
      write(start)
      return String(cString: start)
    }
  }

  /// Returns the buffer that `body` fills from the bytes lent to it.
  package static func bytes(
    of input: some Collection<UInt8>, _ body: (UnsafeMutablePointer<sc_buffer>, sc_bytes) -> sc_status
  ) throws(SessionError) -> [UInt8] {
    try input.lend { (input) throws(SessionError) in try bytes { body($0, input) } }
  }

  /// Returns the buffer that `body` fills from two inputs.
  package static func bytes(
    of one: some Collection<UInt8>, _ other: some Collection<UInt8>,
    _ body: (UnsafeMutablePointer<sc_buffer>, sc_bytes, sc_bytes) -> sc_status
  ) throws(SessionError) -> [UInt8] {
    try lend(one, other) { (one, other) throws(SessionError) in try bytes { body($0, one, other) } }
  }

  /// Returns the `count` bytes that `body` writes.
  package static func bytes(
    count: Int32, _ body: (UnsafeMutablePointer<UInt8>) throws(SessionError) -> sc_status
  ) throws(SessionError) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: Int(count))
    try call { () throws(SessionError) in try body(&output) }
    return output
  }

  /// Returns the `count` bytes that `body` writes, given the bytes lent to it.
  package static func bytes(
    count: Int32, of input: some Collection<UInt8>,
    _ body: (UnsafeMutablePointer<UInt8>, sc_bytes) -> sc_status
  ) throws(SessionError) -> [UInt8] {
    try input.lend { (input) throws(SessionError) in try bytes(count: count) { body($0, input) } }
  }

  /// Returns the X25519 form of an Ed25519 key. Throws `keyInvalid` for a key without one.
  package static func exchangeKey(of key: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    try bytes(count: SC_KEY_BYTES, of: key) { sc_x25519_from_ed25519($0, $1) }
  }

  /// Returns the BLAKE2b hash of 16 to 64 bytes.
  package static func hash(of content: some Collection<UInt8>, count: Int = 32) throws(SessionError)
    -> [UInt8]
  {
    try bytes(count: Int32(count), of: content) { sc_blake2b($0, count, sc_bytes(), $1) }
  }

  /// Calls a setter of the core if the value changed.
  package static func set<Value: Equatable>(
    _ new: Value, over old: Value, _ setter: (Value) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    if new != old { try SessionError.check(try setter(new)) }
  }

  package static func lend<R>(
    _ one: some Collection<UInt8>, _ other: some Collection<UInt8>,
    _ body: (sc_bytes, sc_bytes) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try one.lend { (one) throws(SessionError) in
      try other.lend { (other) throws(SessionError) in try body(one, other) }
    }
  }

  package static func call(
    with input: some Collection<UInt8>, _ body: (sc_bytes) -> sc_status
  ) throws(SessionError) {
    try input.lend { (input) throws(SessionError) in try call { body(input) } }
  }

  /// Returns the buffer that `body` fills.
  package static func bytes(_ body: (UnsafeMutablePointer<sc_buffer>) -> sc_status) throws(SessionError)
    -> [UInt8]
  {
    var buffer = sc_buffer()
    defer { sc_buffer_free(&buffer) }
    try call { body(&buffer) }
    return Array(buffer.content)
  }

  /// Returns the buffer that `body` fills, moved to guarded memory.
  package static func secret(
    _ body: (UnsafeMutablePointer<sc_buffer>) -> sc_status
  ) throws(SessionError) -> SecretBytes {
    var buffer = sc_buffer()
    defer { sc_buffer_free(&buffer) }
    try call { body(&buffer) }
    return try SecretBytes(copying: buffer.content)
  }

  /// Returns the `count` bytes that `body` writes, moved to guarded memory.
  package static func secret(
    count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws(SessionError) -> sc_status
  ) throws(SessionError) -> SecretBytes {
    guard count > 0 else { throw SessionError(SC_ERR_ARGUMENT) }
    return try withWiped(UInt8.self, count: count) { (bytes) throws(SessionError) in
      try call { () throws(SessionError) in try body(bytes) }
      return try SecretBytes(copying: UnsafeBufferPointer(start: bytes, count: count))
    }
  }

  /// Lends zeroed memory for plain C values that hold secrets, and always wipes it afterwards.
  package static func withWiped<Value: BitwiseCopyable, R>(
    _ type: Value.Type, count: Int = 1,
    _ body: (UnsafeMutablePointer<Value>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    let size = MemoryLayout<Value>.stride * count
    let result: Result<R, SessionError> = withUnsafeTemporaryAllocation(
      byteCount: size, alignment: MemoryLayout<Value>.alignment
    ) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      defer { sc_wipe(memory.baseAddress, size) }
      let values = memory.bindMemory(to: Value.self)
      guard let first = values.baseAddress else { preconditionFailure("no memory was asked for") }
      return Result { () throws(SessionError) in try body(first) }
    }
    return try result.get()
  }
}

extension SecretBytes {
  /// Stores a C value without pointers as a secret.
  package convenience init<Value: BitwiseCopyable>(value: UnsafePointer<Value>) throws(SessionError) {
    try self.init(copying: UnsafeRawBufferPointer(start: value, count: MemoryLayout<Value>.size))
  }

  /// Lends the value stored by `init(value:)`. It consists of bytes only, so it needs no alignment.
  package func withValue<Value: BitwiseCopyable, R, E: Error>(
    _ type: Value.Type, _ body: (UnsafePointer<Value>) throws(E) -> R
  ) throws(E) -> R {
    try withCore { (bytes) throws(E) in
      guard let start = bytes.ptr else { preconditionFailure("a secret without memory") }
      return try body(UnsafeRawPointer(start).assumingMemoryBound(to: type))
    }
  }

  /// Lends the Ed25519 key pair of a 32-byte seed.
  package func withPair<R>(
    _ body: (UnsafeMutablePointer<sc_ed25519_pair>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    guard count == Int(SC_ED25519_SEED_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    return try Core.withWiped(sc_ed25519_pair.self) { (pair) throws(SessionError) in
      withCore { sc_ed25519_pair_from_seed(pair, $0.ptr) }
      return try body(pair)
    }
  }
}

extension UnsafePointer<sc_keypair> {
  package func sign(_ message: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    try Core.bytes(count: SC_SIGNATURE_BYTES, of: message) { signature, message in
      withUnsafePointer(to: pointee.ed) { sc_ed25519_sign(signature, $0, message) }
      return SC_OK
    }
  }
}

extension sc_buffer {
  /// The bytes; valid until the buffer changes.
  package var content: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: ptr, count: len) }
}

extension sc_bytes {
  /// The bytes; valid as long as their owner.
  package var content: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: ptr, count: len) }

  /// The text; nil if there is none.
  package var text: String? { ptr == nil ? nil : String(decoding: content, as: UTF8.self) }

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.init(ptr: bytes.baseAddress, len: bytes.count)
  }
}

extension Collection<UInt8> {
  /// Lends the bytes to C for one call; a copy, if needed, is wiped.
  package func lend<R>(_ body: (sc_bytes) throws(SessionError) -> R) throws(SessionError) -> R {
    let lent = withContiguousStorageIfAvailable { bytes in
      Result { () throws(SessionError) in try body(sc_bytes(bytes)) }
    }
    if let lent { return try lent.get() }
    var copy = Array(self)
    defer { copy.wipe() }
    return try copy.withUnsafeBufferPointer { bytes in
      Result { () throws(SessionError) in try body(sc_bytes(bytes)) }
    }.get()
  }
}

extension [UInt8] {
  /// Overwrites the bytes with zeros. Other copies of the array are not wiped.
  package mutating func wipe() {
    withUnsafeMutableBytes { sc_wipe($0.baseAddress, $0.count) }
  }
}
