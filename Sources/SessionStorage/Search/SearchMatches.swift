/// The matches of a search in a text.
///
/// FTS4 reports positions only in its own form of the text, so a found text is split again, remembering where each
/// letter came from.
enum SearchMatches {
  /// The matching words of a text in order, whole even if only their beginning was searched. In scripts without
  /// spaces a match is just the letters.
  static func ranges(of words: SearchWords, in text: String) -> [Range<String.Index>] {
    var folded: [UInt8] = []
    /// The character that each byte came from, and where the last one ends.
    var origins: [String.Index] = []
    var index = text.startIndex
    while index < text.endIndex, folded.count < SearchText.maxText {
      let bytes = SearchWords.fold(String(text[index]))
      folded += bytes
      origins += repeatElement(index, count: bytes.count)
      index = text.index(after: index)
    }
    let cut = SearchWords(folded: folded)
    let sought = words.pieces.prefix(SearchText.maxWords)
    var ranges: [Range<Int>] = []
    for piece in cut.pieces {
      for (place, wanted) in sought.enumerated() where wanted.kind == piece.kind {
        let isLast = place == sought.count - 1
        ranges += found(wanted, of: words, in: piece, of: cut, mayBeUnfinished: isLast)
      }
    }
    // One character may be several letters.
    return merged(
      ranges.map { range in
        origins[range.lowerBound]..<text.index(after: origins[range.upperBound - 1])
      })
  }

  /// The match inside one piece, in bytes.
  private static func found(
    _ wanted: SearchWords.Piece, of words: SearchWords, in piece: SearchWords.Piece, of text: SearchWords,
    mayBeUnfinished: Bool
  ) -> [Range<Int>] {
    let (sought, bytes) = (words.bytes[wanted.range], text.bytes[piece.range])
    switch wanted.kind {
    case .word:
      let (sought, bytes) = (SearchWords.bare(sought), SearchWords.bare(bytes))
      return mayBeUnfinished && bytes.starts(with: sought) || bytes == sought ? [piece.range] : []
    case .emoji: return sought == bytes ? [piece.range] : []
    case .run:
      guard sought.count <= bytes.count else { return [] }
      return (bytes.startIndex...bytes.endIndex - sought.count).compactMap { start in
        bytes[start...].starts(with: sought) ? start..<start + sought.count : nil
      }
    }
  }

  /// The ranges in order, with overlapping ones joined.
  private static func merged(_ ranges: [Range<String.Index>]) -> [Range<String.Index>] {
    var merged: [Range<String.Index>] = []
    for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
      if let last = merged.last, range.lowerBound < last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}
