/// A part of a message around the first place that matches a search, on one line.
public struct SearchSnippet: Hashable, Sendable {
  public let text: String
  /// The ranges of `text` to highlight, in order.
  public let matches: [Range<String.Index>]

  /// The largest number of characters, without ellipses.
  public static let usualLength = 120

  /// Marks omitted text.
  private static let ellipsis = "…"

  /// Finds the words of a search in a text. Without words it is the beginning of the text.
  public init(of text: String, for words: String, length: Int = usualLength) {
    self.init(of: text, matches: SearchMatches.ranges(of: SearchText.sought(words), in: text), length: length)
  }

  private init(of text: String, matches: [Range<String.Index>], length: Int) {
    let start = Self.start(in: text, before: matches.first?.lowerBound ?? text.startIndex, length / 4)
    let end = text.index(start, offsetBy: max(length, 1), limitedBy: text.endIndex) ?? text.endIndex
    var snippet = start > text.startIndex ? Self.ellipsis : ""
    var ranges: [Range<Int>] = []
    var place = start
    for match in matches where match.lowerBound < end {
      Self.append(text[place..<match.lowerBound], to: &snippet)
      let from = snippet.utf8.count
      place = min(match.upperBound, end)
      Self.append(text[match.lowerBound..<place], to: &snippet)
      ranges.append(from..<snippet.utf8.count)
    }
    Self.append(text[place..<end], to: &snippet)
    if end < text.endIndex { snippet += Self.ellipsis }
    let finished = snippet
    func index(_ offset: Int) -> String.Index { finished.utf8.index(finished.startIndex, offsetBy: offset) }
    self.text = finished
    self.matches = ranges.map { index($0.lowerBound)..<index($0.upperBound) }
  }

  /// The text with something before and after each match.
  public func marked(_ opening: String, _ closing: String) -> String {
    var marked = ""
    var place = text.startIndex
    for match in matches {
      marked += text[place..<match.lowerBound] + opening + text[match] + closing
      place = match.upperBound
    }
    return marked + text[place...]
  }

  /// The beginning of a snippet: at a word, if there is one shortly before the first match.
  private static func start(in text: String, before match: String.Index, _ count: Int) -> String.Index {
    guard let earliest = text.index(match, offsetBy: -count, limitedBy: text.startIndex),
      earliest > text.startIndex
    else { return text.startIndex }
    let space = text[earliest..<match].firstIndex(where: \.isWhitespace)
    return space.map { text.index(after: $0) } ?? earliest
  }

  /// Adds a part of the text, with a space for each line that ends in it.
  private static func append(_ part: Substring, to snippet: inout String) {
    for character in part { snippet.append(character.isNewline ? " " : character) }
  }
}
