/// The lines of a head, in order. The case of their names does not matter.
public struct HTTPHeaders: Sendable {
  public struct Field: Hashable, Sendable {
    public let name, value: String
  }

  public private(set) var fields: [Field] = []

  public init() {}

  /// The first value of a name; setting it takes the place of all of them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    set {
      fields.removeAll { $0.name.lowercased() == name.lowercased() }
      if let newValue { append(name, newValue) }
    }
  }

  /// All values of a name.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}

extension HTTPHeaders.Field {
  /// True if it can be sent as one line and parsed as that.
  var isSendable: Bool {
    Self.isToken(name) && value.utf8.allSatisfy { $0 == 9 || ($0 >= 32 && $0 != 127) }
  }

  /// True if it is a token of HTTP.
  static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isTokenByte) }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
