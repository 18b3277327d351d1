internal import CSessionCore
public import SessionBase

extension SessionID: LosslessStringConvertible, LoggableID {
  public var description: String { bytes.hex }

  /// Nil for an invalid id; ``init(parsing:)`` throws the reason.
  public init?(_ description: String) {
    guard let id = try? SessionID(parsing: description) else { return nil }
    self = id
  }

  /// Parses the text form in either case. The error names the exact mistake.
  public init(parsing text: String) throws(SessionError) {
    var id = sc_id()
    let status = Array(text.utf8).withUnsafeBufferPointer { sc_id_parse(&id, sc_bytes($0)) }
    guard status == SC_OK else { throw Self.mistake(in: text) ?? SessionError(status) }
    self.init(id)
  }

  private static func mistake(in text: String) -> SessionError? {
    let digits = Int(SC_ID_CHARS)
    guard text.count == digits else {
      return SessionError(.idLength, "an id has \(digits) hexadecimal digits, this text has \(text.count)")
    }
    if let (index, character) = text.enumerated().first(where: { !$0.element.isASCIIHexDigit }) {
      return SessionError(
        .idHex, "an id has only the digits 0-9 and a-f, but character \(index + 1) is \(shown(character))")
    }
    let known = Kind.allCases.map(\.prefix).joined(separator: ", ")
    return SessionError(.idPrefix, "no id begins with \(text.prefix(2)); the known beginnings are \(known)")
  }

  /// The character in quotes, or its code if it is not visible.
  private static func shown(_ character: Character) -> String {
    let isVisible = character.unicodeScalars.allSatisfy {
      $0.properties.generalCategory.isVisible
    }
    guard !isVisible else { return "\u{2018}\(character)\u{2019}" }
    return character.unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }
      .joined(separator: " ")
  }
}

extension SessionID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      self = try SessionID(parsing: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Character {
  fileprivate var isASCIIHexDigit: Bool { isASCII && isHexDigit }
}

extension Unicode.GeneralCategory {
  fileprivate var isVisible: Bool {
    switch self {
    case .control, .format, .surrogate, .privateUse, .unassigned: false
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
