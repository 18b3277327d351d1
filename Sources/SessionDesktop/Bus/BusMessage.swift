internal import CSystemBus
import Glibc

/// A message of libsystemd that this program holds.
struct BusMessage: ~Copyable {
  /// The most values that are read from a message.
  static let maxValues = 100_000
  /// The most files that are taken from a message, which may name one of them any number of times.
  static let maxFiles = 8
  /// The deepest nesting of values that are read.
  private static let maxDepth = 32

  let functions: UnsafePointer<bus_functions>
  let pointer: OpaquePointer

  /// Takes over a reference.
  init(owning pointer: OpaquePointer, _ functions: UnsafePointer<bus_functions>) {
    (self.pointer, self.functions) = (pointer, functions)
  }

  deinit { _ = functions.pointee.sd_bus_message_unref(pointer) }

  // MARK: - Writing

  func append(_ values: [BusValue]) throws(BusFailure) {
    for value in values { try append(value) }
  }

  private func append(_ value: BusValue) throws(BusFailure) {
    switch value {
    case .byte(let number): try basic("y", number)
    case .boolean(let isTrue): try basic("b", Int32(isTrue ? 1 : 0))
    case .int16(let number): try basic("n", number)
    case .uint16(let number): try basic("q", number)
    case .int32(let number): try basic("i", number)
    case .uint32(let number): try basic("u", number)
    case .int64(let number): try basic("x", number)
    case .uint64(let number): try basic("t", number)
    case .double(let number): try basic("d", number)
    case .string(let text): try basic("s", text)
    case .path(let text): try basic("o", text)
    case .signature(let text): try basic("g", text)
    case .file(let file): try basic("h", file.descriptor)
    case .bytes(let bytes):
      let result = bytes.withUnsafeBytes { bytes in
        functions.pointee.sd_bus_message_append_array(pointer, type("y"), bytes.baseAddress, bytes.count)
      }
      try check(result)
    case .array(let element, let elements):
      try container("a", element) { () throws(BusFailure) in try append(elements) }
    case .structure(let members):
      try container("r", members.map(\.signature).joined()) { () throws(BusFailure) in try append(members) }
    case .entry(let key, let value):
      try container("e", key.signature + value.signature) { () throws(BusFailure) in try append([key, value])
      }
    case .variant(let value):
      try container("v", value.signature) { () throws(BusFailure) in try append(value) }
    }
  }

  private func basic<Number: BitwiseCopyable>(_ name: Unicode.Scalar, _ number: Number) throws(BusFailure) {
    let result = withUnsafePointer(to: number) {
      functions.pointee.sd_bus_message_append_basic(pointer, type(name), $0)
    }
    try check(result)
  }

  private func basic(_ name: Unicode.Scalar, _ text: String) throws(BusFailure) {
    // The bus ends a connection that sends it a text with a zero.
    guard !text.utf8.contains(0) else { throw BusFailure(.message, "a text has a zero byte") }
    let result = text.withCString { functions.pointee.sd_bus_message_append_basic(pointer, type(name), $0) }
    try check(result)
  }

  private func container(
    _ name: Unicode.Scalar, _ contents: String, _ fill: () throws(BusFailure) -> Void
  ) throws(BusFailure) {
    let result = contents.withCString {
      functions.pointee.sd_bus_message_open_container(pointer, type(name), $0)
    }
    try check(result)
    try fill()
    try check(functions.pointee.sd_bus_message_close_container(pointer))
  }

  // MARK: - Reading

  /// All values of a message.
  static func values(
    of pointer: OpaquePointer, _ functions: UnsafePointer<bus_functions>
  ) throws(BusFailure) -> [BusValue] {
    var reader = Reader(functions: functions, pointer: pointer)
    return try reader.values(depth: 0)
  }

  private struct Reader {
    let functions: UnsafePointer<bus_functions>
    let pointer: OpaquePointer
    var count = 0
    var files = 0

    /// The values up to the end of the container.
    mutating func values(depth: Int) throws(BusFailure) -> [BusValue] {
      guard depth <= maxDepth else { throw BusFailure(.message, "a message is nested too deeply") }
      var values: [BusValue] = []
      while true {
        var name: CChar = 0
        var contents: UnsafePointer<CChar>?
        let found = functions.pointee.sd_bus_message_peek_type(pointer, &name, &contents)
        try check(found)
        guard found > 0 else { return values }
        count += 1
        guard count <= maxValues else { throw BusFailure(.message, "a message has too many values") }
        values.append(
          try value(
            Unicode.Scalar(UInt8(bitPattern: name)), contents.map { String(cString: $0) } ?? "", depth))
      }
    }

    private mutating func value(
      _ name: Unicode.Scalar, _ contents: String, _ depth: Int
    ) throws(BusFailure) -> BusValue {
      switch name {
      case "y": return .byte(try basic(name, UInt8(0)))
      case "b": return .boolean(try basic(name, Int32(0)) != 0)
      case "n": return .int16(try basic(name, Int16(0)))
      case "q": return .uint16(try basic(name, UInt16(0)))
      case "i": return .int32(try basic(name, Int32(0)))
      case "u": return .uint32(try basic(name, UInt32(0)))
      case "x": return .int64(try basic(name, Int64(0)))
      case "t": return .uint64(try basic(name, UInt64(0)))
      case "d": return .double(try basic(name, Double(0)))
      case "s": return .string(try text(name))
      case "o": return .path(try text(name))
      case "g": return .signature(try text(name))
      case "h":
        files += 1
        guard files <= maxFiles else { throw BusFailure(.message, "a message has too many files") }
        // The message closes its own.
        let copy = fcntl(try basic(name, Int32(-1)), F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw BusFailure(.message, "no descriptor is left") }
        return .file(BusFile(adopting: copy))
      case "a" where contents == "y":
        var (bytes, size): (UnsafeRawPointer?, Int) = (nil, 0)
        try check(functions.pointee.sd_bus_message_read_array(pointer, type("y"), &bytes, &size))
        return .bytes(Array(UnsafeRawBufferPointer(start: bytes, count: size)))
      case "a": return .array(of: contents, try inside(name, contents, depth))
      case "r": return .structure(try inside(name, contents, depth))
      case "e":
        let members = try inside(name, contents, depth)
        guard members.count == 2 else { throw BusFailure(.message, "an entry has no two members") }
        return .entry(members[0], members[1])
      case "v":
        guard let value = try inside(name, contents, depth).first else {
          throw BusFailure(.message, "a variant is empty")
        }
        return .variant(value)
      default: throw BusFailure(.message, "a message has a value of an unknown type")
      }
    }

    private mutating func inside(
      _ name: Unicode.Scalar, _ contents: String, _ depth: Int
    ) throws(BusFailure) -> [BusValue] {
      let entered = contents.withCString {
        functions.pointee.sd_bus_message_enter_container(pointer, type(name), $0)
      }
      try check(entered)
      let values = try values(depth: depth + 1)
      try check(functions.pointee.sd_bus_message_exit_container(pointer))
      return values
    }

    private func basic<Number: BitwiseCopyable>(_ name: Unicode.Scalar, _ zero: Number) throws(BusFailure)
      -> Number
    {
      var number = zero
      try check(
        withUnsafeMutablePointer(to: &number) {
          functions.pointee.sd_bus_message_read_basic(pointer, type(name), $0)
        })
      return number
    }

    private func text(_ name: Unicode.Scalar) throws(BusFailure) -> String {
      var text: UnsafePointer<CChar>?
      try check(
        withUnsafeMutablePointer(to: &text) {
          functions.pointee.sd_bus_message_read_basic(pointer, type(name), $0)
        })
      return text.map { String(cString: $0) } ?? ""
    }
  }
}

private func type(_ name: Unicode.Scalar) -> CChar { CChar(bitPattern: UInt8(ascii: name)) }

/// Throws for a negative result of libsystemd.
func check(_ result: Int32) throws(BusFailure) {
  guard result < 0 else { return }
  throw BusFailure(.message, "a message cannot be written or read (error \(-result))")
}
