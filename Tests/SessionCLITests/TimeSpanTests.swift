import Testing

@testable import SessionCLI

@Suite struct TimeSpanTests {
  @Test(
    arguments: [
      ("90", 90), ("90s", 90), ("10m", 600), ("12h", 43_200), ("1d", 86_400), ("2w", 1_209_600), ("0s", 0),
    ] as [(String, Int64)])
  func timesAreReadAsPeopleWriteThem(text: String, seconds: Int64) throws {
    #expect(try #require(TimeSpan(text)).seconds == seconds)
  }

  @Test(arguments: ["", "s", "-1s", "1.5h", "1y", "ten", "99999999999999999w", "1 h"])
  func invalidTimeSpansAreRejected(text: String) { #expect(TimeSpan(text) == nil) }

  @Test(
    arguments: [(90, "90s"), (600, "10m"), (3600, "1h"), (86_400, "1d"), (1_209_600, "2w")]
      as [(Int64, String)])
  func aTimeIsWrittenInTheLargestUnitWithoutARest(seconds: Int64, text: String) {
    #expect(TimeSpan(seconds: seconds).text == text)
  }
}
