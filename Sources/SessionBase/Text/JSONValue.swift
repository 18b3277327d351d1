/// A JSON text as a tree. Objects keep the order of their members.
package enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case decimal(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
  }

  /// The member of an object; nil for none, and for other values.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  package var boolean: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(text) }
  package init(integerLiteral number: Int64) { self = .integer(number) }
  package init(booleanLiteral isTrue: Bool) { self = .boolean(isTrue) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0.0, $0.1) })
  }
}

extension JSONValue: CustomStringConvertible {
  /// The text, on one line.
  package var description: String {
    switch self {
    case .null: "null"
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .integer(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text): JSONText.quoted(text)
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(JSONText.quoted($0.name)):\($0.value)" }.joined(separator: ","))}"
    }
  }
}
