import SeededNumbers
import Testing

@testable import SessionTerminal

@Suite struct ClusterTests {
  private func text(_ clusters: [Cluster]) -> String { clusters.map(\.text).joined() }
  private func width(_ clusters: [Cluster]) -> Int { clusters.reduce(0) { $0 + $1.width } }

  @Test(arguments: [
    ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("", 0),
    ("한", 2), ("שלום", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("…", 1), ("🏴\u{E0067}\u{E0062}\u{E007F}", 2),
  ])
  func widthsAreThoseOfTerminals(text: String, columns: Int) {
    #expect(width(Cluster.line(text)) == columns)
    #expect(self.text(Cluster.line(text)) == text)
  }

  @Test(arguments: [
    ("\u{1B}]52;c;eA==\u{7}", "\u{FFFD}]52;c;eA==\u{FFFD}"), ("\u{9B}21t", "\u{FFFD}21t"),
    ("a\u{202E}b", "a\u{FFFD}b"),
    ("a\rb", "a b"), ("a\u{C}b", "a b"), ("a\u{8}b", "a\u{FFFD}b"), ("a\u{2028}b", "a b"),
    ("a\u{E0041}", "a\u{FFFD}"),
  ])
  func nothingThatControlsATerminalIsShown(text: String, shown: String) {
    #expect(self.text(Cluster.line(text)) == shown)
  }

  @Test(arguments: [
    ("al\u{200B}ice", "alice"), ("\u{202E}bob", "bob"), ("a\u{E000}b", "ab"), ("x\ty", "x y"),
  ])
  func namesLeaveOutWhatCannotBeSeen(text: String, shown: String) {
    #expect(self.text(Cluster.line(text, as: .name)) == shown)
  }

  @Test func marksWithoutEndAreCut() {
    let clusters = Cluster.line("a" + String(repeating: "\u{301}", count: 2000))
    #expect(clusters.count == 1)
    #expect(clusters.first?.text.unicodeScalars.count == 1 + Cluster.maxMarks)
  }

  @Test func joinersAloneTakeOneColumn() {
    #expect(width(Cluster.line(String(repeating: "\u{200D}", count: 50))) <= 50)
    #expect(Cluster.line("\u{200D}", as: .name).isEmpty)
    #expect(Cluster.line("\u{301}").map(\.text) == ["\u{25CC}\u{301}"])
  }

  @Test func tabsReachTheNextStop() { #expect(text(Cluster.line("ab\tc")) == "ab  c") }

  @Test func noRandomTextHasAControlCharacter() {
    var numbers = SeededGenerator(seed: 7)
    for _ in 0..<400 {
      let bytes = (0..<60).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      let scalars = (0..<20).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...0x1_10FF, using: &numbers))
      }
      let text = String(decoding: bytes, as: UTF8.self) + String(String.UnicodeScalarView(scalars))
      for cluster in Cluster.line(text) + Cluster.line(text, as: .name) {
        #expect(1...2 ~= cluster.width)
        #expect(cluster.text.unicodeScalars.count <= Cluster.maxScalars + 1)
        #expect(cluster.text.unicodeScalars.allSatisfy { $0.isSafeOnTerminal })
      }
    }
  }
}
