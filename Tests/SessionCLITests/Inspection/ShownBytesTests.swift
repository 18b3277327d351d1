import Testing

@testable import SessionCLI

@Suite struct ShownBytesTests {
  @Test(arguments: [
    ("hello", "\"hello\""), ("a\"b\\c", "\"a\\\"b\\\\c\""), ("a\nb", "\"a\\nb\""),
    ("\u{1B}[2J", "\"\\u{1b}[2J\""),
    ("\u{202E}abc", "\"\\u{202e}abc\""), ("\u{9B}", "\"\\u{9b}\""), ("👩‍👩‍👧‍👦", "\"👩‍👩‍👧‍👦\""),
  ])
  func aTextHoldsNothingThatATerminalObeys(text: String, shown: String) {
    #expect(ShownBytes.text(Array(text.utf8)) == shown)
  }

  @Test func binaryDataIsShownAsBytes() {
    #expect(ShownBytes.text([0x68, 0xFF]) == "68ff")
    #expect(ShownBytes.textOrHex([0x00, 0x01]) == "0001")
  }

  @Test func muchIsCut() {
    #expect(ShownBytes.hex([UInt8](repeating: 0, count: 65)) == String(repeating: "00", count: 64) + "…")
    #expect(ShownBytes.text([UInt8](repeating: 0x61, count: 201)).hasSuffix("a\"…"))
  }

  @Test(arguments: [
    (UInt64(0), "0"), (1_700_000_000, "1700000000  2023-11-14T22:13:20Z"), (.max, "18446744073709551615"),
  ])
  func timesAreShownAsDatesWhereTheyCanBe(seconds: UInt64, shown: String) {
    #expect(ShownTime.seconds(seconds) == shown)
  }
}
