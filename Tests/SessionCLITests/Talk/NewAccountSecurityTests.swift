import SessionBase
import SessionCore
import SessionNodeCore
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// Which new accounts have forward secrecy from the beginning.
@Suite(.serialized, .timeLimit(.minutes(5))) struct NewAccountSecurityTests {
  private func setting(of name: String, _ home: Household) async throws -> String? {
    let security = try await home.json("security", "show", "--account", name)
    let isClosed = security.first?["closed"] as? Bool == true
    let setting = security.first?["setting"] as? String
    #expect(isClosed == (setting == "auto"))
    return setting
  }

  @Test func newAccountsInAPrivateNetworkHaveForwardSecrecy() async throws {
    try await Household.with { home in
      let made = try await home.outcome(["account", "new", "alice", "--network", "devnet"])
      #expect(made.messages.contains("Forward secrecy is on."))
      #expect(try await setting(of: "alice", home) == "auto")
      let without = try await home.outcome([
        "account", "new", "bob", "--network", "devnet", "--no-forward-secrecy",
      ])
      #expect(without.messages.contains("session security enable --account bob"))
      #expect(try await setting(of: "bob", home) == "off")
    }
  }

  @Test func restoredAccountsHaveNone() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.run("account", "export-phrase", "alice", "--out", "words")
      let restored = try await home.outcome([
        "account", "restore", "phone", "--phrase", "words", "--network", "devnet",
      ])
      #expect(restored.status == 0 && !restored.messages.contains("orward secrecy"))
      #expect(try await setting(of: "phone", home) == "off")
    }
  }

  @Test func theMethodOfTheDaemonDecidesAsTheCommand() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.with(daemon: true) {
        let client = try DaemonTests.client(home)
        _ = try await client.result("account.new", ["name": "dora", "network": "devnet"])
        for (name, isOn) in [("emil", true), ("fred", false)] as [(JSONValue, JSONValue)] {
          _ = try await client.result(
            "account.new", ["name": name, "network": "devnet", "forward_secrecy": isOn])
        }
        await #expect("forward_secrecy is true or false") {
          try await client.call(
            "account.new", ["name": "gina", "network": "devnet", "forward_secrecy": "yes"])
        } throws: {
          ($0 as? RPCError)?.kind == "invalid-params"
        }
        client.close()
      }
      #expect(try await setting(of: "dora", home) == "auto")
      #expect(try await setting(of: "emil", home) == "auto")
      #expect(try await setting(of: "fred", home) == "off")
    }
  }

  @Test func aFileThatListsNodesOfTheMainNetworkDoesNotMakeItPrivate() throws {
    func isPrivate(_ keys: [[UInt8]]) throws -> Bool {
      let nodes = try keys.map { key in
        try NodeRecord(
          key: key, address: NetworkAddress(parsing: "127.0.0.1:5"), httpsPort: 1, version: [2, 11, 0],
          swarm: 1)
      }
      let file = try NetworkFile(name: "own", height: 1, nodes: nodes, operatorKeys: .random())
      return AccountNetwork.Reach(options: Network.Options(.private), file: file).isPrivate
    }
    let own = try (0..<3).map { _ in try NodeKeys.random().publicKey }
    let known = try #require(Network.Kind.main.seeds.last?.key)
    #expect(try isPrivate(own))
    #expect(try !isPrivate(own + [known]))
    #expect(!AccountNetwork.Reach(options: Network.Options(.main), file: nil).isPrivate)
  }

  @Test func theResultSaysWhetherItIsOn() async throws {
    try await Household.with { home in
      for (name, isOn) in [("alice", true), ("bob", false)] {
        let made = try await home.json(
          "account", "new", name, "--network", "devnet", isOn ? "--forward-secrecy" : "--no-forward-secrecy")
        #expect(made.first?["forward_secrecy"] as? Bool == isOn)
      }
    }
  }

  @Test func withoutANameThereIsNothingToSwitch() async throws {
    try await Household.with { home in
      for option in ["--forward-secrecy", "--no-forward-secrecy"] {
        let refused = try await home.outcome(["account", "new", option])
        #expect(refused.status == 64 && refused.messages.contains("\(option) is for an account with NAME"))
      }
    }
  }
}
