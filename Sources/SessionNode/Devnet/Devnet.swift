import SessionBase
public import SessionCore
import SessionEndpoint
import SessionHTTP
import SessionNodeCore
public import SessionService

/// A whole network of nodes in this process, on loopback.
public actor Devnet {
  public struct Options: Sendable {
    public var nodes = 12
    public var swarms = 3
    /// The folder of keys and messages.
    public var folder: String
    /// True if the folder is emptied first, and deleted at the end.
    public var isTemporary: Bool
    /// True if the nodes also serve HTTPS.
    public var hasHTTPS = false
    /// The servers that run with the nodes.
    public var servers: [DevnetServerKind] = []
    /// Hosts to which the nodes forward requests, in addition to the devnet's servers.
    public var hosts: [HostRule] = []
    public var node = NodeOptions()

    public init(folder: String, isTemporary: Bool = true) {
      self.folder = folder
      self.isTemporary = isTemporary
      node.exemptsLoopback = true
      node.hasWeather = true
    }
  }

  /// The most nodes there may be in one process.
  public static let maxNodes = 100

  /// One of the nodes.
  public struct Place: Sendable {
    /// From one.
    public let number: Int
    public let record: NodeRecord
    /// nil while it is dead.
    public let node: StorageNode?
  }

  /// Nodes are begun and ended on a thread of its own.
  private nonisolated let executor = WorkerQueue("session.devnet")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  public nonisolated let file: NetworkFile
  private let options: Options
  private let folder: DevnetFolder
  let servers: DevnetServers
  var nodes: [StorageNode?]
  /// For each node, dead or alive.
  var weathers: [NetworkWeather]

  /// Starts a network, which is ready when this returns.
  public static func start(_ options: Options) async throws -> Devnet {
    guard (1...maxNodes).contains(options.nodes), (1...options.nodes).contains(options.swarms) else {
      throw ServiceFailure.request("a devnet has 1 to \(maxNodes) nodes, and no more swarms than nodes")
    }
    let (folder, known) = try await WorkerQueue("session.devnet.opening").run { [options] in
      let folder = try DevnetFolder(options.folder, isTemporary: options.isTemporary)
      return (folder, folder.readNetworkFile())
    }
    // A part of this machine's own network for each devnet: a node that is away for a while finds its port free again.
    let part = "127.\(UInt8.random(in: 1...254)).\(UInt8.random(in: 0...254))"
    let servers = try await DevnetServers.begin(
      options.servers, in: folder, known, part: part, hosts: options.hosts)
    var options = options
    options.node.gateway = options.node.gateway ?? servers.gateway
    do {
      return try await start(options, in: folder, known, part: part, servers)
    } catch {
      await servers.stop()
      throw error
    }
  }

  private static func start(
    _ options: Options, in folder: DevnetFolder, _ known: NetworkFile?, part: String, _ servers: DevnetServers
  ) async throws -> Devnet {
    let nodes = try await begin(options, in: folder, known, part: part)
    do {
      let file = try await WorkerQueue("session.devnet.opening").run {
        let file = try NetworkFile(
          name: "devnet", height: (known?.height ?? 0) + 1, nodes: records(of: nodes, options),
          services: servers.services, operatorKeys: folder.operatorKey.keys())
        for node in nodes { try node.learn(file) }
        try folder.write(file)
        return file
      }
      return Devnet(options, folder, file, nodes, servers)
    } catch {
      for node in nodes { await node.stop() }
      throw error
    }
  }

  private init(
    _ options: Options, _ folder: DevnetFolder, _ file: NetworkFile, _ nodes: [StorageNode],
    _ servers: DevnetServers
  ) {
    self.options = options
    self.folder = folder
    self.file = file
    self.nodes = nodes
    self.servers = servers
    weathers = nodes.map { _ in .fair }
  }

  /// The path of the network file for clients.
  public nonisolated var networkFile: String { folder.networkFile }
  nonisolated var controlFile: String { folder.control }

  /// The keys of the operator, who signs the list of nodes.
  nonisolated func operatorKeys() throws(SessionError) -> NodeKeys { try folder.operatorKey.keys() }

  public var places: [Place] {
    file.nodes.indices.map { Place(number: $0 + 1, record: file.nodes[$0], node: nodes[$0]) }
  }

  /// Stops a node; acknowledged messages are kept.
  public func kill(_ number: Int) async throws {
    let index = try index(of: number)
    let node = nodes[index]
    nodes[index] = nil
    await node?.stop()
  }

  /// Starts a stopped node again.
  public func revive(_ number: Int) async throws {
    let index = try index(of: number)
    guard nodes[index] == nil else { return }
    let node = try Self.begin(
      number, options, in: folder, at: file.nodes[index].address, httpsPort: file.nodes[index].httpsPort)
    try node.learn(file)
    nodes[index] = node
    try await node.setWeather(weathers[index])
  }

  /// Ends all of it.
  public func stop() async {
    let running = nodes.compactMap(\.self)
    nodes = nodes.map { _ in nil }
    await withTaskGroup { group in
      for node in running { group.addTask { await node.stop() } }
    }
    await servers.stop()
    folder.release()
  }

  func index(of number: Int) throws(ServiceFailure) -> Int {
    guard file.nodes.indices.contains(number - 1) else {
      throw .request("there is no node \(number): nodes are numbered from 1 to \(file.nodes.count)")
    }
    return number - 1
  }
}

// MARK: - Beginning

extension Devnet {
  /// Starts all nodes in parallel, at their previous addresses if possible.
  private static func begin(
    _ options: Options, in folder: DevnetFolder, _ known: NetworkFile?, part: String
  ) async throws -> [StorageNode] {
    let outcomes = await withTaskGroup(of: (Int, Result<StorageNode, any Error>).self) { group in
      for number in 1...options.nodes {
        group.addTask {
          let node = await WorkerQueue("session.devnet.opening").run {
            Result {
              try begin(
                number, options, in: folder, known, otherwise: NetworkAddress(parsing: "\(part).\(number):0"))
            }
          }
          return (number, node)
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    do {
      return try (1...options.nodes).compactMap { try outcomes[$0]?.get() }
    } catch {
      for outcome in outcomes.values { await (try? outcome.get())?.stop() }
      throw error
    }
  }

  private static func begin(
    _ number: Int, _ options: Options, in folder: DevnetFolder, _ known: NetworkFile?,
    otherwise address: NetworkAddress
  ) throws -> StorageNode {
    let last = known.flatMap { $0.nodes.indices.contains(number - 1) ? $0.nodes[number - 1] : nil }
    do {
      return try begin(
        number, options, in: folder, at: last?.address ?? address, httpsPort: last?.httpsPort ?? 0)
    } catch SessionError.Code.socketInUse {
      return try begin(number, options, in: folder, at: address)
    }
  }

  private static func begin(
    _ number: Int, _ options: Options, in folder: DevnetFolder, at address: NetworkAddress,
    httpsPort: UInt16 = 0
  ) throws -> StorageNode {
    let folder = folder.node(number)
    let (keys, store) = try folder.open()
    let node = try StorageNode(keys: keys, at: address, store: store, options: options.node)
    guard options.hasHTTPS else { return node }
    let identity = try folder.certificate.identity(for: address)
    do {
      try node.listenForHTTPS(at: address.withPort(httpsPort), as: identity)
    } catch HTTPError.addressInUse {
      try node.listenForHTTPS(at: address.withPort(0), as: identity)
    }
    return node
  }

  /// The swarms lie evenly on their ring, and the nodes evenly in the swarms.
  private static func records(of nodes: [StorageNode], _ options: Options) -> [NodeRecord] {
    let distance = NodeRecord.noSwarm / UInt64(options.swarms)
    return nodes.enumerated().compactMap { index, node in
      guard let address = node.address else { return nil }
      return NodeRecord(
        key: node.keys.publicKey, exchangeKey: node.keys.exchangeKey, host: address.hostBytes,
        httpsPort: node.httpsAddress?.port ?? 0, quicPort: address.port, version: NodeOptions.version,
        swarm: UInt64(index % options.swarms) * distance
      )
    }
  }
}
