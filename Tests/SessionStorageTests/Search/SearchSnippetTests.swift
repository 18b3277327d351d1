import Testing

@testable import SessionStorage

@Suite struct SearchSnippetTests {
  private func marked(_ text: String, _ words: String, length: Int = 120) -> String {
    SearchSnippet(of: text, for: words, length: length).marked("[", "]")
  }

  @Test(arguments: [
    ("Hello there", "hello", "[Hello] there"),
    ("Hello there", "the", "Hello [there]"),
    ("hello hell", "hell x", "hello [hell]"),
    ("hello hell", "hell", "[hello] [hell]"),
    ("Große STRASSE", "strasse", "Große [STRASSE]"),
    ("eine Straße.", "strasse", "eine [Straße]."),
    ("Café crème", "cafe", "[Café] crème"),
    ("Cafe\u{301} crème", "café", "[Cafe\u{301}] crème"),
    ("ｆｕｌｌ width", "full", "[ｆｕｌｌ] width"),
    ("ze\u{200B}ro width", "zero", "[ze\u{200B}ro] width"),
    ("私は日本語を話す", "本語", "私は日[本語]を話す"),
    ("私は日本語を話す", "日本語", "私は[日本語]を話す"),
    ("日本日本日", "日本", "[日本][日本]日"),
    ("ああああ", "ああ", "[ああああ]"),
    ("話す話", "話", "[話]す[話]"),
    ("so😀funny", "😀", "so[😀]funny"),
    ("yes 👍🏽 👍", "👍", "yes [👍🏽] [👍]"),
    ("one two one", "one two", "[one] [two] [one]"),
    ("Hello there", "absent", "Hello there"),
    ("Hello there", "", "Hello there"),
    ("", "word", ""),
    ("tell O'Brien", "o'brien", "tell [O]'[Brien]"),
    ("line\none\r\ntwo", "two", "line one [two]"),
  ]) func matchesAreMarked(text: String, words: String, expected: String) {
    #expect(marked(text, words) == expected)
  }

  @Test func aLongTextIsCutAroundTheFirstMatch() {
    let text = (0..<100).map { "word\($0)" }.joined(separator: " ")
    #expect(marked(text, "word50 x", length: 40) == "…word49 [word50] word51 word52 word53 word5…")
    #expect(marked(text, "word0 x", length: 12) == "[word0] word1 …")
    #expect(marked(text, "word99", length: 40) == "…word98 [word99]")
    // A match that is longer than the snippet is cut with it.
    let long = String(repeating: "x", count: 50)
    #expect(marked("a " + long, "x", length: 10) == "a [xxxxxxxx]…")
  }

  @Test func aLetterOfSeveralSignsIsNotTornApart() {
    let text = String(repeating: "👨‍👩‍👧‍👦", count: 30) + "family"
    let snippet = SearchSnippet(of: text, for: "family", length: 20)
    #expect(snippet.text.dropFirst().prefix(1) == "👨‍👩‍👧‍👦")
    #expect(snippet.marked("[", "]").hasSuffix("[family]"))
  }

  @Test func textBeyondTheSearchLimitIsNotHighlighted() {
    let text = String(repeating: "x ", count: SearchText.maxText / 2 + 10) + "end"
    #expect(SearchSnippet(of: text, for: "end").matches.isEmpty)
  }
}
