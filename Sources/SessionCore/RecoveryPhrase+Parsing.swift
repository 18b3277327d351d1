internal import CSessionCore

extension RecoveryPhrase {
  /// Longer text is rejected without parsing.
  public static let maxBytes = Int(SC_PHRASE_MAX_BYTES)

  /// Parses a phrase as typed: any case and spacing; only the first three letters of each word count.
  ///
  /// The caller wipes `text`. The wrong words are in the error's
  /// ``SessionError/phraseMistake``.
  public init(parsing text: some Collection<UInt8>) throws(SessionError) {
    self.seed = try text.lend { (text) throws(SessionError) in
      try Core.secret(count: Int(SC_SEED_BYTES)) { (seed) throws(SessionError) in
        var place = sc_phrase_mistake()
        let status = sc_phrase_to_seed(seed, sc_phrase_english(), text, &place)
        guard status == SC_OK else { throw try Self.error(status, in: text, at: place) }
        return status
      }
    }
  }

  /// Parses a phrase from text in guarded memory.
  public init(_ text: SecretText) throws(SessionError) {
    self = try text.withUTF8 { (bytes) throws(SessionError) in
      try bytes.withUnsafeBufferPointer { (bytes) throws(SessionError) in try RecoveryPhrase(parsing: bytes) }
    }
  }

  /// The first wrong word of a phrase. It is part of a secret: show it to the person who typed it, and log only the
  /// number.
  public struct Mistake: Sendable {
    /// The position of the word, counted from 1.
    public let number: Int
    public let word: SecretText
    /// The most similar words of the list, best first; empty if the word is in the list.
    public let suggestions: [String]
  }

  private static func error(
    _ status: sc_status, in text: sc_bytes, at place: sc_phrase_mistake
  ) throws(SessionError) -> SessionError {
    let words = Int(SC_PHRASE_WORDS)
    switch status {
    case SC_ERR_PHRASE_TOO_SHORT, SC_ERR_PHRASE_TOO_LONG:
      return SessionError(
        SessionError(status).code, "a recovery phrase has \(words) words, this one has \(wordCount(of: text))"
      )
    case SC_ERR_PHRASE_UNKNOWN_WORD, SC_ERR_PHRASE_BAD_GROUP, SC_ERR_PHRASE_CHECKSUM:
      let mistake = try mistake(in: text, at: place, isUnknown: status == SC_ERR_PHRASE_UNKNOWN_WORD)
      return SessionError(
        SessionError(status).code, message(status, number: mistake.number), phraseMistake: mistake)
    default:
      return SessionError(status)
    }
  }

  private static func message(_ status: sc_status, number: Int) -> String {
    switch status {
    case SC_ERR_PHRASE_UNKNOWN_WORD:
      "word \(number) of the recovery phrase is not in the word list"
    case SC_ERR_PHRASE_BAD_GROUP:
      "words \(number) to \(number + 2) of the recovery phrase do not fit together; one of them is wrong"
    default:
      "the recovery phrase does not match its last word; a word is wrong or two are swapped"
    }
  }

  private static func mistake(
    in text: sc_bytes, at place: sc_phrase_mistake, isUnknown: Bool
  ) throws(SessionError) -> Mistake {
    let word = sc_bytes(ptr: text.ptr + place.offset, len: place.len)
    return Mistake(
      number: place.word + 1,
      word: SecretText(utf8: try SecretBytes(copying: word.content)),
      suggestions: isUnknown ? suggestions(for: word) : [])
  }

  private static func suggestions(for word: sc_bytes) -> [String] {
    let english = sc_phrase_english()
    var indices = [Int](repeating: 0, count: 3)
    let count = sc_phrase_suggest(&indices, indices.count, english, word)
    return indices.prefix(count).map {
      String(decoding: sc_phrase_word(english, $0).content, as: UTF8.self)
    }
  }

  private static func wordCount(of text: sc_bytes) -> Int {
    let noBreakSpace = Array("\u{A0}".utf8)
    return text.content.split { $0 <= UInt8(ascii: " ") || noBreakSpace.contains($0) }.count
  }
}

extension RecoveryPhrase.Mistake: CustomStringConvertible, CustomReflectable {
  public var description: String { "word \(number)" }
  public var customMirror: Mirror { Mirror(self, children: ["number": number]) }
}
