import SessionCore
import Testing

@testable import SessionCLI

@Suite struct TimerTextTests {
  @Test(arguments: [
    ("1w", "after-send 1w"), ("after-read 1d", "after-read 1d"), ("after-send 90s", "after-send 90s"),
    ("14d", "after-send 2w"), ("15d", nil), ("0s", nil), ("after-read", nil), ("1", nil),
    ("after-seen 1d", nil),
    ("after-read 1d 2d", nil), ("", nil),
  ])
  func timersAreReadAndWritten(text: String, expected: String?) {
    #expect(TimerText.timer(text).map { TimerText.text($0) } == expected)
  }
}
