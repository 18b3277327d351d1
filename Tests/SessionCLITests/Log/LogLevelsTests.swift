import Testing

@testable import SessionBase
@testable import SessionCLI

/// What the log has of each part of the program.
@Suite struct LogLevelsTests {
  private func admits(_ levels: LogLevels, _ level: ClientLog.Level, _ part: ClientLog.Part) -> Bool {
    levels.admit(ClientLog.Event(level: level, part: part, name: "x", fields: []))
  }

  @Test func aPartCanHaveALevelOfItsOwn() throws {
    let levels = try #require(LogLevels("warn,network=debug,poller=error"))
    #expect(admits(levels, .warn, .account) && !admits(levels, .info, .account))
    #expect(admits(levels, .debug, .network) && !admits(levels, .trace, .network))
    #expect(admits(levels, .error, .poller) && !admits(levels, .warn, .poller))
    let part = try #require(LogLevels("jobs=trace"))
    #expect(admits(part, .info, .account) && !admits(part, .debug, .account) && admits(part, .trace, .jobs))
  }

  @Test(arguments: [
    "", "loud", "info,", "info,warn", "quic=debug", "network", "network=", "network=a=b",
    "network=info,network=debug", "info network=debug",
  ])
  func otherTextsAreNone(text: String) {
    #expect(LogLevels(text) == nil)
  }
}
