import SessionHTTP

/// The name of a file in the header `Content-Disposition`.
enum AttachmentName {
  static let maxScalars = 60
  private static let kept = (beginning: 40, end: 17)

  /// The name that an uploader gives; nil for none.
  static func parse(_ header: String?) -> String? {
    guard let header else { return nil }
    var plain: String?
    for part in parameters(of: header) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { continue }
      let value = sides[1].trimmed
      switch sides[0].trimmed.lowercased() {
      case "filename*":
        guard value.lowercased().hasPrefix("utf-8''"), let name = decoded(value.dropFirst(7)) else {
          continue
        }
        return cleaned(name)
      case "filename":
        plain =
          value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
          ? unescaped(value.dropFirst().dropLast()) : value
      default: break
      }
    }
    return plain.flatMap { cleaned($0) }
  }

  /// The parameters of a header; there may be semicolons in what is quoted.
  private static func parameters(of header: String) -> ArraySlice<String> {
    var (parts, isQuoted, isEscaped): ([String], Bool, Bool) = ([""], false, false)
    for character in header {
      if character == ";", !isQuoted {
        parts.append("")
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      parts[parts.count - 1].append(character)
    }
    return parts.dropFirst()
  }

  /// A quoted text without the backslashes before other characters.
  private static func unescaped(_ text: Substring) -> String {
    var (plain, isEscaped) = ("", false)
    for character in text {
      isEscaped = character == "\\" && !isEscaped
      if !isEscaped { plain.append(character) }
    }
    return plain
  }

  /// The header by which a file is given out.
  static func header(_ name: String?) -> String {
    guard let name else { return "attachment" }
    return "attachment; filename*=UTF-8''\(encoded(name))"
  }

  /// A name without slashes and NUL, cut in the middle where it is long.
  static func cleaned(_ name: String) -> String? {
    var scalars = Array(name.unicodeScalars.map { $0 == "/" || $0 == "\0" ? "\u{FFFD}" : $0 })
    if scalars.count > maxScalars {
      scalars = scalars[..<kept.beginning] + Array("...".unicodeScalars) + scalars.suffix(kept.end)
    }
    return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
  }

  private static func decoded(_ text: Substring) -> String? {
    var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], text.utf8)
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: Array(rest.prefix(2)), as: UTF8.self), radix: 16),
        rest.count >= 2
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
