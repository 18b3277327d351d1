/// The text of one statement, from literals only: user input never becomes part of it.
///
/// Store it in a static constant next to its record; it is compiled once for each connection.
public struct SQL: Sendable {
  private final class Content: Sendable {
    let text: String
    let hash: Int

    init(_ text: String) {
      self.text = text
      hash = text.hashValue
    }
  }

  private let content: Content

  private init(text: String) { content = Content(text) }

  public var text: String { content.text }
}

extension SQL: ExpressibleByStringInterpolation {
  public init(stringLiteral value: StaticString) { self.init(text: value.description) }

  public init(stringInterpolation: Interpolation) { self.init(text: stringInterpolation.text) }

  /// Puts pieces of SQL together, and nothing else.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    public mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

    public mutating func appendInterpolation(_ piece: SQL) { text += piece.text }
  }
}

extension SQL: Hashable {
  public static func == (a: SQL, b: SQL) -> Bool {
    a.content === b.content || (a.content.hash == b.content.hash && a.text == b.text)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(content.hash) }
}
