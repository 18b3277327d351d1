import Testing

@testable import SessionTerminal

/// Screens as people see them, in several sizes.
@Suite struct ScreenGoldenTests {
  static let sizes = [(20, 6), (40, 12), (80, 24), (200, 50)]

  @Test(arguments: sizes)
  func theList(columns: Int, rows: Int) throws {
    var stage = Stage(columns: columns, rows: rows)
    stage.take(.conversations(Stage.people, requests: [Stage.request]))
    stage.take(.connection(UIConnection(isReachable: true, waiting: 2)))
    try expectScreen(stage, "list")
  }

  @Test(arguments: sizes)
  func aConversation(columns: Int, rows: Int) throws {
    var stage = Stage.talking(columns: columns, rows: rows)
    stage.take(.transfer(file: 9, share: 0.48))
    stage.type("I will be there at ")
    try expectScreen(stage, "conversation")
  }

  @Test(arguments: sizes)
  func aSelectedMessage(columns: Int, rows: Int) throws {
    var stage = Stage.talking(columns: columns, rows: rows)
    stage.press("Up", "Up", "Up", "Up")
    try expectScreen(stage, "selection")
  }

  @Test(arguments: sizes)
  func thePalette(columns: Int, rows: Int) throws {
    var stage = Stage.talking(columns: columns, rows: rows)
    stage.press("Ctrl-K")
    stage.type("mut")
    try expectScreen(stage, "palette")
  }

  @Test(arguments: sizes)
  func theNetwork(columns: Int, rows: Int) throws {
    var stage = Stage.talking(columns: columns, rows: rows)
    stage.press("F9")
    stage.take(
      .network(
        [
          NetworkRoute(
            purpose: "messages", nodes: ["192.0.2.7:22021", "198.51.100.20:22021", "203.0.113.9:22021"],
            end: "swarm")
        ],
        lines: ["nodes  1894 of 2011 usable", "clock  3 ms off"]))
    try expectScreen(stage, "network")
  }

  @Test(arguments: [(40, 12), (80, 24)])
  func theRest(columns: Int, rows: Int) throws {
    var stage = Stage.talking(columns: columns, rows: rows)
    stage.press("F1")
    try expectScreen(stage, "help")
    stage.press("Esc", "F3")
    try expectScreen(stage, "requests")
    stage.press("Esc", "Up", "d")
    try expectScreen(stage, "delete")
    stage.press("Esc", "Up", "r")
    stage.type("yes,\nof course")
    try expectScreen(stage, "reply")
    stage.press("Ctrl-G")
    stage.type("clock")
    stage.take(
      .found(
        query: "clock", in: nil,
        [SearchHit(conversation: Stage.bob, name: "Bob Martin", message: Stage.talk[1])]))
    try expectScreen(stage, "search")
  }

  @Test(arguments: [(0, 0), (1, 1), (19, 6), (20, 5)])
  func aScreenThatIsTooSmallSaysSo(columns: Int, rows: Int) {
    let stage = Stage.talking(columns: columns, rows: rows)
    #expect(columns < 5 || stage.screen.hasPrefix("too small"))
    var larger = stage
    larger.take(.resize(ScreenSize(columns: 80, rows: 24)))
    #expect(larger.screen.contains("Perfect."))
  }

  @Test func withoutBoxesThereIsASCIIAlone() {
    var stage = Stage(columns: 80, rows: 24)
    stage.state.hasBoxes = false
    stage.take(.conversations(Stage.people, requests: []))
    stage.press("F1")
    #expect(stage.screen.unicodeScalars.allSatisfy { $0.isASCII || $0 == "…" })
  }
}
