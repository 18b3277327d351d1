/// A page of the manual as it is written, in the `man` macros of roff.
struct Roff {
  private(set) var source: String

  init(page: String, section number: Int = 1, summary: String) {
    let title = Self.escaped(page.uppercased())
    source = ".TH \"\(title)\" \(number) \"\" \"session \(SessionTool.version)\" \"Session\"\n"
    section("name")
    source += "\(Self.escaped(page)) \\- \(Self.escaped(summary))\n"
  }

  mutating func section(_ title: String) {
    source += ".SH \"\(Self.escaped(title.uppercased()))\"\n"
  }

  /// A line that begins in bold.
  mutating func text(bold: String, _ text: String) {
    source += "\\fB\(Self.escaped(bold))\\fR \(Self.escaped(text))\n"
  }

  /// Text whose paragraphs are parted by empty lines.
  mutating func paragraphs(_ text: String) {
    source += Self.paragraphs(of: text)
      .map { lines in lines.map { Self.line($0) + "\n" }.joined() }
      .joined(separator: ".PP\n")
  }

  mutating func item(bold name: String, _ text: String) {
    source += ".TP\n\\fB\(Self.escaped(name))\\fR\n\(Self.line(text))\n"
  }

  mutating func examples(_ examples: [Command.Example]) {
    for example in examples {
      source += ".PP\n.EX\n$ \(Self.escaped(example.line))\n.EE\n\(Self.line(example.summary))\n"
    }
  }

  private static func paragraphs(of text: String) -> [[String]] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .split(whereSeparator: \.isEmpty)
      .map { $0.map(String.init) }
  }

  /// A line of text must not begin as a request does.
  private static func line(_ text: String) -> String {
    (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + escaped(text)
  }

  /// Dashes are those that can be copied and typed; the rest of what roff would read as its own is taken literally.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\"": result += "\\(dq"
      case "'": result += "\\(aq"
      case _ where !scalar.isASCII:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
