import SessionBase
import SessionCore
public import SessionEndpoint

/// The nodes and servers of a devnet, and their state.
public struct DevnetStatus: Hashable, Sendable {
  public struct Node: Hashable, Sendable {
    /// From one.
    public let number: Int
    public let key: String
    public let address: String
    public let swarm: UInt64
    public let isAlive: Bool
    /// Messages it keeps; 0 while it is dead.
    public let messages: Int
    public let weather: NetworkWeather
  }

  /// A server of the devnet.
  public struct Server: Hashable, Sendable {
    public let name: String
    public let url: String
    /// Ed25519, in hexadecimal digits.
    public let key: String
    /// A short description of what it stores.
    public let summary: String
  }

  public let networkFile: String
  /// Bytes of the process that runs it.
  public let memory: Int
  public let nodes: [Node]
  public let servers: [Server]

  public init(networkFile: String, memory: Int, nodes: [Node], servers: [Server] = []) {
    self.networkFile = networkFile
    self.memory = memory
    self.nodes = nodes
    self.servers = servers
  }
}

extension DevnetStatus {
  /// The text form for other processes: one line for the network, and one for each node and server.
  var text: String {
    let lines = nodes.map { node in
      [
        "\(node.number)", node.key, node.address, "\(node.swarm)", node.isAlive ? "alive" : "dead",
        "\(node.messages)", "\(node.weather.delay.milliseconds)", "\(node.weather.loss)",
      ].joined(separator: " ")
    }
    let others = servers.map { "\(Self.serverMark) \($0.name) \($0.url) \($0.key) \($0.summary)" }
    return (["\(memory) \(networkFile)"] + lines + others).joined(separator: "\n")
  }

  init?(parsing text: String) {
    let lines = text.split(separator: "\n")
    let head = lines.first?.split(separator: " ", maxSplits: 1) ?? []
    guard head.count == 2, let memory = Int(head[0]) else { return nil }
    let servers = lines.dropFirst().compactMap { Server(parsing: $0) }
    let nodes = lines.dropFirst().compactMap { Node(parsing: $0) }
    guard nodes.count + servers.count == lines.count - 1 else { return nil }
    self.init(networkFile: String(head[1]), memory: memory, nodes: nodes, servers: servers)
  }

  /// The start of a server's line; those of nodes begin with a number.
  fileprivate static let serverMark = "server"
}

extension DevnetStatus.Server {
  fileprivate init?(parsing line: Substring) {
    let fields = line.split(separator: " ", maxSplits: 4).map(String.init)
    guard fields.count == 5, fields[0] == DevnetStatus.serverMark else { return nil }
    self.init(name: fields[1], url: fields[2], key: fields[3], summary: fields[4])
  }
}

extension DevnetStatus.Node {
  fileprivate init?(parsing line: Substring) {
    let fields = line.split(separator: " ").map(String.init)
    guard fields.count == 8, let number = Int(fields[0]), let swarm = UInt64(fields[3]),
      let messages = Int(fields[5]), let delay = Int(fields[6]), let loss = Double(fields[7])
    else { return nil }
    self.init(
      number: number, key: fields[1], address: fields[2], swarm: swarm, isAlive: fields[4] == "alive",
      messages: messages, weather: NetworkWeather(delay: .milliseconds(delay), loss: loss))
  }
}
