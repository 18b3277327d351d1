/// Reads one JSON text strictly, as RFC 8259 has it: no comments, no trailing commas, no member twice, within limits.
package struct JSONReader: ~Copyable {
  /// Why a text was refused.
  package enum Mistake: String, Error, Sendable {
    case syntax = "this is not JSON"
    case encoding = "this is not UTF-8"
    case depth = "the JSON is nested too deeply"
    case size = "the JSON has too many values"
    case duplicate = "a member of a JSON object occurs twice"
    case range = "a number is too large"
  }

  package static let maxDepth = 32
  package static let maxValues = 100_000

  private let bytes: [UInt8]
  private let limit: Int
  private var place = 0
  private var values = 0

  private init(_ bytes: [UInt8], limit: Int) { (self.bytes, self.limit) = (bytes, limit) }

  /// The value of a text that is nothing else but JSON, apart from white space around it.
  package static func value(of bytes: [UInt8], maxValues: Int = maxValues) throws(Mistake) -> JSONValue {
    var reader = JSONReader(bytes, limit: maxValues)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.place == bytes.count else { throw .syntax }
    return value
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    place += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - place >= count else { return false }
    for index in 0..<count where bytes[place + index] != word.utf8Start[index] { return false }
    place += count
    return true
  }

  private mutating func value(depth: Int) throws(Mistake) -> JSONValue {
    values += 1
    guard values <= limit else { throw .size }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t") where take(word: "true"): return .boolean(true)
    case UInt8(ascii: "f") where take(word: "false"): return .boolean(false)
    case UInt8(ascii: "n") where take(word: "null"): return .null
    case UInt8(ascii: "-"): return try number()
    case let byte? where Self.isDigit(byte): return try number()
    default: throw .syntax
    }
  }

  private mutating func object(depth: Int) throws(Mistake) -> JSONValue {
    guard depth <= Self.maxDepth else { throw .depth }
    place += 1
    var members: [JSONValue.Member] = []
    var names: Set<[UInt8]> = []
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw .syntax }
      let name = try string()
      // Equal bytes: two spellings of a letter are two names.
      guard names.insert(Array(name.utf8)).inserted else { throw .duplicate }
      skipSpace()
      guard take(":") else { throw .syntax }
      members.append(JSONValue.Member(name, try value(depth: depth)))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw .syntax }
    }
  }

  private mutating func array(depth: Int) throws(Mistake) -> JSONValue {
    guard depth <= Self.maxDepth else { throw .depth }
    place += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw .syntax }
    }
  }

  // MARK: - Numbers

  private mutating func number() throws(Mistake) -> JSONValue {
    let start = place
    _ = take("-")
    if take("0") {
      if let byte = next, Self.isDigit(byte) { throw .syntax }
    } else {
      try digits()
    }
    var isWhole = true
    if take(".") {
      isWhole = false
      try digits()
    }
    if take("e") || take("E") {
      isWhole = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    if isWhole {
      guard let number = Int64(text) else { throw .range }
      return .integer(number)
    }
    guard let number = Double(text), number.isFinite else { throw .range }
    return .decimal(number)
  }

  private mutating func digits() throws(Mistake) {
    let start = place
    while let byte = next, Self.isDigit(byte) { place += 1 }
    guard place > start else { throw .syntax }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  // MARK: - Strings

  private mutating func string() throws(Mistake) -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = next {
      place += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else { throw .encoding }
        return string
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw .syntax
      default: text.append(byte)
      }
    }
    throw .syntax
  }

  private mutating func escape(into text: inout [UInt8]) throws(Mistake) {
    guard let byte = next else { throw .syntax }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: Array(String(Character(try scalar())).utf8))
    default: throw .syntax
    }
  }

  /// The character of an escape: one unit, or two that form a pair.
  private mutating func scalar() throws(Mistake) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take("\\"), take("u") else { throw .encoding }
    let second = try unit()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw .encoding }
    return scalar
  }

  private mutating func unit() throws(Mistake) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw .syntax
      }
      place += 1
      unit = unit << 4 + UInt32(digit)
    }
    return unit
  }
}
