import CEdit
import Testing

@testable import SessionCLI

@Suite struct LineLayoutTests {
  init() { editing_use_locale() }

  /// The number of rows above the cursor once a text was typed.
  @Test(
    arguments: [
      ("", 0), ("123456789", 0), ("1234567890", 1), ("12345678901", 1), ("12345678901234567890", 2),
      ("日本語日本", 1), ("1日本語日本", 1), ("123456789日", 1), ("é", 0), ("12345678\u{1}", 1),
      ("1234\u{FFFE}", 1),
    ])
  func rowsAreThoseOfLibedit(text: String, rows: Int) {
    var layout = LineLayout(columns: 10)
    layout.add(text)
    #expect(layout.row == rows)
  }
}
