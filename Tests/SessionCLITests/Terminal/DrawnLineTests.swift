import Synchronization
import Testing

@testable import SessionCLI

@Suite struct DrawnLineTests {
  /// The text on the row of the cursor, and on the rows above.
  private struct Screen {
    var rows: [String] = []
    var row = ""

    mutating func show(_ text: String) {
      for character in text {
        switch character {
        case "\r": row = ""
        case "\n":
          rows.append(row)
          row = ""
        default: row.append(character)
        }
      }
    }
  }

  private static func repeated(_ count: Int, _ body: () -> Void) {
    for _ in 0..<count { body() }
  }

  @Test func messagesNeverFollowTheLineOnTheSameRow() async throws {
    let screen = Mutex(Screen())
    var io = CommandIO.reading("")
    io.messageColumns = { 80 }
    io.draw = { text in screen.withLock { $0.show(text.replacing("\u{1B}[K", with: "")) } }
    let (told, telling) = AsyncStream.makeStream(of: Int.self)
    let place = DrawnLine(io)
    let line: @Sendable (Int?, Int) -> String? = { number, _ in "line \(number ?? 0)" }
    try await io.drawing(told, line, at: place) { _ in
      async let draws: Void = Self.repeated(20_000) { place.draw("line") }
      Self.repeated(2_000) {
        telling.yield(1)
        place.replace {
          for part in ["mess", "age\n"] { screen.withLock { $0.show(part) } }
        }
      }
      await draws
    }
    #expect(screen.withLock { $0.row } == "")
    #expect(screen.withLock { $0.rows } == Array(repeating: "message", count: 2_000))
  }

  @Test func aLineThatIsNotThereIsNotCleared() {
    let drawn = Mutex("")
    var io = CommandIO.reading("")
    io.draw = { text in drawn.withLock { $0 += text } }
    let place = DrawnLine(io)
    place.replace {}
    place.draw("line")
    place.replace {}
    place.replace {}
    #expect(drawn.withLock { $0 } == "\rline\u{1B}[K\r\u{1B}[K")
  }
}
