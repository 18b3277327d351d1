public import SessionCore
import Synchronization

/// A node with all that it needs in a process of its own: a folder with its key and its messages, and somebody who tells
/// it of its network.
public final class NodeService: Sendable {
  public struct Options: Sendable {
    /// Where keys and messages are kept.
    public var folder: String
    /// Where it listens; an address with port 0 is the system's choice.
    public var address: NetworkAddress
    /// Where others call it, if that is somewhere else.
    public var announcedAddress: NetworkAddress?
    public var source: ListSource
    /// Where it listens for HTTPS; nil for nowhere.
    public var httpsAddress: NetworkAddress?
    /// Where Prometheus is told how the node is; nil for nowhere.
    public var metricsAddress: NetworkAddress?
    /// The most that the store may take, in bytes.
    public var maxBytes = 3584 * 1024 * 1024
    /// The servers that onion requests are passed on to.
    public var proxyHosts: [HostRule] = []
    /// Whether these servers may be on this machine or in its network.
    public var proxiesToPrivateAddresses = false
    /// Whether a list with less than half of the nodes that are known is believed.
    public var confirmsShrunkenLists = false
    /// How often it asks for the list, and says how it is.
    public var interval: Duration = .seconds(10)
    /// How long the registry may take, which calls the node meanwhile.
    public var registryTimeout: Duration = .seconds(15)
    public var node = NodeOptions()

    public init(folder: String, address: NetworkAddress, source: ListSource) {
      self.folder = folder
      self.address = address
      self.source = source
    }
  }

  /// How long what is under way may take when the node ends.
  static let grace: Duration = .seconds(10)
  /// How long handing over may take when the node leaves its network.
  static let longGrace: Duration = .seconds(120)

  public let node: StorageNode
  private let options: Options
  private let state: Mutex<State>

  private struct State {
    /// Nil once the node has ended.
    var lock: FolderLock?
    var announced = NodeAnnouncement.State.serving
    var following: Task<Void, Never>?
    var metrics: MetricsServer?
    var gateway: WebGateway?
    /// The file of the last time it was read.
    var text: [UInt8] = []
    /// The last thing that went wrong, so that it is told once.
    var trouble = ""
  }

  private var log: NodeLog { options.node.log }
  private var folder: NodeFolder { NodeFolder(path: options.folder) }

  /// Begins the node, with the list of the last time until there is another.
  public init(_ options: Options) throws {
    self.options = options
    let folder = NodeFolder(path: options.folder)
    let lock = try folder.lock()
    let (keys, store) = try folder.open(maxBytes: options.maxBytes)
    let gateway = try Self.gateway(options)
    var nodeOptions = options.node
    nodeOptions.gateway = gateway ?? nodeOptions.gateway
    node = try StorageNode(keys: keys, at: options.address, store: store, options: nodeOptions)
    state = Mutex(State(lock: lock, gateway: gateway))
    do {
      try listenFurther()
    } catch {
      // Nothing but the endpoint has begun, which ends with the last reference.
      try? store.close()
      throw NodeFailure.folder("\(error)")
    }
    learnKept()
    let following = Task { [weak self, interval = options.interval] in
      while let pause = await self?.follow() { try? await Task.sleep(for: min(pause, interval)) }
    }
    state.withLock { $0.following = following }
    log(
      .info, "node began",
      ["key": keys.publicKey.hex, "address": node.address.map { "\($0)" } ?? "", "folder": options.folder])
  }

  /// Makes the folder of a node, with a fresh key where there is none; returns the public key.
  public static func prepare(folder: String) throws -> [UInt8] {
    let folder = NodeFolder(path: folder)
    try folder.prepare()
    return try folder.key.keys().publicKey
  }

  private static func gateway(_ options: Options) throws -> WebGateway? {
    guard !options.proxyHosts.isEmpty else { return nil }
    var gatewayOptions = WebGateway.Options(hosts: options.proxyHosts)
    gatewayOptions.reachesPrivateAddresses = options.proxiesToPrivateAddresses
    return try WebGateway(gatewayOptions)
  }

  private func listenFurther() throws {
    if let address = options.httpsAddress {
      try node.listenForHTTPS(at: address, as: try folder.certificate.identity(for: address))
      log(.info, "listening for HTTPS", ["address": node.httpsAddress.map { "\($0)" } ?? ""])
    }
    if let address = options.metricsAddress {
      let server = try MetricsServer(node, at: address)
      state.withLock { $0.metrics = server }
      log(.info, "telling measurements", ["address": "\(server.address)"])
    }
  }

  /// Ends the node: it refuses what is new, answers what is there, and hands over what others are owed. Nobody who is
  /// cancelled meanwhile cuts that short.
  public func stop() async { await Task { await self.end() }.value }

  /// Leaves the network: has the registry take the node out of its swarm, hands over everything, and ends. Throws where
  /// the network has no registry, or it does not answer; then the node goes on.
  public func leave() async throws { try await Task { try await self.handOverAndEnd() }.value }

  private func handOverAndEnd() async throws {
    guard case .registry(let registry) = options.source else {
      throw NodeFailure.request("the operator of a network file takes nodes out of it")
    }
    state.withLock { $0.announced = .leaving }
    do {
      try await announce(to: registry)
    } catch NodeFailure.listWithoutSwarms {
      // Nobody is left to hand over to.
    } catch {
      state.withLock { $0.announced = .serving }
      throw error
    }
    log(.info, "leaving the network")
    await within(Self.longGrace) { [self] in
      while !Task.isCancelled, await node.replicate() != nil, await isOwing() {
        try? await Task.sleep(for: .seconds(1))
      }
    }
    state.withLock { $0.announced = .gone }
    // Where the registry does not hear of it, the node is forgotten when it has been silent for long.
    try? await announce(to: registry)
    log(.info, "left the network")
    await end()
  }

  private func isOwing() async -> Bool {
    guard let owed = try? await node.store.owed() else { return true }
    return owed != (0, 0)
  }

  private func end() async {
    let (following, metrics, gateway) = state.withLock { state in
      defer { (state.following, state.metrics, state.gateway) = (nil, nil, nil) }
      return (state.following, state.metrics, state.gateway)
    }
    guard let following else { return }
    following.cancel()
    await following.value
    await node.drain(within: Self.grace)
    await node.stop()
    await metrics?.stop()
    await gateway?.stop()
    state.withLock { $0.lock = nil }
    log(.info, "node ended")
  }
}

// MARK: - The list

extension NodeService {
  /// Without an answer, the first attempts come soon after one another.
  private static let firstPause: Duration = .seconds(1)

  /// Looks for a newer list. How long to wait before the next time; nil once the task is to end.
  private func follow() async -> Duration? {
    guard !Task.isCancelled else { return nil }
    do {
      try await refresh()
      state.withLock { $0.trouble = "" }
    } catch {
      let trouble = Self.words(of: error)
      let isNew = state.withLock { state in
        defer { state.trouble = trouble }
        return state.trouble != trouble
      }
      if isNew, !Task.isCancelled { log(.warning, "no newer list", ["reason": trouble]) }
    }
    return node.unreadiness == nil ? options.interval : Self.firstPause
  }

  /// Asks for a newer list, and says how the node is.
  func refresh() async throws {
    switch options.source {
    case .file(let path, let operatorKey): try readFile(path, operatorKey)
    case .registry(let registry): try await announce(to: registry)
    }
  }

  private static func words(of error: any Error) -> String {
    guard let error = error as? SessionError else { return "\(error)" }
    guard let refusal = error.refusal else { return error.message }
    return String(decoding: refusal.body, as: UTF8.self).split(separator: "\n").joined(separator: ": ")
  }

  private func readFile(_ path: String, _ operatorKey: [UInt8]?) throws {
    let text = try OpenFile(reading: path).readAll(upTo: KeptList.maxBytes)
    guard state.withLock({ $0.text }) != text else { return }
    try learn(try NetworkFile(parsing: text, operatorKey: operatorKey))
    state.withLock { $0.text = text }
  }

  private func announce(to registry: RegistryRemote) async throws {
    guard let endpoint = node.endpoint, let address = node.address else { return }
    let announcement = NodeAnnouncement(
      key: node.keys.publicKey, address: options.announcedAddress ?? address,
      httpsPort: node.httpsAddress?.port ?? 0,
      version: NodeOptions.version, state: state.withLock { $0.announced }, height: node.height,
      since: node.began, time: node.now,
      unreachable: Array(
        node.reachability.reported(now: MachineClock.nanoseconds).prefix(NodeAnnouncement.maxUnreachable)))
    let list: NetworkFile?
    do throws(SessionError) {
      list = try await registry.announce(
        announcement, by: node.keys, over: endpoint, timeout: options.registryTimeout)
    } catch {
      // Whoever is not allowed any more learns from the list that the others have gone on without it.
      if error.refusal?.code == 403, node.height > 0, let list = try? await registry.list() {
        try learnAndKeep(list)
      }
      throw error
    }
    if let list { try learnAndKeep(list) }
  }

  private func learnAndKeep(_ list: NetworkFile) throws {
    guard try learn(list) else { return }
    try KeptList(path: folder.networkFile).write(list)
  }

  /// Whether the list is newer than the one that was known.
  @discardableResult
  private func learn(_ list: NetworkFile) throws -> Bool {
    do throws(NodeFailure) {
      if list.nodes.contains(where: { $0.key == node.keys.publicKey }) {
        try node.learn(list, isConfirmed: options.confirmsShrunkenLists)
      } else {
        try node.retire(list)
      }
      return true
    } catch {
      // Where two have asked at once, the other may have been first.
      guard error == .outdatedList else { throw error }
      return false
    }
  }

  /// The list of the last time serves until there is another.
  private func learnKept() {
    guard case .registry(let registry) = options.source else { return }
    do {
      if let list = try KeptList(path: folder.networkFile).read(of: registry.peer.key) { try learn(list) }
    } catch {
      log(.warning, "the list of the last time is of no use", ["reason": Self.words(of: error)])
    }
  }
}
