import SwarmTrials
import Testing

/// A small trial of what `make soak` tries for long.
@Suite struct SwarmTrialTests {
  @Test func nothingThatWasAcknowledgedIsLost() async throws {
    var options = SwarmTrial.Options(folder: freshPath(), messages: 2000, seed: 7)
    options.messagesPerLife = 150
    options.accounts = 24
    let report = try await SwarmTrial.run(options)
    #expect(report.faults == [])
    #expect(report.stored == 2000)
    #expect(report.deaths >= 3)
    #expect(report.deleted > 0)
  }
}
