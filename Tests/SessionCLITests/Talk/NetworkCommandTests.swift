import SessionBase
import Testing

@testable import SessionCLI

/// What the commands show of the network is what the program that holds the account uses.
@Suite(.timeLimit(.minutes(10))) struct NetworkCommandTests {
  @Test func guardsAreListedAndReplaced() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let first = try await home.json("net", "guards", "list")
      let keys = Set(first.compactMap { $0["key"] as? String })
      #expect(!keys.isEmpty && keys.count == first.count)
      #expect(first.filter { $0["in_use"] as? Bool == true }.count >= 1)
      let forgetting = try await home.outcome(["net", "guards", "forget"])
      #expect(forgetting.status == 0 && forgetting.messages.contains("Guards replaced"))
      let second = Set(try await home.json("net", "guards", "list").compactMap { $0["key"] as? String })
      #expect(!second.isEmpty && second != keys)
      // They stay from one command to the next.
      #expect(Set(try await home.json("net", "guards", "list").compactMap { $0["key"] as? String }) == second)
      let text = try await home.run("net", "guards", "list")
      #expect(text.split(separator: "\n").count == second.count && text.contains("primary"))
    }
  }

  @Test func whyGuardsChangedIsShown() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.with(daemon: true, serving: "alice") {
        let state = try await #require(home.json("net", "status").first)
        #expect(state["state"] as? String == "connected")
        let changes = try #require(state["changes"] as? [[String: Any]])
        #expect(changes.contains { $0["change"] as? String == "guard drawn" })
        let text = try await home.run("net", "status")
        #expect(text.contains("change  ") && text.contains(": first start"))
      }
    }
  }

  @Test(arguments: [
    (#"{"url":"https://a.example","polls":3,"failures":0}"#, "https://a.example  reachable"),
    (#"{"url":"https://a.example","polls":0,"failures":0}"#, "https://a.example  not polled yet"),
    (
      #"{"url":"https://a.example","polls":3,"failures":1,"failure":"no answer"}"#,
      "https://a.example  failed 1 time: no answer"
    ),
    (
      #"{"url":"https://a.example","polls":0,"failures":2,"failure":"no\nanswer"}"#,
      "https://a.example  failed 2 times: no answer"
    ),
  ]) func serversOfCommunitiesAreShown(server: String, shown: String) throws {
    let state = try JSONReader.value(of: Array(#"{"state":"connected","servers":[\#(server)]}"#.utf8))
    let fields = state.networkFields.filter { $0.label == "server" }
    #expect(fields.map { "\($0.value)" } == ["\(CommandOutput.Part.text(shown))"])
  }

  @Test func thePathsOfOtherAccountsAreNotShown() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      _ = try await home.account("bob")
      try await home.with(daemon: true) {
        var shown: [String: Set<String>] = [:]
        for name in ["alice", "bob"] {
          let paths = try await home.json("net", "path", "--account", name)
          #expect(!paths.isEmpty)
          for path in paths where path["target"] as? String == "swarm" {
            let nodes = (path["nodes"] as? [[String: Any]] ?? []).compactMap { $0["key"] as? String }
            shown[name, default: []].insert(nodes.joined(separator: " "))
          }
        }
        #expect(shown["alice"]?.isDisjoint(with: shown["bob"] ?? []) == true)
      }
    }
  }
}
