import SessionCore
import SessionNode
import SessionService

/// The configuration file of a registry.
struct RegistryConfiguration: Sendable {
  static let keys: [ConfigKey] = [
    .init(
      name: "folder", kind: .text, summary: "the folder of the operator's key and the list of nodes",
      isRequired: true),
    .init(
      name: "listen", kind: .text, summary: "the address and port where it listens for QUIC",
      isRequired: true),
    .init(name: "name", kind: .text, summary: "the name of the network"),
    .init(
      name: "file_server", kind: .text,
      summary: "the URL of the network's file server, such as http://files.example"),
    .init(
      name: "file_server_key", kind: .text,
      summary: "the key of that file server, as 'session server file key' shows it"),
    .init(
      name: "swarm_min", kind: .integer(1...500),
      summary:
        "the smallest size of a swarm; a smaller one gets nodes of others or is dissolved; 5 by default"),
    .init(
      name: "swarm_max", kind: .integer(1...1000),
      summary: "the largest size of a swarm; a larger one is split; at least 2 * swarm_min - 1, 10 by default"
    ),
    .init(
      name: "node_timeout_seconds", kind: .integer(10...86_400),
      summary: "seconds without a sign of life after which a node is replaced; 600 by default"),
    .log, .logFormat,
  ]

  let options: Registry.Options

  var folder: RegistryFolder { RegistryFolder(path: options.folder) }

  init(_ path: String, io: CommandIO) throws {
    let file = try Configuration(path, keys: Self.keys, topic: Topic.registryConfig.name, io: io)
    guard let folder = file.file("folder"), let address = try file.address("listen") else {
      preconditionFailure("a required setting is missing")
    }
    var options = Registry.Options(folder: folder, address: address)
    if let name = file.text("name") { options.name = name }
    let usual = SwarmRules.usual
    let (smallest, largest) = (
      file.integer("swarm_min") ?? usual.smallest, file.integer("swarm_max") ?? usual.largest
    )
    guard let rules = SwarmRules(smallest: smallest, largest: largest) else {
      throw CommandFailure.data(
        "\(path): swarm_max is at least \(2 * smallest - 1) where swarm_min is \(smallest)")
    }
    options.rules = rules
    if let seconds = file.integer("node_timeout_seconds") { options.nodeTimeout = .seconds(seconds) }
    if let server = try Self.fileServer(in: file) { options.services[NetworkService.fileServer] = server }
    options.log = try file.log(to: io)
    self.options = options
  }

  private static func fileServer(in file: Configuration) throws -> NetworkService? {
    switch (file.text("file_server"), try file.key("file_server_key")) {
    case (nil, nil): return nil
    case (_?, nil): throw CommandFailure.data("\(file.path): file_server_key is missing")
    case (nil, _?): throw CommandFailure.data("\(file.path): file_server is missing")
    case (let url?, let key?):
      guard isServerURL(url), let server = try? NetworkService(url: url, key: key) else {
        throw file.mistake("file_server", serverURLWords)
      }
      return server
    }
  }
}

extension Topic {
  static let registryConfig = Topic(
    name: "registry-config",
    summary: "the configuration file of 'session node registry run'",
    discussion: "The syntax is that of 'session help node-config'.",
    rows: RegistryConfiguration.keys.map { ($0.name, $0.summary) })
}
