/// What people and groups are called: the same for everybody, without white space around it.
enum Name {
  static let maxBytes = 100

  /// As its author meant it.
  static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// As it is taken from others: too long a name is cut after a whole code point.
  static func received(_ text: String) -> String {
    let name = trimmed(text)
    guard name.utf8.count > maxBytes else { return name }
    var end = name.utf8.index(name.startIndex, offsetBy: maxBytes)
    while end.samePosition(in: name.unicodeScalars) == nil { end = name.utf8.index(before: end) }
    return trimmed(String(name.unicodeScalars[..<end]))
  }

  /// True if a name, trimmed, says something and fits.
  static func isUsable(_ name: String) -> Bool { !name.isEmpty && name.utf8.count <= maxBytes }
}
