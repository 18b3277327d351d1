import Testing

/// What nodes that died cost a person who does not know it: two of the twelve of a private network.
@Suite struct DeadNodesTests {
  /// A node that asks a dead one gives up after three seconds: no command waits for that.
  @Test func deadNodesDelayNoCommandByThreeSeconds() async throws {
    try await Household.with { home in
      try await home.friends()
      let usual = try await Self.longest(of: 2, at: home)
      for node in ["5", "9"] { try await home.run("devnet", "kill-node", node) }
      let longest = try await Self.longest(of: 6, at: home)
      #expect(longest < usual + .milliseconds(2600))
    }
  }

  private static func longest(of count: Int, at home: Household) async throws -> Duration {
    var longest = Duration.zero
    for number in 1...count {
      let begun = ContinuousClock.now
      try await home.run("send", "bob", "Hello \(number)", "--account", "alice", "--wait", "sent")
      longest = max(longest, .now - begun)
    }
    return longest
  }
}
