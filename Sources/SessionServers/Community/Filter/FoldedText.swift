import SessionStorage

/// Texts as filters compare them.
enum FoldedText {
  /// Digits and signs that stand for letters.
  private static let standIns: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s",
  ]

  /// The words of a text: without case, without the marks of letters, and with letters in the place of what stands for
  /// them.
  static func words(_ text: String) -> [[Character]] {
    var (words, word): ([[Character]], [Character]) = ([], [])
    for character in BareText.of(text) {
      let character = standIns[character] ?? character
      if character.isLetter || character.isNumber {
        word.append(character)
      } else if !word.isEmpty {
        words.append(word)
        word = []
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  /// The hosts of the links in a text.
  static func hosts(_ text: String) -> [String] {
    text.lowercased().split { $0.isWhitespace || "<>\"'()".contains($0) }.compactMap { word in
      let parts = word.split(separator: "/", omittingEmptySubsequences: false)
      if let scheme = parts.first, scheme.hasSuffix(":"), parts.count > 2, parts[1].isEmpty {
        return host(parts[2])
      }
      return word.hasPrefix("www.") ? host(parts[0]) : nil
    }
  }

  /// The host of an authority, without a user and a port.
  private static func host(_ authority: Substring) -> String? {
    let place = authority.split(separator: "@").last ?? ""
    let host = place.prefix { $0 != ":" && $0 != "?" && $0 != "#" }
    return host.isEmpty ? nil : String(host)
  }
}
