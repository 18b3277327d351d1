import SessionBase

/// Text from strangers in a page: nothing of it is markup, and none of it changes how the rest is shown.
enum HTMLText {
  static let maxText = 2000
  static let maxName = 40
  /// Marks on one character.
  private static let maxMarks = 20

  /// What a stranger wrote, shown: cut, cleaned, and apart from the text around it.
  static func shown(_ text: String, limit: Int = maxText) -> String {
    "<bdi>" + cleaned(text, limit: limit).escapedHTML + "</bdi>"
  }

  /// Replaces what is invisible and moves other text: controls, marks of direction, and joiners outside of emojis.
  static func cleaned(_ text: String, limit: Int) -> String {
    let scalars = Array(text.unicodeScalars.prefix(limit))
    var cleaned = String.UnicodeScalarView()
    var marks = 0
    for (index, scalar) in scalars.enumerated() {
      if isMark(scalar) {
        marks += 1
        if marks > maxMarks { continue }
      } else {
        marks = 0
      }
      let isKept = isHarmless(scalar) || (scalar == joiner && joinsEmojis(scalars, at: index))
      cleaned.append(isKept ? scalar : "\u{FFFD}")
    }
    if text.unicodeScalars.count > limit { cleaned.append("…") }
    return String(cleaned)
  }

  private static let joiner: Unicode.Scalar = "\u{200D}"

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\n" || scalar == "\t" { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      return false
    default: return true
    }
  }

  private static func joinsEmojis(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
    guard index > 0, index + 1 < scalars.count else { return false }
    let (before, after) = (scalars[index - 1], scalars[index + 1])
    return (isPicture(before) || before == "\u{FE0F}" || before.properties.isEmojiModifier)
      && isPicture(after)
  }

  /// Digits are emojis, too, for Unicode.
  private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isEmoji && scalar.value > 0xFF
  }
}
