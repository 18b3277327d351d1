import SessionCore
import Testing

@Suite struct RecoveryPhraseTests {
  private static let words = Example.firstPhrase.split(separator: " ").map(String.init)

  private func mistake(in text: String) throws -> SessionError {
    try #require(throws: SessionError.self) { try RecoveryPhrase(parsing: text.utf8) }
  }

  private func phrase(replacing index: Int, with word: String) -> String {
    var words = Self.words
    words[index] = word
    return words.joined(separator: " ")
  }

  @Test func aPhraseStandsForItsAccount() throws {
    let phrase = try RecoveryPhrase(parsing: Example.firstPhrase.utf8)
    #expect(try Account(phrase).id.description == Example.firstID)
    #expect(try phrase.text().reveal() == Example.firstPhrase)
  }

  @Test func caseSpacingAndTypedTailsDoNotMatter() throws {
    let typed = "  VEXED enjoy\tpigmentish  films\nadept voted vexed enjoy pigment films adept voted adept\n"
    #expect(try RecoveryPhrase(parsing: typed.utf8).text().reveal() == Example.firstPhrase)
  }

  @Test func anUnknownWordIsNamedWithItsNumberAndTheNearestWords() throws {
    let error = try mistake(in: phrase(replacing: 3, with: "fxims"))
    #expect(error.code == .phraseUnknownWord)
    #expect(error.message == "word 4 of the recovery phrase is not in the word list")
    let mistake = try #require(error.phraseMistake)
    #expect(mistake.number == 4)
    #expect(mistake.word.reveal() == "fxims")
    #expect(mistake.suggestions.contains("films"))
  }

  @Test func missingAndSpareWordsAreCounted() throws {
    let short = try mistake(in: Self.words.dropLast().joined(separator: " "))
    #expect(short.code == .phraseTooShort)
    #expect(short.message == "a recovery phrase has 13 words, this one has 12")
    let long = try mistake(in: Example.firstPhrase + " \u{A0} abbey zoom\n")
    #expect(long.code == .phraseTooLong)
    #expect(long.message == "a recovery phrase has 13 words, this one has 15")
    #expect(try mistake(in: "").message == "a recovery phrase has 13 words, this one has 0")
  }

  @Test func aWrongLastWordIsAChecksumMistake() throws {
    let error = try mistake(in: phrase(replacing: 12, with: "abbey"))
    #expect(error.code == .phraseChecksum)
    #expect(error.phraseMistake?.number == 13)
    #expect(error.phraseMistake?.suggestions == [])
  }

  @Test func threeWordsThatDoNotGoTogetherAreNamed() throws {
    let words = Array(repeating: "abbey", count: 3) + ["zoom", "abbey", "zoom"]
    let text = (words + Array(repeating: "abbey", count: 7)).joined(separator: " ")
    let error = try mistake(in: text)
    #expect(error.code == .phraseBadGroup)
    #expect(error.message.hasPrefix("words 4 to 6 of the recovery phrase do not fit together"))
  }

  @Test func endlessTextIsRefused() throws {
    let error = try mistake(in: String(repeating: "abbey ", count: 1000))
    #expect(error.code == .tooLarge)
  }

  @Test func nothingPrintsThePhrase() throws {
    let phrase = try RecoveryPhrase(parsing: Example.firstPhrase.utf8)
    let error = try mistake(in: self.phrase(replacing: 3, with: "fxims"))
    var printed = "\(phrase) \(try phrase.text()) \(error)"
    dump(phrase, to: &printed)
    dump(try phrase.text(), to: &printed)
    dump(error, to: &printed)
    for word in Self.words + ["fxims", "films"] { #expect(!printed.contains(word)) }
  }
}
