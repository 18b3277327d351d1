import SessionMessaging

/// The names of exported files, which other people chose, so that none leads anywhere else or is hidden.
enum ExportedName {
  /// The longest name, in bytes.
  static let limit = 120

  /// The last part of a path without what file systems and pages do not like; its extension stays when it is cut.
  static func cleaned(_ name: String) -> String {
    // A mark may make one character of a separator and what is beside it.
    let base =
      name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map { String($0) } ?? ""
    var cleaned = ""
    for scalar in DisplayText.line(base).unicodeScalars {
      cleaned.unicodeScalars.append("\u{FFFD}:*?\"<>|/\\".unicodeScalars.contains(scalar) ? "_" : scalar)
    }
    while let first = cleaned.first, first == "." || first == " " { cleaned.removeFirst() }
    guard cleaned.utf8.count > limit else { return cleaned.isEmpty ? "file" : cleaned }
    var ending = cleaned.lastIndex(of: ".").map { String(cleaned[$0...]) } ?? ""
    if ending.utf8.count > 16 { ending = "" }
    var stem = String(cleaned.dropLast(ending.count))
    while stem.utf8.count + ending.utf8.count > limit { stem.removeLast() }
    return stem + ending
  }

  /// The name of a file of a message: its numbers make it unique.
  static func of(_ file: NumberedAttachment) -> String {
    "\(file.message.rawValue)-\(file.number)-" + cleaned(file.file.name ?? "file")
  }

  /// A name as a part of an address in a page.
  static func escaped(_ name: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return name.utf8.reduce(into: "") { text, byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      if isPlain || [".", "-", "_"].contains(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}
