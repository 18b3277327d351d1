import Foundation
import Glibc
import SessionCore
import SessionEndpoint
import SessionNodeCore
import Testing

@testable import SessionCLI

/// A registry and nodes as operators run them: each a process of its own.
@Suite(.timeLimit(.minutes(10))) struct NodeProcessTests {
  private func value(_ name: String, of line: String) throws -> String {
    let pair = try #require(line.split(separator: " ").first { $0.hasPrefix(name + "=") }, "\(line)")
    return String(pair.dropFirst(name.count + 1))
  }

  /// A node that has a folder, and that the operator has allowed; its key.
  private func prepare(
    _ name: String, listen: String, registry: String, operator operatorKey: String, _ program: Program
  ) async throws -> [UInt8] {
    let made = try await program.ran(
      "node", "init", "--dir", name, "--listen", listen, "--registry", registry, "--operator", operatorKey)
    try #require(made.status == 0, "\(made.messages)")
    let key = made.output.trimmingCharacters(in: .newlines)
    let allowed = try await program.ran("node", "registry", "allow", key, "--config", "reg/registry.toml")
    #expect(allowed.status == 0)
    #expect(allowed.messages == "\(key) is allowed\n")
    return try [UInt8](hex: key.utf8)
  }

  /// How a server says that it is.
  private func status(_ program: Program, _ words: String..., config: String) async throws -> [String: Any] {
    let outcome = try await program.ran(words + ["--json", "--config", config])
    #expect(outcome.status == 0, "\(outcome.messages)")
    return try #require(try expectForms(inLines: outcome.output, writtenBy: words).first)
  }

  @Test func twoNodesFormASwarmAndOneThatWasKilledCatchesUp() async throws {
    let program = try Program()
    let made = try await program.ran("node", "registry", "init", "--dir", "reg", "--listen", "127.0.0.3:0")
    try #require(made.status == 0, "\(made.messages)")
    let operatorKey = made.output.trimmingCharacters(in: .newlines)
    let registry = try ServerProcess(program, ["node", "registry", "run", "--config", "reg/registry.toml"])
    let place = try value("address", of: try await registry.line(with: "registry began"))

    let oneKey = try await prepare(
      "one", listen: "127.0.0.1:0", registry: place, operator: operatorKey, program)
    let twoKey = try await prepare(
      "two", listen: "127.0.0.2:0", registry: place, operator: operatorKey, program)
    let one = try ServerProcess(program, ["node", "run", "--config", "one/node.toml"])
    let two = try ServerProcess(program, ["node", "run", "--config", "two/node.toml"])
    let onePlace = try value("address", of: try await one.line(with: "node began"))
    let twoPlace = try value("address", of: try await two.line(with: "node began"))
    _ = try await one.line(with: "new list", "nodes=2", "swarm=0")
    _ = try await two.line(with: "new list", "nodes=2", "swarm=0")
    let onePeer = try NetworkPeer(address: NetworkAddress(parsing: onePlace), key: oneKey)
    let twoPeer = try NetworkPeer(address: NetworkAddress(parsing: twoPlace), key: twoKey)

    let client = try StorageClient(1)
    #expect(try await client.store([1], at: onePeer) == 2)
    #expect(try await client.messages(at: twoPeer) == [[1]])

    two.signal(SIGKILL)
    #expect(await two.end() == SIGKILL)
    #expect(try await client.store([2], at: onePeer) == 1)
    let config = program.path("two/node.toml")
    let text = try String(contentsOf: config, encoding: .utf8)
    try text.replacingOccurrences(of: "127.0.0.2:0", with: twoPlace).write(
      to: config, atomically: true, encoding: .utf8)
    let again = try ServerProcess(program, ["node", "run", "--config", "two/node.toml"])
    _ = try await again.line(with: "new list", "nodes=2", "swarm=0")
    // Somebody who does not know the connections of before.
    let reader = try StorageClient(1)
    #expect(try await reader.messages(2, at: twoPeer) == [[1], [2]])

    let status = try await status(program, "node", "status", config: "two/node.toml")
    #expect(status["ready"] as? Bool == true)
    #expect(status["messages"] as? Int == 2)
    #expect(status["listed_nodes"] as? Int == 2)
    #expect((status["members"] as? [[String: Any]])?.map { $0["key"] as? String } == [oneKey.hex])
    let shown = try await program.ran("node", "status", "--config", "one/node.toml")
    #expect(shown.output.contains("state          ready\n"))

    let listed = try await program.ran(
      "node", "registry", "list", "--from", place, "--operator", operatorKey)
    let list = try NetworkFile(
      parsing: Array(listed.output.utf8), operatorKey: try [UInt8](hex: operatorKey.utf8))
    #expect(Set(list.nodes.map(\.key)) == [oneKey, twoKey])
    let nodes = try await self.status(program, "node", "registry", "status", config: "reg/registry.toml")
    #expect((nodes["nodes"] as? [[String: Any]])?.allSatisfy { $0["state"] as? String == "serving" } == true)

    await client.stop()
    await reader.stop()
    for server in [one, again, registry] {
      server.signal(SIGTERM)
      #expect(await server.end() == 0)
    }
    let none = try await program.ran("node", "status", "--config", "one/node.toml")
    #expect(none.status == 69)
  }

  @Test func aNodeThatLeavesEndsAndIsNotListedAnyMore() async throws {
    let program = try Program()
    let made = try await program.ran("node", "registry", "init", "--dir", "reg", "--listen", "127.0.0.3:0")
    let operatorKey = made.output.trimmingCharacters(in: .newlines)
    let registry = try ServerProcess(program, ["node", "registry", "run", "--config", "reg/registry.toml"])
    let place = try value("address", of: try await registry.line(with: "registry began"))
    _ = try await prepare("one", listen: "127.0.0.1:0", registry: place, operator: operatorKey, program)
    let one = try ServerProcess(program, ["node", "run", "--config", "one/node.toml"])
    _ = try await one.line(with: "new list", "nodes=1")
    let left = try await program.ran("node", "leave", "--config", "one/node.toml")
    try #require(left.status == 0, "\(left.messages)")
    #expect(await one.end() == 0)
    _ = try await registry.line(with: "new list", "nodes=0")
    let again = try await program.ran("node", "run", "--config", "one/node.toml")
    #expect(again.status == 69)
    #expect(again.messages.contains("the node has left its network"))
    registry.signal(SIGINT)
    #expect(await registry.end() == 0)
  }

  @Test func aNetworkFileIsFoundFromAnyFolder() async throws {
    let program = try Program()
    let made = try await program.ran(
      "node", "init", "--dir", "one", "--listen", "127.0.0.1:0", "--network", "net.json")
    try #require(made.status == 0, "\(made.messages)")
    let key = try [UInt8](hex: made.output.trimmingCharacters(in: .newlines).utf8)
    let record = try NodeRecord(
      key: key, address: NetworkAddress(parsing: "127.0.0.1:5"), httpsPort: 0, version: [2, 11, 0], swarm: 5)
    let list = try NetworkFile(name: "a\tb", height: 1, nodes: [record], operatorKeys: .random())
    try Data(list.text).write(to: program.path("net.json"))
    let node = try ServerProcess(program, ["node", "run", "--config", "one/node.toml"])
    _ = try await node.line(with: "new list", "nodes=1", "swarm=5")
    node.signal(SIGTERM)
    #expect(await node.end() == 0)
  }

  @Test func aFolderThatIsPreparedTwiceKeepsItsKey() async throws {
    let program = try Program()
    let words = ["--dir", "one", "--listen", "127.0.0.1:0", "--network", "net.json"]
    let first = try await program.ran(
      "node", "init", words[0], words[1], words[2], words[3], words[4], words[5])
    #expect(first.status == 0)
    let second = try await program.ran(
      "node", "init", words[0], words[1], words[2], words[3], words[4], words[5])
    #expect(second.status == 73)
    let shown = try await program.ran("node", "key", "--config", "one/node.toml")
    #expect(shown.output == first.output)
    let told = try await status(program, "node", "key", config: "one/node.toml")
    #expect(told["key"] as? String == first.output.trimmingCharacters(in: .newlines))
  }
}
