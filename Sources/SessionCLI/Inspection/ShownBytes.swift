import SessionCore

/// Bytes as a person can read them, on one line, and nothing that a terminal would obey.
enum ShownBytes {
  private static let maxHexBytes = 64
  private static let maxCharacters = 200

  static func hex(_ bytes: some Collection<UInt8>) -> String {
    guard bytes.count > maxHexBytes else { return bytes.hex }
    return bytes.prefix(maxHexBytes).hex + "\u{2026}"
  }

  /// The text in quotes; the bytes, where they are none.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { return hex(bytes) }
    return quoted(text)
  }

  /// The text in quotes if it is one that shows, else the bytes.
  static func textOrHex(_ bytes: some Collection<UInt8>) -> String {
    guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(shows) else {
      return hex(bytes)
    }
    return quoted(text)
  }

  private static func quoted(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(maxCharacters) {
      switch scalar {
      case "\"", "\\": shown += "\\\(scalar)"
      case "\n": shown += "\\n"
      case _ where shows(scalar): shown.unicodeScalars.append(scalar)
      default: shown += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return "\"\(shown)\"" + (text.unicodeScalars.count > maxCharacters ? "\u{2026}" : "")
  }

  private static func shows(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    // Emoji are joined with it; all else of its kind could turn a line around.
    case .format: scalar == "\u{200D}"
    default: true
    }
  }
}
