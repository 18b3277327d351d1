import SessionBase
import Testing

@Suite struct ConfigTextTests {
  private func values(_ text: String) throws -> [String: ConfigText.Value] {
    Dictionary(
      uniqueKeysWithValues: try ConfigText(parsing: text).entries.map { ($0.name, $0.value) })
  }

  @Test func everyKindOfValueIsRead() throws {
    let text = """
      # remark
      listen = "192.0.2.1:1" # and another
        path='C:\\x'\t

      escaped = "a\\"b\\\\c\\n\\t#"
      count = 1_000
      negative = -5
      yes=true
      no = false
      hosts = ["a", 'b' , "c",]
      none = []
      """
    #expect(
      try values(text) == [
        "listen": .text("192.0.2.1:1"), "path": .text("C:\\x"), "escaped": .text("a\"b\\c\n\t#"),
        "count": .integer(1000), "negative": .integer(-5), "yes": .boolean(true), "no": .boolean(false),
        "hosts": .texts(["a", "b", "c"]), "none": .texts([]),
      ])
    #expect(try values("") == [:])
    #expect(try values("a = 1\r\nb = 2\r\n") == ["a": .integer(1), "b": .integer(2)])
  }

  @Test func writtenTextCanBeParsed() throws {
    let text = "a \"b\" \\ \t\n\u{1} é 🦊"
    #expect(try values("name = \(JSONText.quoted(text))") == ["name": .text(text)])
  }

  @Test(arguments: ["\u{301}\u{1F3FB}", "a\u{600}", "a\r\nb\u{2028}\u{85}", "\"\\'#", "", "🦊"])
  func setValuesAreRead(text: String) throws {
    let changed = try ConfigText.setting("name", to: .text(text), in: "a = 1")
    #expect(try values(changed) == ["a": .integer(1), "name": .text(text)])
    let list = try ConfigText.setting("name", to: .texts([text, text]), in: "")
    #expect(try values(list) == ["name": .texts([text, text])])
  }

  @Test(
    arguments: [
      ("", "c = 3\n"), ("a = 1", "a = 1\nc = 3\n"), ("c = 'x' # why\nb = 2", "c = 3  # why\nb = 2"),
      ("a = 1\r\nc=2\r\nb = 2\r\n", "a = 1\r\nc = 3\r\nb = 2\r\n"), ("# c = 1\n", "# c = 1\nc = 3\n"),
    ])
  func aValueIsChangedInItsLine(text: String, changed: String) throws {
    #expect(try ConfigText.setting("c", to: .integer(3), in: text) == changed)
  }

  @Test(
    arguments: [
      ("", ""), ("a = 1", "a = 1"), ("a = 1\nc = 2", "a = 1\n"), ("c = 2 # x\na = 1", "a = 1"),
      ("a = 1\r\nc = 2\r\nb = 3", "a = 1\r\nb = 3"),
    ])
  func aValueIsTakenAwayWithItsLine(text: String, changed: String) throws {
    #expect(try ConfigText.setting("c", to: nil, in: text) == changed)
  }

  @Test func invalidTextIsNotChanged() {
    #expect(throws: ConfigText.Mistake(line: 2, what: "'=' is missing after b")) {
      try ConfigText.setting("a", to: .integer(1), in: "a = 2\nb")
    }
  }

  @Test(
    arguments: [
      ("a", "'=' is missing after a"),
      ("[node]", "tables are not supported"),
      ("= 1", "a line must begin with a name in lower case"),
      ("Aa = 1", "a line must begin with a name in lower case"),
      ("a = ", "the value is missing"),
      ("a = # x", "the value is missing"),
      ("a = b", "'b' is not a value: put text in quotation marks"),
      ("a = 1.5", "'1.5' is not a value: put text in quotation marks"),
      ("a = _1", "'_1' is not a value: put text in quotation marks"),
      ("a = 99999999999999999999", "'99999999999999999999' is not a value: put text in quotation marks"),
      ("a = \"b", "the closing quotation mark is missing"),
      ("a = \"\\x\"", "after a backslash only \", \\, n, t, or u with four digits are allowed"),
      ("a = \"\\u00g1\"", "\\u needs the four hexadecimal digits of a character"),
      ("a = \"\\ud800\"", "\\u needs the four hexadecimal digits of a character"),
      ("a = \"\\u1\"", "\\u needs the four hexadecimal digits of a character"),
      ("a = \"b\" c", "only a comment with # may follow the value"),
      ("a = [\"b\"", "] or a comma is missing"),
      ("a = [1]", "text between [ and ] must be in quotation marks and on one line"),
      ("a = [", "text between [ and ] must be in quotation marks and on one line"),
      ("a = 1\na = 2", "a is already set in line 3"),
    ])
  func aLineThatIsWrongIsNamed(text: String, what: String) {
    let line = text.contains("\n") ? 4 : 3
    #expect(throws: ConfigText.Mistake(line: line, what: what)) { try ConfigText(parsing: "# x\n\n" + text) }
  }
}
