/// Text as it is indexed: normalised, and split into what the engine takes for words.
///
/// A run of letters that are written without spaces becomes the pairs of them that overlap, and an emoji becomes a word
/// made of its number.
enum SearchText {
  /// How much of a text is searched, and how many words of a query count, in bytes and words.
  static let maxText = 64 * 1024
  static let maxQuery = 1024
  static let maxWords = 32

  /// What is kept of a text to be found by.
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

  /// What finds texts that have all of the words, in one conversation or in all; the last word may be unfinished. Nil
  /// when there are no words.
  ///
  /// Nothing that was typed is an operator: every word stands between quotes, and has none inside.
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

  /// What is searched for, of which the first `maxWords` pieces count.
  static func sought(_ text: String) -> SearchWords { SearchWords(text, limit: maxQuery) }

  /// A name as it is searched, without cutting.
  static func folded(_ text: String) -> String {
    String(decoding: SearchWords.fold(text, limit: maxText), as: UTF8.self)
  }

  /// What finds names that contain a text, with `\` before what would stand for something else.
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
