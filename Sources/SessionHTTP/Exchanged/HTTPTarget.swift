/// The target of a request: path and query.
public struct HTTPTarget: Hashable, Sendable {
  /// The text as sent.
  public let text: String
  /// The parts of the path between slashes, decoded; one empty part for "/".
  public let segments: [String]
  public let query: [Parameter]

  public struct Parameter: Hashable, Sendable {
    public let name, value: String
  }

  /// Nil unless it begins with a slash, is visible ASCII, and is encoded correctly.
  public init?(parsing text: String) {
    let bytes = text.utf8
    guard bytes.first == UInt8(ascii: "/"), bytes.allSatisfy({ $0 > 32 && $0 < 127 }) else { return nil }
    let halves = bytes.prefix { $0 != UInt8(ascii: "#") }
      .split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    var segments: [String] = []
    for part in halves[0].dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = Self.decode(part) else { return nil }
      segments.append(segment)
    }
    var query: [Parameter] = []
    for part in halves.count > 1 ? halves[1].split(separator: UInt8(ascii: "&")) : [] {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(sides[0]),
        let value = Self.decode(sides.count > 1 ? sides[1] : "".utf8[...])
      else { return nil }
      query.append(Parameter(name: name, value: value))
    }
    self.text = text
    self.segments = segments
    self.query = query
  }

  /// The first value of a name in the query.
  public subscript(query name: String) -> String? { query.first { $0.name == name }?.value }

  private static func decode(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
