import CUTF8Proc
import SessionTerminal

/// Texts of other people, for a terminal: nothing in them can move the cursor, change colours or turn lines around.
enum DisplayText {
  /// A text on one line.
  static func line(_ text: String) -> String { cleaned(text, keepingLines: false) }

  /// A text that may have several lines.
  static func lines(_ text: String) -> String { cleaned(text, keepingLines: true) }

  private static func cleaned(_ text: String, keepingLines: Bool) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where keepingLines: shown.append(scalar)
      case "\n", "\r", "\t": shown.append(" ")
      default: shown.append(scalar.isSafeOnTerminal ? scalar : "\u{FFFD}")
      }
    }
    return String(shown)
  }

  /// The number of columns of a text.
  static func width(_ text: String) -> Int {
    text.reduce(0) { width, character in
      // Combining scalars take no column of their own.
      width + (character.unicodeScalars.map { Int(utf8proc_charwidth(Int32($0.value))) }.max() ?? 0)
    }
  }

  /// A line broken between words into rows of so many columns. Words that are wider are left to the terminal.
  static func wrapped(_ line: String, to columns: Int) -> String {
    var (rows, row) = ([String](), String?.none)
    for word in line.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
      let longer = row.map { $0 + " " + word } ?? word
      if let full = row, width(longer) > columns, full.contains(where: { $0 != " " }) {
        rows.append(full)
        row = word
      } else {
        row = longer
      }
    }
    return (rows + [row ?? ""]).joined(separator: "\n")
  }

  /// Lines broken into rows of so many columns, with each row but the first of a line indented as the line is, by two
  /// columns at least. `used` columns of the first row are taken already. No text decides what a row begins with.
  static func indented(_ text: String, to columns: Int, behind used: Int = 0) -> String {
    var used = used
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      defer { used = 0 }
      return indented(line: line, to: columns, behind: used)
    }
    return lines.joined(separator: "\n")
  }

  private static func indented(line: Substring, to columns: Int, behind used: Int) -> String {
    let indent = String(repeating: " ", count: min(max(line.prefix { $0 == " " }.count, 2), 8))
    let room = max(columns, indent.count + 4)
    var (rows, row, width) = ([String](), "", used)
    for character in line {
      let next = drawnWidth(character)
      if width + next > room {
        // A word goes to the next row whole where it can.
        var moved = ""
        if character != " ", let space = row.lastIndex(of: " "), row[..<space].contains(where: { $0 != " " })
        {
          moved = String(row[row.index(after: space)...])
          row = String(row[..<space])
        }
        rows.append(row)
        row = indent + moved
        width = row.reduce(0) { $0 + drawnWidth($1) }
        if character == " " { continue }
      }
      row.append(character)
      width += next
    }
    return (rows + [row]).joined(separator: "\n")
  }

  /// The number of columns of a character on a terminal that draws each part of it.
  private static func drawnWidth(_ character: Character) -> Int {
    character.unicodeScalars.reduce(0) { $0 + max(Int(utf8proc_charwidth(Int32($1.value))), 0) }
  }

  /// A text in so many columns, cut with `…` where it is wider.
  static func fitted(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var (cut, used) = ("", 0)
    for character in text {
      let next = width(String(character))
      guard used + next < columns else { break }
      cut.append(character)
      used += next
    }
    return cut + "…"
  }
}
