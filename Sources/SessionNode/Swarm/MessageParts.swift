/// How nodes pack what they say to each other: a bt list of byte strings.
enum MessageParts {
  /// Longer lists are none of ours.
  static let maxParts = 8

  static func pack(_ parts: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "l")]
    bytes.reserveCapacity(parts.reduce(2) { $0 + $1.count + 10 })
    for part in parts {
      bytes += Array("\(part.count):".utf8)
      bytes += part
    }
    bytes.append(UInt8(ascii: "e"))
    return bytes
  }

  /// The parts, or nil for bytes that are no such list.
  static func unpack(_ bytes: [UInt8]) -> [[UInt8]]? {
    guard bytes.first == UInt8(ascii: "l") else { return nil }
    var (parts, at): ([[UInt8]], Int) = ([], 1)
    while at < bytes.count, bytes[at] != UInt8(ascii: "e") {
      guard parts.count < maxParts, let part = string(in: bytes, at: &at) else { return nil }
      parts.append(part)
    }
    return at == bytes.count - 1 ? parts : nil
  }

  private static func string(in bytes: [UInt8], at: inout Int) -> [UInt8]? {
    guard let colon = bytes[at...].prefix(9).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = bytes[at..<colon]
    guard digits.allSatisfy({ (48...57).contains($0) }), !digits.isEmpty,
      digits.first != 48 || digits.count == 1
    else { return nil }
    let count = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    guard bytes.count - colon - 1 >= count else { return nil }
    at = colon + 1 + count
    return Array(bytes[(colon + 1)..<at])
  }

  /// An answer: a code in decimal digits, and a body.
  static func answer(_ code: Int, _ body: [UInt8]) -> [UInt8] { pack([Array("\(code)".utf8), body]) }

  /// Reads an answer; nil for what is none.
  static func readAnswer(_ bytes: [UInt8]) -> (code: Int, body: [UInt8])? {
    guard let parts = unpack(bytes), parts.count == 2, parts[0].count == 3,
      let code = Int(String(decoding: parts[0], as: UTF8.self)), (100...599).contains(code)
    else { return nil }
    return (code, parts[1])
  }
}
