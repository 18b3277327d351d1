import Glibc
import SessionBase
import SessionCore
import SessionNode

extension Command {
  static let nodeInit = Command(
    name: "node init",
    summary: "prepare a storage node: a folder with its key and a configuration file",
    discussion: """
      Writes DIR/node.toml and a new key, readable only by you, and shows the public key. The operator of the network
      needs it to allow the node. An existing key is kept.
      """,
    options: [
      .init(name: "dir", value: "DIR", summary: "the folder to create", isRequired: true),
      .init(name: "listen", value: "ADDRESS:PORT", summary: "where the node listens", isRequired: true),
      .init(name: "registry", value: "ADDRESS:PORT", summary: "the registry of its network"),
      .init(name: "operator", value: "KEY", summary: "the key of the operator of its network"),
      .init(name: "network", value: "FILE", summary: "the network file, where there is no registry"),
      .json,
    ],
    examples: [
      .init(
        line:
          "session node init --dir node --listen 192.0.2.1:22020 --registry 192.0.2.9:22000 --operator KEY",
        summary: "prepare a node of a network with a registry")
    ],
    rpc: .none(.isServer)
  ) { invocation, _ in
    let folder = invocation.required("dir")
    let network = try invocation.networkSettings()
    let listen = try invocation.address("listen", invocation.required("listen"))
    let config = folder + "/node.toml"
    let key = try await WorkerQueue("session.command").run {
      let key = try NodeService.prepare(folder: folder)
      try writeConfiguration(config, [("folder", "."), ("listen", "\(listen)")] + network)
      return key
    }
    return invocation.publicKey(
      key,
      notes: [
        "the operator allows it with 'session node registry allow'",
        "start it with 'session node run --config \(config)'",
      ])
  }

  static let nodeRun = Command(
    name: "node run",
    summary: "run one storage and relay node in this process",
    discussion: """
      Runs until interrupted. Before it stops, it refuses new requests, finishes those in progress and hands messages
      over to other nodes of its swarm. It logs to standard error.
      """,
    options: [.nodeConfig],
    examples: [
      .init(line: "session node run --config node/node.toml", summary: "run until interrupted")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let configuration = try NodeConfiguration(invocation.required("config"), io: io)
    return try await cancelledBySignals { try await NodeRunning(configuration: configuration).run() }
  }

  static let nodeStatus = Command(
    name: "node status",
    summary: "show the state of a node on this machine",
    options: [.nodeConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try NodeConfiguration(invocation.required("config"), io: io).folder
    let status = try await withNode(folder) { try await $0.status() }
    return invocation.has("json") ? CommandOutput(json: status.json) : status.table
  }

  static let nodeKey = Command(
    name: "node key",
    summary: "show the public key of a node",
    options: [.nodeConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try NodeConfiguration(invocation.required("config"), io: io).folder
    return invocation.publicKey(try NodeService.key(folder: folder))
  }

  static let nodeLeave = Command(
    name: "node leave",
    summary: "retire a node on this machine from its network",
    discussion: """
      The registry removes the node from its swarm; the node hands its messages over to the swarm, records in its folder
      that it has left, and ends. If it cannot hand over everything within two minutes, it keeps running. To stop a node
      for a while, interrupt it instead.
      """,
    options: [
      .nodeConfig, .init(name: "force", summary: "leave even if messages could not be handed over"),
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try NodeConfiguration(invocation.required("config"), io: io).folder
    let isForced = invocation.has("force")
    try await withNode(folder) { try await $0.leave(isForced: isForced) }
    return CommandOutput(notes: ["the node has left its network"])
  }
}

extension Command.Option {
  fileprivate static let nodeConfig = Self(
    name: "config", value: "FILE", summary: "the configuration; see 'session help node-config'",
    isRequired: true)
}

/// Writes the texts that a configuration begins with, and other lines. A file that is there is left alone.
func writeConfiguration(
  _ path: String, _ settings: [(name: String, text: String)], lists: [(name: String, texts: [String])] = [],
  others: [String] = []
) throws {
  let lines =
    settings.map { "\($0.name) = \(JSONText.quoted($0.text))\n" }
    + lists.map { "\($0.name) = [\($0.texts.map(JSONText.quoted).joined(separator: ", "))]\n" }
    + others.map { $0 + "\n" }
  try PendingFile.write(Array(lines.joined().utf8).span, to: path)
}

private func withNode<R: Sendable>(
  _ folder: String, _ body: @escaping @Sendable (NodeRemote) async throws -> R
) async throws -> R {
  try await cancelledBySignals {
    let node = try NodeRemote(folder: folder)
    return try await doing {
      try await body(node)
    } andThen: {
      await node.close()
    }
  }
}

extension Invocation {
  /// A key that others may know, for people or for programs.
  func publicKey(_ key: [UInt8], notes: [String] = []) -> CommandOutput {
    has("json")
      ? CommandOutput(json: ["key": .string(key.hex)], notes: notes)
      : CommandOutput(text: key.hex + "\n", notes: notes)
  }

  /// An address with a port.
  func address(_ option: String, _ text: String) throws(CommandFailure) -> NetworkAddress {
    guard let address = try? NetworkAddress(parsing: text) else {
      throw misuse("--\(option): this is no address with a port, such as 192.0.2.1:22020")
    }
    return address
  }

  /// The absolute path of a file.
  private func absolutePath(_ file: String) -> String {
    guard !file.hasPrefix("/"), let folder = getcwd(nil, 0) else { return file }
    defer { free(folder) }
    return String(cString: folder) + "/" + file
  }

  /// The settings of the node's network.
  fileprivate func networkSettings() throws(CommandFailure) -> [(name: String, text: String)] {
    let operatorKey = try key("operator")?.hex
    let operatorSetting = operatorKey.map { [("operator", $0)] } ?? []
    switch (self["registry"], self["network"]) {
    case (let registry?, nil):
      guard operatorKey != nil else { throw misuse("--registry needs --operator KEY") }
      return [("registry", "\(try address("registry", registry))")] + operatorSetting
    case (nil, let file?): return [("network", absolutePath(file))] + operatorSetting
    default: throw misuse("either --registry or --network is needed")
    }
  }
}
