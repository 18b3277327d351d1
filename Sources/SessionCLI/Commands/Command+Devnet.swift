import SessionCore
import SessionNode
import SessionServers

extension Command {
  static let devnetUp = Command(
    name: "devnet up",
    summary: "run a private network on this machine",
    discussion: """
      Runs storage and relay nodes, a file server and a community server with the room "lobby" in this process, on
      loopback, until interrupted or until 'session devnet down'. It prints the path of the network file, which tells
      clients the nodes and the URLs and keys of the servers. No traffic leaves this machine.

      Without --dir all data is deleted at the end; with it the folder keeps the keys and messages.
      """,
    options: [
      .init(name: "nodes", value: "N", summary: "number of nodes; 12 by default"),
      .init(name: "swarms", value: "N", summary: "number of swarms; 3 by default"),
      .init(name: "https", summary: "also serve HTTPS, which desktop clients need"),
      .devnetFolder, .json,
    ],
    examples: [
      .init(line: "session devnet up", summary: "run until interrupted"),
      .init(
        line: "session devnet up --nodes 5 --swarms 1 --dir net",
        summary: "continue with the state of the last run"),
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let options = try invocation.devnetOptions(io)
    let asJSON = invocation.has("json")
    return try await cancelledBySignals { try await DevnetRunning(options: options, asJSON: asJSON).run(io) }
  }

  static let devnetStatus = Command(
    name: "devnet status",
    summary: "show the nodes and servers of the running private network",
    options: [.devnetFolder, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let asJSON = invocation.has("json")
    return try await invocation.withDevnet(io) {
      CommandOutput(try await $0.status(), asJSON: asJSON)
    }
  }

  static let devnetKillNode = Command(
    name: "devnet kill-node",
    summary: "stop a node of the private network",
    discussion: "Messages it has acknowledged are not lost: 'session devnet start-node' brings them back.",
    arguments: [.node],
    options: [.devnetFolder],
    rpc: .none(.isServer)
  ) { invocation, io in
    let number = try invocation.nodeNumber(0)
    return try await invocation.withDevnet(io) { devnet in
      try await devnet.kill(number)
      return CommandOutput(notes: ["node \(number) stopped"])
    }
  }

  static let devnetStartNode = Command(
    name: "devnet start-node",
    summary: "start a stopped node again",
    arguments: [.node],
    options: [.devnetFolder],
    rpc: .none(.isServer)
  ) { invocation, io in
    let number = try invocation.nodeNumber(0)
    return try await invocation.withDevnet(io) { devnet in
      try await devnet.start(number)
      return CommandOutput(notes: ["node \(number) started"])
    }
  }

  static let devnetDelay = Command(
    name: "devnet delay",
    summary: "delay datagrams to nodes of the private network",
    arguments: [
      .init(name: "MS", summary: "milliseconds per datagram, at most a minute; 0 for none"),
      .nodeOrAll,
    ],
    options: [.devnetFolder],
    examples: [.init(line: "session devnet delay 50", summary: "simulate a distant network")],
    rpc: .none(.isServer)
  ) { invocation, io in
    guard let delay = Int(invocation.arguments[0]), 0...60_000 ~= delay else {
      throw invocation.misuse("MS is a number of milliseconds, a minute at most")
    }
    return try await invocation.change(io, WeatherChange(delay: delay))
  }

  static let devnetLoss = Command(
    name: "devnet loss",
    summary: "drop datagrams to nodes of the private network",
    arguments: [
      .init(name: "PERCENT", summary: "percentage of datagrams to drop; 0 for none"), .nodeOrAll,
    ],
    options: [.devnetFolder],
    examples: [.init(line: "session devnet loss 100 3", summary: "cut node 3 off")],
    rpc: .none(.isServer)
  ) { invocation, io in
    guard let percent = Double(invocation.arguments[0]), 0...100 ~= percent else {
      throw invocation.misuse("PERCENT is 0 to 100")
    }
    return try await invocation.change(io, WeatherChange(loss: percent / 100))
  }

  static let devnetDown = Command(
    name: "devnet down",
    summary: "stop the running private network",
    options: [.devnetFolder],
    rpc: .none(.isServer)
  ) { invocation, io in
    try await invocation.withDevnet(io) { devnet in
      try await devnet.down()
      return CommandOutput(notes: ["the network ends"])
    }
  }
}

extension Command.Option {
  fileprivate static let devnetFolder = Self(
    name: "dir", value: "DIR", summary: "the folder of the network; one for each user by default")
}

extension Command.Argument {
  fileprivate static let node = Self(
    name: "NODE", summary: "the number of the node, as 'session devnet status' prints it")
  fileprivate static let nodeOrAll = Self(
    name: "NODE", summary: "the number of a node; all by default", isOptional: true)
}

extension Invocation {
  private func devnetFolder(_ io: CommandIO) -> String { self["dir"] ?? DevnetPlace.folder(io.environment) }

  fileprivate func devnetOptions(_ io: CommandIO) throws(CommandFailure) -> Devnet.Options {
    var options = Devnet.Options(folder: devnetFolder(io), isTemporary: self["dir"] == nil)
    options.hasHTTPS = has("https")
    options.servers = [.fileServer, .community]
    options.nodes = try number("nodes") ?? options.nodes
    options.swarms = try number("swarms") ?? min(options.swarms, options.nodes)
    guard 1...Devnet.maxNodes ~= options.nodes else { throw misuse("--nodes is 1 to \(Devnet.maxNodes)") }
    guard 1...options.nodes ~= options.swarms else { throw misuse("--swarms is 1 to the number of nodes") }
    return options
  }

  private func number(_ option: String) throws(CommandFailure) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(text) else { throw misuse("--\(option) is a number") }
    return number
  }

  fileprivate func nodeNumber(_ index: Int) throws(CommandFailure) -> Int {
    guard let number = Int(arguments[index]), number > 0 else { throw misuse("NODE is a number, from 1") }
    return number
  }

  /// Changes the weather at the node that is the second argument, or at all.
  fileprivate func change(_ io: CommandIO, _ change: WeatherChange) async throws -> CommandOutput {
    var change = change
    if arguments.count > 1 { change.node = try nodeNumber(1) }
    return try await withDevnet(io) { [change] devnet in
      try await devnet.change(change)
      return CommandOutput()
    }
  }

  fileprivate func withDevnet(
    _ io: CommandIO, _ body: @escaping @Sendable (DevnetRemote) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    let folder = devnetFolder(io)
    return try await cancelledBySignals {
      let devnet = try DevnetRemote(folder: folder)
      let result: Result<CommandOutput, any Error>
      do { result = .success(try await body(devnet)) } catch { result = .failure(error) }
      await devnet.close()
      return try result.get()
    }
  }
}
