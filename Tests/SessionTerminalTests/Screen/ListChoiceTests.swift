import Foundation
import PseudoTerminals
import Testing

@testable import SessionTerminal

@Suite(.timeLimit(.minutes(1))) struct ListChoiceTests {
  private static let rows = [
    ListChoice.Row(left: "Bob Martin"), .init(left: "Climbing", right: "group"), .init(left: "Bo\u{1B}]52;b"),
  ]

  private var list = ListChoice(["share beach.jpg (2.1 MB) with"], rows: rows)

  private mutating func press(_ names: String...) throws -> ListChoice.Outcome? {
    var outcome: ListChoice.Outcome?
    for name in names { outcome = list.take(.key(try #require(Key(name)))) }
    return outcome
  }

  @Test mutating func theFirstRowIsChosenAtOnce() throws { #expect(try press("Enter") == .chosen(0)) }

  @Test mutating func arrowsMoveWithinTheRows() throws {
    #expect(try press("Up", "Down", "Enter") == .chosen(1))
    #expect(try press("Down", "Down", "Down", "Enter") == .chosen(2))
  }

  @Test mutating func typingNarrowsTheRows() throws {
    _ = try press("Down", "b", "o")
    #expect(!list.drawn(on: ScreenSize(columns: 60, rows: 10)).text.contains("Climbing"))
    #expect(try press("Down", "Enter") == .chosen(2))
    #expect(try press("x", "Enter") == nil)
    #expect(list.drawn(on: ScreenSize(columns: 60, rows: 10)).text.contains("nothing has this name"))
    #expect(try press("Esc") == .cancelled)
  }

  @Test mutating func nothingOfANameReachesTheTerminalButText() {
    let size = ScreenSize(columns: 40, rows: 6)
    let text = list.drawn(on: size).text
    #expect(text.contains("share beach.jpg") && text.contains(" > Bob Martin"))
    #expect(!text.contains("\u{1B}"))
    for columns in 1...30 {
      for rows in 1...6 { _ = list.drawn(on: ScreenSize(columns: columns, rows: rows)) }
    }
  }

  @Test(arguments: [("\u{1B}[B\r", 1 as Int?), ("\u{3}", nil), ("mb\r", 1)])
  func aPersonChoosesOnTheTerminal(typed: String, place: Int?) async throws {
    let terminal = try PseudoTerminal(columns: 60)
    let end = terminal.end.fileDescriptor
    let screen = ChoiceScreen(
      try #require(RawTerminal(input: end, output: end)), try #require(WakingInput(end)),
      try #require(TerminalCapabilities(environment: ["TERM": "xterm", "LANG": "C.UTF-8"])))
    var drawings = terminal.drawings().makeAsyncIterator()
    let choosing = Task { [list] in
      var list = list
      return await screen.choose(from: &list)
    }
    var drawn = ""
    while !drawn.contains("Climbing"), let piece = await drawings.next() { drawn += piece }
    try terminal.type(typed)
    #expect(await choosing.value == place)
    while !drawn.contains(TerminalModes.leave), let piece = await drawings.next() { drawn += piece }
    #expect(drawn.hasSuffix(TerminalModes.leave))
  }

  @Test func theFilterStaysWhenTheChoiceIsInterrupted() async throws {
    let terminal = try PseudoTerminal(columns: 60)
    let end = terminal.end.fileDescriptor
    let screen = ChoiceScreen(
      try #require(RawTerminal(input: end, output: end)), try #require(WakingInput(end)),
      try #require(TerminalCapabilities(environment: ["TERM": "xterm", "LANG": "C.UTF-8"])))
    var drawings = terminal.drawings().makeAsyncIterator()
    let choosing = Task { [list] in
      var list = list
      let place = await screen.choose(from: &list)
      return (place, list)
    }
    var drawn = ""
    while !drawn.contains("Climbing"), let piece = await drawings.next() { drawn += piece }
    // The row that is left moves up.
    drawn = ""
    try terminal.type("mb")
    while !drawn.contains("Climbing"), let piece = await drawings.next() { drawn += piece }
    choosing.cancel()
    let (place, kept) = await choosing.value
    #expect(place == nil)
    var again = kept
    let outcome = again.take(.key(try #require(Key("Enter"))))
    #expect(outcome == .chosen(1))
  }
}
