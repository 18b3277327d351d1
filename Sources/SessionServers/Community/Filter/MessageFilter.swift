import SessionCore

/// Looks at what is posted, as far as it is a text: what cannot be read passes.
struct MessageFilter: Sendable {
  /// What can catch a message. Refusals name it.
  enum Name: String, Sendable {
    case profanity, alphabet, links, hook
  }

  /// What caught a message, and what happens to that.
  struct Catch: Hashable, Sendable {
    let filter: Name
    let outcome: FilterRules.Outcome
    /// What the operator's program answers the author; nil for what the rules say.
    var reply: String?

    var refusal: CommunityRefusal {
      CommunityRefusal(429, "filtration rejected message (\(filter.rawValue))")
    }
  }

  enum Verdict: Hashable, Sendable {
    case accept
    case caught(Catch)

    static func refuse(_ filter: Name) -> Verdict { .caught(Catch(filter: filter, outcome: .refuse)) }

    /// True if the author alone sees the message. Throws 429 for a refusal.
    var isSilent: Bool {
      get throws(CommunityRefusal) {
        guard case .caught(let caught) = self else { return false }
        guard caught.outcome == .refuse else { return true }
        throw caught.refusal
      }
    }
  }

  private let rules: FilterRules
  private let words: Set<[Character]>
  private let openWords: [WordPattern]
  /// Patterns of several words, which follow each other in a text.
  private let phrases: [WordPattern]

  init(_ rules: FilterRules) {
    self.rules = rules
    let patterns = rules.words.compactMap { WordPattern($0) }
    let single = patterns.filter { $0.words.count == 1 }
    words = Set(single.filter { !$0.isOpen }.map(\.words[0]))
    openWords = single.filter(\.isOpen)
    phrases = patterns.filter { $0.words.count > 1 }
  }

  /// True if nothing needs to be looked at.
  var isEmpty: Bool {
    words.isEmpty && openWords.isEmpty && phrases.isEmpty && rules.alphabets.isEmpty && rules.linkHosts == nil
      && rules.program == nil
  }

  /// What filters see of a message; nil for what is no text, and if there are no filters.
  func content(of data: [UInt8], postedAt: Int64) -> PostedText? {
    guard !isEmpty, let time = try? MessageTime(milliseconds: UInt64(clamping: postedAt)) else { return nil }
    return PostedText(data, postedAt: time)
  }

  func judge(_ content: PostedText) -> Verdict { judge([content.text, content.name ?? ""]) }

  func judge(_ texts: [String]) -> Verdict {
    if texts.contains(where: hasWord) {
      return .caught(Catch(filter: .profanity, outcome: rules.wordsOutcome))
    }
    if texts.contains(where: hasAlphabet) {
      return .caught(Catch(filter: .alphabet, outcome: rules.alphabetsOutcome))
    }
    if texts.contains(where: hasLink) {
      return .caught(Catch(filter: .links, outcome: rules.linksOutcome))
    }
    return .accept
  }

  private func hasWord(_ text: String) -> Bool {
    guard !words.isEmpty || !openWords.isEmpty || !phrases.isEmpty else { return false }
    let all = FoldedText.words(text)
    // A text may repeat a word tens of thousands of times.
    let found = Set(all)
    return !words.isDisjoint(with: found)
      || found.contains { word in openWords.contains { $0.matches(word) } }
      || phrases.contains { phrase in all.indices.contains { phrase.matches(all[$0...]) } }
  }

  private func hasAlphabet(_ text: String) -> Bool {
    rules.alphabets.contains { alphabet in
      if case .script(let script) = alphabet { return script.isUsed(in: text) }
      return text.unicodeScalars.contains { alphabet.has($0) }
    }
  }

  private func hasLink(_ text: String) -> Bool {
    guard let hosts = rules.linkHosts else { return false }
    return FoldedText.hosts(text).contains { host in
      !hosts.contains { host == $0 || host.hasSuffix("." + $0) }
    }
  }
}

/// One word, or several that follow each other, which may be open at the ends.
struct WordPattern: Hashable, Sendable {
  let words: [[Character]]
  private let opensBefore, opensAfter: Bool
  var isOpen: Bool { opensBefore || opensAfter }

  /// Nil for a pattern without letters.
  init?(_ line: String) {
    let pattern = line.filter { !$0.isWhitespace }
    opensBefore = pattern.hasPrefix("*")
    opensAfter = pattern.hasSuffix("*")
    words = FoldedText.words(pattern.filter { $0 != "*" })
    guard !words.isEmpty else { return nil }
  }

  /// True for a pattern of one word that matches this one.
  func matches(_ other: [Character]) -> Bool {
    Self.matches(other, words[0], (opensBefore, opensAfter))
  }

  /// True if a text begins with the words of the pattern.
  func matches(_ text: ArraySlice<[Character]>) -> Bool {
    guard text.count >= words.count else { return false }
    return zip(text, words.indices).allSatisfy { other, index in
      Self.matches(
        other, words[index], (index == 0 && opensBefore, index == words.count - 1 && opensAfter))
    }
  }

  private static func matches(
    _ other: [Character], _ word: [Character], _ opens: (before: Bool, after: Bool)
  ) -> Bool {
    switch opens {
    case (false, false): other == word
    case (false, true): other.starts(with: word)
    case (true, false): other.suffix(word.count).elementsEqual(word)
    case (true, true):
      other.count >= word.count
        && (0...(other.count - word.count)).contains { other[$0...].starts(with: word) }
    }
  }
}

extension FilterRules.Alphabet {
  /// The letters of Persian among those of Arabic.
  private static let persianLetters = Set("پچژگکیآابتثجحخدذرزسشصضطظعغفقلمنوهء".unicodeScalars)

  /// True for a letter of an alphabet that is no script of Unicode as a whole.
  fileprivate func has(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .script: false
    case .persian: Self.persianLetters.contains(scalar)
    case .cyrillic: (0x0400...0x04FF).contains(scalar.value)
    case .arabic:
      [0x0600...0x06FF, 0x0750...0x077F, 0x08A0...0x08FF, 0xFB50...0xFDFF, 0xFE70...0xFEFE]
        .contains { $0.contains(scalar.value) }
    }
  }
}
