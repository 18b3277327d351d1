extension ConfigText {
  /// A text in which a name has another value, or none for nil: all other lines stay as they are. It is a `Mistake` where
  /// the text has one.
  package static func setting(_ name: String, to value: Value?, in text: String) throws(Mistake) -> String {
    let entry = try ConfigText(parsing: text).entries.first { $0.name == name }
    let line = value.map { "\(name) = \(source(of: $0))" }
    guard let entry else {
      guard let line else { return text }
      let isEnded = text.isEmpty || text.last?.isNewline == true
      return text + (isEnded ? "" : "\n") + line + "\n"
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let old = lines[entry.line - 1]
    guard let line else {
      // The end of the line goes with it.
      let end = old.endIndex < text.endIndex ? text.index(after: old.endIndex) : old.endIndex
      return String(text[..<old.startIndex] + text[end...])
    }
    let remark = entry.remark.isEmpty ? "" : "  " + entry.remark
    return String(text[..<old.startIndex]) + line + remark + String(text[old.endIndex...])
  }

  /// A value as it is written.
  package static func source(of value: Value) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .integer(let number): "\(number)"
    case .boolean(let isTrue): "\(isTrue)"
    case .texts(let texts): "[" + texts.map(quoted).joined(separator: ", ") + "]"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default:
        // Nothing in it may end the line.
        let isPlain = scalar.properties.generalCategory != .control && !Character(scalar).isNewline
        if isPlain { quoted.unicodeScalars.append(scalar) } else { quoted += "\\u" + digits(of: scalar) }
      }
    }
    return quoted + "\""
  }

  /// Four hexadecimal digits: whatever ends a line has a number of no more.
  private static func digits(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
