import Testing

@testable import SessionCLI

@Suite struct ColourTests {
  @Test(
    arguments: [
      (.auto, true, [:], true), (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
      (.auto, true, ["NO_COLOR": ""], true), (.auto, true, ["TERM": "dumb"], false),
      (.always, false, ["NO_COLOR": "1"], true), (.never, true, [:], false),
    ] as [(UserSettings.Colour, Bool, [String: String], Bool)])
  func headingsStandOutWhereTheyShould(
    colour: UserSettings.Colour, isTerminal: Bool, environment: [String: String], expected: Bool
  ) {
    var io = CommandIO.reading("")
    (io.settings.colour, io.isTerminal, io.environment) = (colour, isTerminal, environment)
    #expect(io.hasColour == expected)
  }
}
