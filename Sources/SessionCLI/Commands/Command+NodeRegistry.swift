import SessionBase
import SessionCore
import SessionNode
import SessionNodeCore

extension Command {
  static let registryInit = Command(
    name: "node registry init",
    summary: "prepare a registry: a folder with the operator's key and a configuration file",
    discussion: """
      Writes DIR/registry.toml and a new key, readable only by you, and shows the operator's public key. Nodes and clients
      need only this key and the address. The secret key decides which nodes belong to the network: keep a copy in a safe
      place.
      """,
    options: [
      .init(name: "dir", value: "DIR", summary: "the folder to create", isRequired: true),
      .init(name: "listen", value: "ADDRESS:PORT", summary: "where the registry listens", isRequired: true),
      .init(name: "name", value: "TEXT", summary: "a few words that name the network"),
      .json,
    ],
    examples: [
      .init(
        line: "session node registry init --dir registry --listen 192.0.2.9:22000",
        summary: "start a new network")
    ],
    rpc: .none(.isServer)
  ) { invocation, _ in
    let folder = invocation.required("dir")
    let listen = try invocation.address("listen", invocation.required("listen"))
    let config = folder + "/registry.toml"
    let name = invocation["name"].map { [("name", $0)] } ?? []
    let operatorKey = try await WorkerQueue("session.command").run {
      let key = try RegistryFolder(path: folder).prepare().publicKey
      try writeConfiguration(config, [("folder", "."), ("listen", "\(listen)")] + name)
      return key
    }
    return invocation.publicKey(
      operatorKey, notes: ["start it with 'session node registry run --config \(config)'"])
  }

  static let registryRun = Command(
    name: "node registry run",
    summary: "run a registry, the server that lists the nodes of a network",
    discussion: """
      Allowed nodes register here. The registry assigns them to swarms and publishes a list signed with the operator's
      key; every change increments its number. Nodes and clients fetch that list.

      Runs until interrupted. The network keeps working with its last list while the registry is down.
      """,
    options: [.registryConfig],
    rpc: .none(.isServer)
  ) { invocation, io in
    let configuration = try RegistryConfiguration(invocation.required("config"), io: io)
    return try await cancelledBySignals { try await RegistryRunning(configuration: configuration).run() }
  }

  static let registryStatus = Command(
    name: "node registry status",
    summary: "list the nodes of a registry on this machine",
    options: [.registryConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try RegistryConfiguration(invocation.required("config"), io: io).options.folder
    let status = try await withRegistry(folder) { try await $0.status() }
    return invocation.has("json") ? CommandOutput(json: status.json) : status.table
  }

  static let registryAllow = Command(
    name: "node registry allow",
    summary: "allow nodes to join the network",
    discussion: "A running registry applies the change within seconds.",
    arguments: [.nodeKeys],
    options: [.registryConfig],
    rpc: .none(.isServer)
  ) { invocation, io in
    let keys = try invocation.nodeKeys()
    let list = try RegistryConfiguration(invocation.required("config"), io: io).folder.allowed
    let notes = try await WorkerQueue("session.command").run {
      try keys.map { key in "\(key.hex) \(try list.allow(key) ? "is allowed" : "was allowed already")" }
    }
    return CommandOutput(notes: notes)
  }

  static let registryForbid = Command(
    name: "node registry forbid",
    summary: "remove nodes from the network",
    discussion: """
      A running registry signs a list without them within seconds. To remove more than half of its nodes, also run
      'session node registry confirm'.
      """,
    arguments: [.nodeKeys],
    options: [.registryConfig],
    rpc: .none(.isServer)
  ) { invocation, io in
    let keys = try invocation.nodeKeys()
    let list = try RegistryConfiguration(invocation.required("config"), io: io).folder.allowed
    let notes = try await WorkerQueue("session.command").run {
      try keys.map { key in
        "\(key.hex) \(try list.forbid(key) ? "is not allowed any more" : "was not allowed")"
      }
    }
    return CommandOutput(notes: notes)
  }

  static let registryConfirm = Command(
    name: "node registry confirm",
    summary: "confirm that most nodes of a registry may be dropped",
    discussion: """
      A registry ignores a list of allowed nodes that drops more than half of its network, in case it is a mistake. This
      command makes it accept the list.
      """,
    options: [.registryConfig],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try RegistryConfiguration(invocation.required("config"), io: io).options.folder
    let count = try await withRegistry(folder) { try await $0.confirm() }
    return CommandOutput(notes: ["\(count) nodes are no longer allowed"])
  }

  static let registryList = Command(
    name: "node registry list",
    summary: "fetch the signed list of nodes from a registry, as a network file",
    options: [
      .init(name: "from", value: "ADDRESS:PORT", summary: "where the registry listens", isRequired: true),
      .init(name: "operator", value: "KEY", summary: "the key of its operator", isRequired: true),
    ],
    examples: [
      .init(
        line: "session node registry list --from 192.0.2.9:22000 --operator KEY > network.json",
        summary: "write the network file for clients")
    ],
    rpc: .none(.isServer)
  ) { invocation, _ in
    let address = try invocation.address("from", invocation.required("from"))
    guard let key = try invocation.key("operator") else {
      preconditionFailure("a required option is missing")
    }
    let registry = try RegistryRemote(address: address, operatorKey: key)
    let list = try await cancelledBySignals { try await registry.list() }
    return CommandOutput(data: [.bytes(list.text)])
  }
}

private func withRegistry<R: Sendable>(
  _ folder: String, _ body: @escaping @Sendable (RegistryControlRemote) async throws -> R
) async throws -> R {
  try await cancelledBySignals {
    let registry = try RegistryControlRemote(folder: folder)
    return try await doing {
      try await body(registry)
    } andThen: {
      await registry.close()
    }
  }
}

extension Command.Option {
  fileprivate static let registryConfig = Self(
    name: "config", value: "FILE", summary: "the configuration; see 'session help registry-config'",
    isRequired: true)
}

extension Command.Argument {
  fileprivate static let nodeKeys = Self(
    name: "KEY", summary: "the public key of a node, 64 hexadecimal digits", isRepeated: true)
}

extension Invocation {
  fileprivate func nodeKeys() throws(CommandFailure) -> [[UInt8]] {
    try arguments.map { (text) throws(CommandFailure) in
      guard let key = try? [UInt8](hex: text.utf8), key.count == 32 else {
        throw misuse("'\(text)' is no key: a key is 64 hexadecimal digits")
      }
      return key
    }
  }
}
