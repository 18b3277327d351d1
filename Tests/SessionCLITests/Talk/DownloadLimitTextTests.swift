import SessionMessaging
import Testing

@testable import SessionCLI

@Suite struct DownloadLimitTextTests {
  @Test(
    arguments: [
      ("image 2M", 2_000_000), ("file off", 0), ("voice 500k", 500_000), ("video 10M", 10_000_000),
      ("video 11M", nil), ("image -1", nil), ("image", nil), ("picture 2M", nil), ("image 2 M", nil),
      ("", nil),
    ] as [(String, Int64?)])
  func limitsAreRead(text: String, expected: Int64?) {
    #expect(DownloadLimitText.limit(text)?.limit == expected)
  }

  @Test func theyAreShownForAllKinds() {
    #expect(DownloadLimitText.text(DownloadRules()) == "image 522 kB, voice 522 kB, video 1.0 MB, file off")
    #expect(DownloadLimitText.size("off") == 0 && DownloadLimitText.size("x") == nil)
  }
}
