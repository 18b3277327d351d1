import Testing

@testable import SessionCLI

@Suite struct ProgressBarTests {
  @Test(
    arguments: [
      (0, 1000, 0, 60, "sending [------------------------------]   0%"),
      (500, 1000, 1000, 60, "sending [############-------------]  50%  500 B/s  0:01 left"),
      (500, 1000, 100, 60, "sending [###############---------------]  50%"),
      (1000, 1000, 2000, 60, "sending [##############################] 100%  500 B/s"),
      (2_500_000, 10_000_000, 1000, 60, "sending [######------------------]  25%  2.5 MB/s  0:03 left"),
      (1000, 100_000_000, 1000, 60, "sending [--------------------]   0%  1.0 kB/s  27:46:39 left"),
      (500, 1000, 1000, 40, "sending [##---]  50%  500 B/s  0:01 left"),
      (500, 1000, 1000, 39, "sending [#######--------]  50%  500 B/s"),
      (500, 1000, 1000, 24, "sending [####-----]  50%"),
      (500, 1000, 1000, 12, "sending  50%"),
      (500, 1000, 1000, 4, "sen…"),
      (5, 0, 1000, 24, "sending [---------]   0%"),
      (2000, 1000, 1000, 24, "sending [#########] 100%"),
    ] as [(Int64, Int64, Int64, Int, String)])
  func theLineHasWhatThereIsRoomFor(done: Int64, total: Int64, milliseconds: Int64, width: Int, line: String)
  {
    let shown = ProgressBar.line(
      "sending", done: done, total: total, elapsed: .milliseconds(milliseconds), width: width)
    #expect(shown == line)
    #expect(DisplayText.width(shown) <= width)
  }

  @Test(
    arguments: [
      (0, 300, false, 0, 60, "receiving [------------------------------]   0%  0 of 300"),
      (150, 300, false, 1000, 60, "receiving [######-------]  50%  150 of 300  150/s  0:01 left"),
      (150, 300, true, 1000, 49, "receiving [######------]  50%  150 of 300+  150/s"),
      (300, 300, false, 1000, 50, "receiving [##############] 100%  300 of 300  300/s"),
      (150, 300, false, 1000, 28, "receiving [#####------]  50%"),
    ] as [(Int64, Int64, Bool, Int64, Int, String)])
  func messagesAreCounted(
    done: Int64, total: Int64, hasMore: Bool, milliseconds: Int64, width: Int, line: String
  ) {
    let shown = ProgressBar.line(
      "receiving", done: done, total: total, in: .messages(hasMore: hasMore),
      elapsed: .milliseconds(milliseconds), width: width)
    #expect(shown == line)
    #expect(DisplayText.width(shown) <= width)
  }

  @Test func noLineIsWiderThanTheTerminal() {
    for width in 1...120 {
      for label in ["x", "日本語のファイル", "a\u{1B}[2J"] {
        let line = ProgressBar.line(
          label, done: 123_456, total: 9_999_999, elapsed: .seconds(3), width: width)
        #expect(DisplayText.width(line) <= width)
        #expect(!line.contains("\u{1B}"))
      }
    }
  }

  @Test(
    arguments: [
      (-1, "0 B"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1249, "1.2 kB"), (9949, "9.9 kB"),
      (9950, "10 kB"),
      (999_499, "999 kB"), (999_500, "1.0 MB"), (34_000_000, "34 MB"), (Int64.max, "9223372 TB"),
    ] as [(Int64, String)])
  func sizesAreShort(bytes: Int64, text: String) { #expect(ByteCount.text(bytes) == text) }
}
