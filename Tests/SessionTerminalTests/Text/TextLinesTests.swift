import SeededNumbers
import Testing

@testable import SessionTerminal

@Suite struct TextLinesTests {
  private func rows(_ text: String, _ columns: Int) -> [String] {
    TextLines.wrapped(TextLines.cells(text, Style()), to: columns).map { $0.map(\.cluster.text).joined() }
  }

  @Test(arguments: [
    ("one two three", 13, ["one two three"]), ("one two three", 12, ["one two", "three"]),
    ("one two three", 3, ["one", "two", "thr", "ee"]), ("abcdef", 4, ["abcd", "ef"]), ("", 5, [""]),
    ("日本語", 4, ["日本", "語"]), ("日本語", 5, ["日本", "語"]), ("a  b", 2, ["a ", "b"]),
  ])
  func linesAreBrokenBetweenWords(text: String, columns: Int, expected: [String]) {
    #expect(rows(text, columns) == expected)
  }

  @Test(arguments: [("abcdef", 4, "abc…"), ("日本語", 4, "日…"), ("abc", 3, "abc"), ("abc", 0, "")])
  func wideLinesAreCut(text: String, columns: Int, expected: String) {
    #expect(
      TextLines.fitted(TextLines.cells(text, Style()), to: columns).map(\.cluster.text).joined() == expected)
  }

  @Test func noRowIsWiderThanAskedFor() {
    var numbers = SeededGenerator(seed: 3)
    let pieces = ["a", " ", "word", "日本", "👩‍👩‍👧", "e\u{301}", "  ", "שלום", "longerword"]
    for _ in 0..<300 {
      let text = (0..<30).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
      let columns = Int.random(in: 2...40, using: &numbers)
      let rows = TextLines.wrapped(TextLines.cells(text, Style()), to: columns)
      #expect(rows.allSatisfy { TextLines.width(of: $0) <= columns })
      let shown = rows.flatMap { $0 }.map(\.cluster.text).joined().filter { $0 != " " }
      #expect(shown == text.filter { $0 != " " })
    }
  }

  @Test(arguments: [("abc", false), ("שלום abc", true), ("123 שלום", true), ("abc שלום", false), ("", false)])
  func theFirstLetterDecidesTheDirection(text: String, isRightToLeft: Bool) {
    #expect(TextLines.isRightToLeft(text[...]) == isRightToLeft)
  }

  @Test(arguments: [
    ("alice", "alice"), ("*club", "\"*club\""), ("bob 5!", "\"bob 5!\""), ("", "(no name)"),
    ("   ", "(no name)"),
    ("a\nb", "a b"), (String(repeating: "x", count: 300), String(repeating: "x", count: 23) + "…"),
  ])
  func namesCannotPassForSignsOfOurs(name: String, shown: String) {
    #expect(ShownName.cells(name, Style()).map(\.cluster.text).joined() == shown)
  }
}
