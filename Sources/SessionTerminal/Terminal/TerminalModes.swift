/// The sequences with which a terminal is entered and left.
package enum TerminalModes {
  /// The other screen, without a cursor, with marked pastes and told focus. A row that is too long for the terminal does not
  /// go on in the next one.
  static let enter = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l\u{1B}[?2004h\u{1B}[?1004h\u{1B}[0m\u{1B}[2J"
  static let mouse = "\u{1B}[?1002h\u{1B}[?1006h"
  /// All keys can be distinguished.
  static let keys = "\u{1B}[>1u"

  /// Undoes ``keys``, which was sent so many times. Only the screen on which it was sent may take this.
  static func usualKeys(after count: Int) -> String { "\u{1B}[<\(count)u" }

  /// Undoes all of it, whatever of it was done. It changes nothing on a terminal that was left already.
  package static let leave =
    "\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1004l\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?1049l\u{1B}[?25h"
  /// Asks for the name, the attributes, synchronised output, the keyboard and the background. The last question is one
  /// that every terminal answers.
  static let questions = "\u{1B}[>0q\u{1B}[c\u{1B}[?2026$p\u{1B}[?u\u{1B}]11;?\u{1B}\\\u{1B}[5n"
}
