/// The link of a text that may have a preview: the first one with https, outside of code.
enum LinkInText {
  /// Nothing longer is looked at.
  static let maxBytes = 2048

  private static let scheme = "https://"
  /// Marks that end a sentence rather than a link.
  private static let closing: Set<Character> = [".", ",", ";", ":", "!", "?", "'", "\"", "*", "_", "~"]

  /// Returns the link as it is in the text; nil if there is none, or it is too long.
  static func first(in text: String) -> String? {
    let plain = withoutCode(text)
    var rest = plain[...]
    while let found = rest.firstRange(of: /(?i)https:\/\//) {
      // Within a word it is no link.
      let before = found.lowerBound > plain.startIndex ? plain[plain.index(before: found.lowerBound)] : " "
      guard !before.isLetter, !before.isNumber else {
        rest = rest[found.upperBound...]
        continue
      }
      let link = ended(plain[found.lowerBound...].prefix { !endsLink($0) })
      return link.utf8.count > scheme.utf8.count && link.utf8.count <= maxBytes ? String(link) : nil
    }
    return nil
  }

  private static func endsLink(_ character: Character) -> Bool {
    character.isWhitespace || "<>\"`".contains(character)
      || character.unicodeScalars.contains { $0.value < 0x20 || $0.properties.generalCategory == .format }
  }

  /// Without the marks of the sentence, and without a bracket that began before the link.
  private static func ended(_ link: Substring) -> Substring {
    var link = link
    while let last = link.last {
      if closing.contains(last) {
        link.removeLast()
      } else if let opening = [")": "(", "]": "[", "}": "{"][last] as Character?,
        link.count(where: { $0 == last }) > link.count(where: { $0 == opening })
      {
        link.removeLast()
      } else {
        break
      }
    }
    return link
  }

  /// The text with blanks in place of what stands between equally many backquotes.
  private static func withoutCode(_ text: String) -> String {
    guard text.contains("`") else { return text }
    var plain = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "`") {
      plain += rest[..<start]
      let fence = rest[start...].prefix { $0 == "`" }
      let inside = rest[fence.endIndex...]
      guard let end = firstFence(of: fence.count, in: inside) else {
        plain += fence
        rest = inside
        continue
      }
      plain += " "
      rest = inside[end...]
    }
    return plain + rest
  }

  /// The index behind the next run of exactly so many backquotes.
  private static func firstFence(of count: Int, in text: Substring) -> Substring.Index? {
    var rest = text
    while let start = rest.firstIndex(of: "`") {
      let fence = rest[start...].prefix { $0 == "`" }
      if fence.count == count { return fence.endIndex }
      rest = rest[fence.endIndex...]
    }
    return nil
  }
}
