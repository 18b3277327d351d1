extension String {
  /// The text as the content of an element or of a quoted attribute: nothing of it is markup.
  ///
  /// It goes sign by sign: a mark may make one character of a sign and what is next to it, which would hide the sign.
  package var escapedHTML: String {
    guard utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return self }
    var escaped = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".unicodeScalars
      case "<": escaped += "&lt;".unicodeScalars
      case ">": escaped += "&gt;".unicodeScalars
      case "\"": escaped += "&quot;".unicodeScalars
      case "'": escaped += "&#39;".unicodeScalars
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
