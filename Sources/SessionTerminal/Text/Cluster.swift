import CUTF8Proc

/// What a cell shows: one printable character with its marks. No other file can make one, so that no cell ever holds a
/// control character.
package struct Cluster: Hashable, Sendable {
  package let text: String
  /// The number of columns; 0 for the right half of a wide character.
  package let width: Int

  fileprivate init(_ text: String, width: Int) { (self.text, self.width) = (text, width) }

  package static let space = Cluster(" ", width: 1)
  /// The column that the wide character to the left covers.
  package static let rightHalf = Cluster("", width: 0)
  static let replacement = Cluster("\u{FFFD}", width: 1)
  static let ellipsis = Cluster("…", width: 1)

  /// The cluster of a printable ASCII character; nil for anything else.
  static func ascii(_ character: Character) -> Cluster? {
    guard let code = character.asciiValue, 0x20..<0x7F ~= code else { return nil }
    return plain[Int(code) - 0x20]
  }

  fileprivate static let plain = (0x20..<0x7F).map { Cluster(String(Unicode.Scalar(UInt8($0))), width: 1) }

  /// True if terminals disagree about its width.
  package var isDoubtful: Bool {
    width != 0 && (width > 1 || text.unicodeScalars.count > 1) && text.utf8.count > 1
  }
}

extension Cluster {
  /// What a text is: names leave out what cannot be seen, texts show that something was there.
  package enum Use: Sendable {
    case name
    case text
  }

  /// The longest cluster, in scalars: a couple with skin tones has ten.
  static let maxScalars = 16
  static let maxMarks = 4
  private static let tabWidth = 4

  /// The clusters of one line of somebody's text.
  package static func line(_ text: String, as use: Use = .text) -> [Cluster] {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text.utf8.map { plain[Int($0) - 0x20] } }
    var clusters: [Cluster] = []
    clusters.reserveCapacity(text.utf8.count)
    for character in text {
      if let ascii = character.asciiValue, 0x20..<0x7F ~= ascii {
        clusters.append(plain[Int(ascii) - 0x20])
      } else if character == "\t" {
        let count = use == .name ? 1 : tabWidth - clusters.count % tabWidth
        clusters.append(contentsOf: repeatElement(.space, count: count))
      } else if character.isNewline {
        clusters.append(.space)
      } else {
        append(character, as: use, to: &clusters)
      }
    }
    return clusters
  }

  private static func append(_ character: Character, as use: Use, to clusters: inout [Cluster]) {
    var isEmoji = false
    var hasLetter = false
    for scalar in character.unicodeScalars {
      if scalar.properties.isEmojiPresentation || scalar.properties.isEmoji && scalar.value > 0xFF {
        isEmoji = true
      }
      if scalar.properties.isAlphabetic { hasLetter = true }
    }
    var (kept, marks, isHurt) = (String.UnicodeScalarView(), 0, false)
    for scalar in character.unicodeScalars {
      if !scalar.isSafeOnTerminal || scalar.properties.isNoncharacterCodePoint {
        isHurt = true
      } else if scalar.isTag {
        if isEmoji { kept.append(scalar) } else { isHurt = true }
      } else if scalar.isJoiner {
        // Joiners mean something inside emoji, and in scripts whose letters they join.
        if !kept.isEmpty, isEmoji || hasLetter { kept.append(scalar) } else { isHurt = true }
      } else if scalar.properties.generalCategory == .privateUse, use == .name {
        isHurt = true
      } else if scalar.isMark {
        marks += 1
        if marks <= maxMarks { kept.append(scalar) }
      } else {
        kept.append(scalar)
      }
    }
    while kept.count > maxScalars { kept.removeLast() }
    defer { if isHurt, use == .text { clusters.append(.replacement) } }
    guard !kept.isEmpty else { return }
    let width = columns(of: kept)
    // A mark without a letter is drawn over a circle.
    clusters.append(
      width == 0 ? Cluster("\u{25CC}" + String(kept), width: 1) : Cluster(String(kept), width: width))
  }

  private static func columns(of scalars: String.UnicodeScalarView) -> Int {
    var (widest, indicators) = (0, 0)
    for scalar in scalars {
      switch scalar {
      // Emoji in picture form, and those that are joined into one, are as wide as one.
      case "\u{FE0F}": widest = max(widest, 2)
      case _ where scalar.isEmojiModifier: widest = max(widest, 2)
      case _ where scalar.isRegionalIndicator: indicators += 1
      default: widest = max(widest, Int(utf8proc_charwidth(Int32(bitPattern: scalar.value))))
      }
    }
    if indicators > 0 { widest = max(widest, 2) }
    return min(widest, 2)
  }
}
