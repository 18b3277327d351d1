/// Text as it is indexed: normalised, and split into words for FTS4.
///
/// Letters of scripts without spaces become overlapping pairs, and an emoji becomes a word made of its number.
package enum SearchText {
  /// The length of the searched text in bytes, and the number of words in a query.
  static let maxText = 64 * 1024
  static let maxQuery = 1024
  static let maxWords = 32

  /// The indexed form of a text.
  static func indexed(_ text: String) -> String {
    let words = SearchWords(text, limit: maxText)
    var indexed: [UInt8] = []
    indexed.reserveCapacity(words.bytes.count + 16)
    func separate() { if !indexed.isEmpty { indexed.append(UInt8(ascii: " ")) } }
    for piece in words.pieces {
      switch piece.kind {
      case .word:
        separate()
        indexed += words.bytes[piece.range]
      case .emoji:
        separate()
        indexed += name(ofEmoji: words.scalars(piece)).utf8
      case .run:
        let scalars = words.scalars(piece)
        // The last one alone too: no pair begins with it.
        for text in pairs(scalars) + [String(scalars.suffix(1))] {
          separate()
          indexed += text.utf8
        }
      }
    }
    return String(decoding: indexed, as: UTF8.self)
  }

  /// The query for texts that contain all words, in one conversation or in all; the last word may be incomplete.
  /// Nil if there are no words.
  ///
  /// User input never contains operators: every word is quoted, and has no quotes inside.
  static func query(_ text: String, in thread: ThreadRecord.ID? = nil) -> String? {
    let words = sought(text)
    let pieces = words.pieces.prefix(maxWords)
    guard !pieces.isEmpty else { return nil }
    var phrases = pieces.enumerated().map { index, piece in
      "\"\(phrase(piece, of: words, isLast: index == pieces.count - 1))\""
    }
    if let thread { phrases.append("threadID:\(thread)") }
    return phrases.joined(separator: " ")
  }

  /// The words to search, limited to `maxWords`.
  static func sought(_ text: String) -> SearchWords { SearchWords(text, limit: maxQuery) }

  /// A name as it is searched, without cutting.
  package static func folded(_ text: String) -> String {
    String(decoding: SearchWords.fold(text, limit: maxText), as: UTF8.self)
  }

  /// A LIKE pattern for names that contain a text, with special characters escaped by `\`.
  static func pattern(_ text: String) -> String {
    var pattern = "%"
    for character in String(decoding: SearchWords.fold(text, limit: maxQuery), as: UTF8.self) {
      if "%_\\".contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
    return pattern + "%"
  }

  private static func phrase(_ piece: SearchWords.Piece, of words: SearchWords, isLast: Bool) -> String {
    let scalars = words.scalars(piece)
    return switch piece.kind {
    case .word: isLast ? "\(scalars)*" : "\(scalars)"
    case .emoji: name(ofEmoji: scalars)
    case .run where scalars.count == 1: "\(scalars)*"
    case .run: pairs(scalars).joined(separator: " ")
    }
  }

  private static func name(ofEmoji scalars: String.UnicodeScalarView) -> String {
    "u" + String(scalars.first?.value ?? 0, radix: 16)
  }

  private static func pairs(_ scalars: String.UnicodeScalarView) -> [String] {
    zip(scalars, scalars.dropFirst()).map { first, second in "\(first)\(second)" }
  }
}
