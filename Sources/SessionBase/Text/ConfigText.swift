/// The lines of a configuration file: a part of TOML, without tables.
///
/// A line is empty, a remark after `#`, or a name, `=` and a value: a text in quotation marks, a whole number, `true`
/// or `false`, or texts in brackets. A name stands there once.
package struct ConfigText: Sendable {
  package enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case boolean(Bool)
    case texts([String])
  }

  package struct Entry: Sendable {
    package let name: String
    package let value: Value
    /// From one.
    package let line: Int
    /// The comment after the value, from its #; empty if there is none.
    package let remark: String
  }

  /// An error in a line.
  package struct Mistake: Error, Hashable {
    package let line: Int
    package let what: String

    package init(line: Int, what: String) { (self.line, self.what) = (line, what) }
  }

  package let entries: [Entry]

  package init(parsing text: String) throws(Mistake) {
    var entries: [Entry] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      var line = Line(line, number: index + 1)
      guard let entry = try line.entry() else { continue }
      if let first = entries.first(where: { $0.name == entry.name }) {
        throw Mistake(line: entry.line, what: "\(entry.name) is already set in line \(first.line)")
      }
      entries.append(entry)
    }
    self.entries = entries
  }
}

/// The line being parsed, as Unicode scalars: a combining mark cannot hide a quotation mark.
private struct Line {
  private var rest: Substring.UnicodeScalarView
  private let number: Int

  init(_ text: Substring, number: Int) {
    rest = text.unicodeScalars
    self.number = number
  }

  /// Nil for a line that sets nothing.
  mutating func entry() throws(ConfigText.Mistake) -> ConfigText.Entry? {
    skipSpace()
    guard !isAtEnd else { return nil }
    guard rest.first != "[" else { throw mistake("tables are not supported") }
    let name = String(
      Substring(rest.prefix { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_" }))
    guard !name.isEmpty else { throw mistake("a line must begin with a name in lower case") }
    rest = rest.dropFirst(name.unicodeScalars.count)
    skipSpace()
    guard rest.popFirst() == "=" else { throw mistake("'=' is missing after \(name)") }
    skipSpace()
    let value = try value()
    skipSpace()
    guard isAtEnd else { throw mistake("only a comment with # may follow the value") }
    return ConfigText.Entry(name: name, value: value, line: number, remark: String(Substring(rest)))
  }

  private var isAtEnd: Bool { rest.isEmpty || rest.first == "#" }

  private mutating func skipSpace() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  private mutating func value() throws(ConfigText.Mistake) -> ConfigText.Value {
    switch rest.first {
    case "\"", "'": return .text(try text())
    case "[": return .texts(try texts())
    default: break
    }
    let word = String(Substring(rest.prefix { ![" ", "\t", "#", ","].contains($0) }))
    rest = rest.dropFirst(word.unicodeScalars.count)
    switch word {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "": throw mistake("the value is missing")
    default: break
    }
    let digits = word.filter { $0 != "_" }
    guard let number = Int(digits), !word.hasPrefix("_"), !word.hasSuffix("_") else {
      throw mistake("'\(word)' is not a value: put text in quotation marks")
    }
    return .integer(number)
  }

  private mutating func text() throws(ConfigText.Mistake) -> String {
    let quote = rest.removeFirst()
    var text = String.UnicodeScalarView()
    while let character = rest.popFirst() {
      if character == quote { return String(text) }
      guard character == "\\", quote == "\"" else {
        text.append(character)
        continue
      }
      switch rest.popFirst() {
      case "\"": text.append("\"")
      case "\\": text.append("\\")
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "u": text.append(try numbered())
      default: throw mistake("after a backslash only \", \\, n, t, or u with four digits are allowed")
      }
    }
    throw mistake("the closing quotation mark is missing")
  }

  /// A character by its number.
  private mutating func numbered() throws(ConfigText.Mistake) -> Unicode.Scalar {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
      let number = UInt32(String(Substring(digits)), radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw mistake("\\u needs the four hexadecimal digits of a character") }
    rest = rest.dropFirst(4)
    return scalar
  }

  private mutating func texts() throws(ConfigText.Mistake) -> [String] {
    rest.removeFirst()
    var texts: [String] = []
    while true {
      skipSpace()
      if rest.first == "]", rest.popFirst() != nil { return texts }
      guard rest.first == "\"" || rest.first == "'" else {
        throw mistake("text between [ and ] must be in quotation marks and on one line")
      }
      texts.append(try text())
      skipSpace()
      if rest.first == "," {
        rest.removeFirst()
      } else if rest.first != "]" {
        throw mistake("] or a comma is missing")
      }
    }
  }

  private func mistake(_ what: String) -> ConfigText.Mistake {
    ConfigText.Mistake(line: number, what: what)
  }
}
