import SessionCore

/// The head of a request: its first line and its headers, read strictly.
///
/// The daemon reads HTTP by itself. Its checks begin with the bytes of a head, in a fixed order, each with its own answer,
/// and end the connection behind a refusal; its events are a response without an end, written as fast as the client
/// reads. A library that parses, limits and answers on its own leaves neither to its user. Only what clients of loopback
/// need is understood: HTTP/1.1, and bodies of a known length.
struct HTTPHead: Sendable {
  struct Field: Hashable, Sendable {
    let name, value: String
  }

  static let maxLine = 4096
  static let maxHeaders = 8192
  static let maxFields = 64

  let method: String
  /// Without the query.
  let path: String
  let query: [Field]
  /// With names in lower case.
  let fields: [Field]
  /// The length of the body; nil if none was given.
  let bodyLength: Int?

  /// Reads a head without the empty line at its end.
  init(parsing bytes: ArraySlice<UInt8>) throws(HTTPRefusal) {
    guard let text = String(validating: bytes, as: UTF8.self), text.utf8.allSatisfy({ $0 < 127 && $0 != 0 })
    else { throw .malformed }
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
    guard let first = lines.popFirst() else { throw .malformed }
    guard first.utf8.count <= Self.maxLine else { throw HTTPRefusal(431) }
    guard bytes.count - first.utf8.count <= Self.maxHeaders, lines.count <= Self.maxFields else {
      throw HTTPRefusal(431)
    }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, Self.isToken(words[0]) else { throw .malformed }
    guard words[2] == "HTTP/1.1" else { throw HTTPRefusal(505) }
    method = String(words[0])
    (path, query) = try Self.target(words[1])
    fields = try lines.map { (line) throws(HTTPRefusal) in try Self.field(line) }
    bodyLength = try Self.bodyLength(fields)
    guard !fields.contains(where: { $0.name == "upgrade" }) else { throw .malformed }
  }

  /// The values of a header.
  func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  private static func field(_ line: Substring) throws(HTTPRefusal) -> Field {
    guard let colon = line.firstIndex(of: ":"), isToken(line[..<colon]) else { throw .malformed }
    let value = line[line.index(after: colon)...]
    guard value.utf8.allSatisfy({ $0 >= 32 || $0 == 9 }) else { throw .malformed }
    let start = value.drop { $0 == " " || $0 == "\t" }
    let end = start.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
    return Field(name: line[..<colon].lowercased(), value: String(end))
  }

  private static func bodyLength(_ fields: [Field]) throws(HTTPRefusal) -> Int? {
    let lengths = fields.filter { $0.name == "content-length" }
    let isCoded = fields.contains { $0.name == "transfer-encoding" }
    guard lengths.count <= 1, lengths.isEmpty || !isCoded else { throw .malformed }
    // A body whose end only its bytes tell.
    guard !isCoded else { throw HTTPRefusal(411) }
    guard let text = lengths.first?.value else { return nil }
    guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
      let length = Int(text)
    else { throw .malformed }
    return length
  }

  /// The path and the query of a target, which begins with a slash: no other form is for this server.
  private static func target(_ text: Substring) throws(HTTPRefusal) -> (String, [Field]) {
    guard text.first == "/", text.utf8.allSatisfy({ $0 > 32 }), !text.contains("#") else { throw .malformed }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var query: [Field] = []
    for part in halves.count > 1 ? halves[1].split(separator: "&") : [] {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : "") else {
        throw .malformed
      }
      query.append(Field(name: name, value: value))
    }
    return (String(halves[0]), query)
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let pair = try? [UInt8](hex: rest.prefix(2)), pair.count == 1 else { return nil }
      bytes += pair
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
