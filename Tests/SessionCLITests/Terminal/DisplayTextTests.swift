import Testing

@testable import SessionCLI

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("two\nlines", "two lines"), ("\u{1B}[31mred", "\u{FFFD}[31mred"),
    ("\u{9B}2J", "\u{FFFD}2J"), ("a\u{202E}b", "a\u{FFFD}b"), ("bell\u{7}", "bell\u{FFFD}"), ("é👩‍👩‍👧", "é👩‍👩‍👧"),
  ])
  func nothingInALineMovesTheCursor(text: String, shown: String) {
    #expect(DisplayText.line(text) == shown)
  }

  @Test func aTextMayHaveLines() { #expect(DisplayText.lines("a\nb\r\u{1B}") == "a\nb \u{FFFD}") }

  @Test(arguments: [("abc", 3), ("日本", 4), ("é", 1), ("e\u{301}", 1), ("👍", 2), ("", 0)])
  func widthIsWhatTheTerminalDraws(text: String, columns: Int) {
    #expect(DisplayText.width(text) == columns)
  }

  @Test(arguments: [("abcdef", 4, "abc…"), ("日本語", 4, "日…"), ("abc", 3, "abc"), ("", 0, "")])
  func wideTextIsTruncated(text: String, columns: Int, shown: String) {
    #expect(DisplayText.fitted(text, to: columns) == shown)
    #expect(DisplayText.width(shown) <= columns)
  }

  @Test func columnsAreAsWideAsTheirWidestCell() {
    let table = TextTable(head: ["who", "what"], rows: [["日本", "x"], ["a", "y"]])
    let text = table.parts.map { part in
      switch part {
      case .text(let text), .heading(let text): text
      default: ""
      }
    }.joined()
    #expect(text == "who   what\n日本  x\na     y\n")
    #expect(TextTable(head: ["who"]).parts.isEmpty)
  }

  @Test(
    arguments: [
      ("", 10, ""), ("one two three", 13, "one two three"), ("one two three", 12, "one two\nthree"),
      ("one two three", 3, "one\ntwo\nthree"), ("  /help  this list", 12, "  /help \nthis list"),
      ("日本語 日本語", 12, "日本語\n日本語"), ("日本語 日本語", 13, "日本語 日本語"),
    ])
  func linesAreBrokenBetweenWords(line: String, columns: Int, rows: String) {
    #expect(DisplayText.wrapped(line, to: columns) == rows)
  }
}
