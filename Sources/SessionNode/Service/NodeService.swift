import SessionBase
public import SessionCore
import SessionEndpoint
import SessionHTTP
import SessionNodeCore
import SessionService
import Synchronization

/// A node as a process of its own: a folder with its key and messages, and a source of its list.
public final class NodeService: Sendable {
  public struct Options: Sendable {
    /// The folder of keys and messages.
    public var folder: String
    /// The address where it listens; port 0 lets the system choose.
    public var address: NetworkAddress
    /// Its address for others, if different.
    public var announcedAddress: NetworkAddress?
    public var source: ListSource
    /// The address where it listens for HTTPS; nil for none.
    public var httpsAddress: NetworkAddress?
    /// The port at which others call it over HTTPS, if that is another.
    public var announcedHTTPSPort: UInt16?
    /// The address for Prometheus metrics; nil for none.
    public var metricsAddress: NetworkAddress?
    /// The most that the store may take, in bytes.
    public var maxBytes = 3584 * 1024 * 1024
    /// The servers that onion requests are passed on to.
    public var proxyHosts: [HostRule] = []
    /// True if these servers may have loopback or private addresses.
    public var proxiesToPrivateAddresses = false
    /// True to accept a list that dropped more than half of the nodes.
    public var confirmsShrunkenLists = false
    /// The interval of announcements and requests for the list.
    public var interval: Duration = .seconds(10)
    /// The timeout of the registry, which calls the node during that time.
    public var registryTimeout: Duration = .seconds(15)
    /// The time limit for handing over when the node leaves its network.
    public var leaveGrace = NodeService.longGrace
    public var node = NodeOptions()

    public init(folder: String, address: NetworkAddress, source: ListSource) {
      self.folder = folder
      self.address = address
      self.source = source
    }
  }

  /// The time limit for requests in progress when the node stops.
  static let grace: Duration = .seconds(10)
  /// The time limit when it leaves its network.
  public static let longGrace: Duration = .seconds(120)
  /// No leaving takes longer: handing over, two announcements, and the end.
  static let longestLeave: Duration = longGrace + grace * 4 + .seconds(60)

  public let node: StorageNode
  private let options: Options
  private let state: Mutex<State>

  private struct State {
    /// Nil once the node has ended.
    var lock: FolderLock?
    var announced = NodeAnnouncement.State.serving
    /// When it was last announced, so that no time comes twice: milliseconds since 1970.
    var announcedAt: UInt64 = 0
    var following: Task<Void, Never>?
    var leaving: Task<Void, any Error>?
    var ending: Task<Void, Never>?
    /// The number of consecutive checks after which the node was still not ready.
    var failures = 0
    var metrics: MetricsServer?
    var gateway: WebGateway?
    /// The file of the last time it was read.
    var text: [UInt8] = []
    /// The last failure of each kind, so that it is logged once.
    var troubles: [Trouble: String] = [:]
  }

  private enum Trouble: String {
    case list = "no newer list"
    case keeping = "the list cannot be kept"
  }

  private let files = WorkerQueue("session.node.files")
  /// The registry refuses an announcement that arrives after a later one.
  private let announcing = Turns()
  /// The height of the list that is written down.
  private let kept = Mutex<UInt64>(0)

  private var log: ServiceLog { options.node.log }
  private var folder: NodeFolder { NodeFolder(path: options.folder) }

  /// Starts the node, with the stored list until there is a newer one.
  public init(_ options: Options) throws {
    self.options = options
    let folder = NodeFolder(path: options.folder)
    let lock = try folder.lock()
    guard OpenFile.isMissing(folder.left) else { throw NodeFailure.hasLeft(folder.left) }
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
      throw error
    }
    learnKept()
    let following = Task { [weak self, interval = options.interval] in
      while let delay = await self?.follow() { try? await Task.sleep(for: min(delay, interval)) }
    }
    state.withLock { $0.following = following }
    log(
      .info, "node began",
      ["key": keys.publicKey.hex, "address": node.address.map { "\($0)" } ?? "", "folder": options.folder])
  }

  /// Creates the folder of a node, with a new key if there is none; returns the public key.
  public static func prepare(folder: String) throws -> [UInt8] {
    let folder = NodeFolder(path: folder)
    try folder.prepare()
    return try folder.key.keys().publicKey
  }

  /// The public key of a node whose folder is there.
  public static func key(folder: String) throws -> [UInt8] {
    try NodeFolder(path: folder).key.read().publicKey
  }

  private static func gateway(_ options: Options) throws -> WebGateway? {
    guard !options.proxyHosts.isEmpty else { return nil }
    var gatewayOptions = WebGateway.Options(hosts: options.proxyHosts)
    gatewayOptions.reachesPrivateAddresses = options.proxiesToPrivateAddresses
    return try WebGateway(gatewayOptions)
  }

  private func listenFurther() throws {
    if let address = options.httpsAddress {
      let called = options.announcedAddress ?? options.address
      let identity = try folder.certificate.identity(for: called)
      try Self.listen("HTTPS at \(address)") { () throws(HTTPError) in
        try node.listenForHTTPS(at: address, as: identity)
      }
      log(.info, "listening for HTTPS", ["address": node.httpsAddress.map { "\($0)" } ?? ""])
    }
    if let address = options.metricsAddress {
      try Self.listen("metrics at \(address)") { () throws(HTTPError) in
        let server = try MetricsServer(node, at: address)
        state.withLock { $0.metrics = server }
        log(.info, "telling measurements", ["address": "\(server.address)"])
      }
    }
  }

  private static func listen(_ what: String, _ body: () throws(HTTPError) -> Void) throws(ServiceFailure) {
    do throws(HTTPError) { try body() } catch { throw .listening(what, "\(error)") }
  }

  /// Stops the node: it refuses new requests, finishes those in progress, and delivers stored requests to others.
  /// Cancelling a caller does not cut this short; every caller returns when the node has stopped.
  public func stop() async {
    await state.withLock { state in
      let ending = state.ending ?? Task { await self.end() }
      state.ending = ending
      return ending
    }.value
  }

  private var isEnding: Bool { state.withLock { $0.ending != nil } }

  /// Leaves the network for good: has the registry take the node out of its swarm, hands over everything, and ends.
  /// Throws where the network has no registry, or it does not answer, or others are still owed something after some
  /// time, unless it is forced; then the node goes on.
  public func leave(isForced: Bool = false) async throws {
    try await state.withLock { state in
      let leaving = state.leaving ?? Task { try await self.handOverAndEnd(isForced) }
      state.leaving = leaving
      return leaving
    }.value
  }

  private func handOverAndEnd(_ isForced: Bool) async throws {
    guard case .registry(let registry) = options.source else {
      state.withLock { $0.leaving = nil }
      throw ServiceFailure.request("nodes of a network file are removed by its operator")
    }
    do {
      try await handOver(registry, isForced)
    } catch {
      state.withLock { ($0.announced, $0.leaving) = (.serving, nil) }
      // Otherwise it is said the next time that the node looks for a list.
      try? await announce(to: registry)
      throw error
    }
    state.withLock { $0.announced = .gone }
    // If this fails, the registry forgets the node once it has been silent for long.
    try? await announce(to: registry)
    log(.info, "left the network")
    await stop()
  }

  /// Gives others all that they are to have, and writes down that the node has left.
  private func handOver(_ registry: RegistryRemote, _ isForced: Bool) async throws {
    state.withLock { $0.announced = .leaving }
    let isOutAtOnce = try await isOut(by: registry)
    log(.info, "leaving the network")
    let progress = Mutex((isOut: isOutAtOnce, isDone: false))
    await within(options.leaveGrace) { [self] in
      while !Task.isCancelled, !isEnding {
        if !progress.withLock({ $0.isOut }), (try? await isOut(by: registry)) ?? false {
          progress.withLock { $0.isOut = true }
        }
        guard await node.replicate() != nil else { return }
        if progress.withLock({ $0.isOut }), await owed() == (0, 0) {
          return progress.withLock { $0.isDone = true }
        }
        try? await Task.sleep(for: .seconds(1))
      }
    }
    guard !isEnding else { throw ServiceFailure.request("the node was stopped before it had left") }
    if !progress.withLock({ $0.isDone }), !isForced {
      guard progress.withLock({ $0.isOut }) else {
        throw NodeFailure.owing("because the registry has not removed it from its swarm yet")
      }
      let (debts, transfers) = await owed()
      throw NodeFailure.owing(
        "it owes \(debts) requests and \(transfers) whole stores to others; --force leaves anyway")
    }
    let text = Array("The node has left its network. Remove this file to let it join again.\n".utf8)
    try await files.run { [folder] in try PendingFile.write(text.span, to: folder.left, replacing: true) }
  }

  /// Announces that the node wants no swarm; true if the list has it in none, or there are no other nodes.
  private func isOut(by registry: RegistryRemote) async throws -> Bool {
    do {
      try await announce(to: registry)
    } catch NodeFailure.listWithoutSwarms {
      return true
    }
    return node.membership?.ownSwarm == nil
  }

  /// The requests and transfers left for others; not zero if that is unknown.
  private func owed() async -> (debts: Int, transfers: Int) { (try? await node.store.owed()) ?? (0, 1) }

  private func end() async {
    let (following, metrics, gateway) = state.withLock { state in
      defer { (state.following, state.metrics, state.gateway) = (nil, nil, nil) }
      return (state.following, state.metrics, state.gateway)
    }
    following?.cancel()
    await following?.value
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
  /// Without a reply, the first attempts follow quickly.
  private static let firstDelay: Duration = .seconds(1)

  /// Looks for a newer list. How long to wait before the next time; nil once the task is to end.
  func follow() async -> Duration? {
    guard !Task.isCancelled else { return nil }
    do {
      try await refresh()
      settle(.list)
    } catch {
      tell(.list, error)
    }
    await keep()
    return state.withLock { state in
      state.failures = node.unreadiness == nil ? 0 : state.failures + 1
      return Self.delay(failures: state.failures, interval: options.interval)
    }
  }

  /// The delay after so many failures.
  static func delay(failures: Int, interval: Duration) -> Duration {
    failures == 0 ? interval : min(firstDelay * (1 << min(failures - 1, 20)), interval)
  }

  private func settle(_ trouble: Trouble) { state.withLock { $0.troubles[trouble] = nil } }

  /// Logs a failure, unless it is the same as the last.
  private func tell(_ trouble: Trouble, _ error: any Error) {
    let words = Self.words(of: error)
    let isNew = state.withLock { $0.troubles.updateValue(words, forKey: trouble) != words }
    if isNew, !Task.isCancelled { log(.warning, trouble.rawValue, ["reason": words]) }
  }

  /// Fetches a newer list, and announces the node.
  func refresh() async throws {
    switch options.source {
    case .file(let path, let operatorKey): try await readFile(path, operatorKey)
    case .registry(let registry): try await announce(to: registry)
    }
  }

  private static func words(of error: any Error) -> String {
    guard let error = error as? SessionError else { return "\(error)" }
    guard let refusal = error.refusal else { return error.message }
    return String(decoding: refusal.body, as: UTF8.self).split(separator: "\n").joined(separator: ": ")
  }

  private func readFile(_ path: String, _ operatorKey: [UInt8]?) async throws {
    let text = try await files.run { try OpenFile(reading: path).readAll(upTo: KeptList.maxBytes) }
    guard state.withLock({ $0.text }) != text else { return }
    try learn(try NetworkFile(parsing: text, operatorKey: operatorKey))
    state.withLock { $0.text = text }
  }

  private func announce(to registry: RegistryRemote) async throws {
    guard try await announcing.take({ try await announceInTurn(to: registry) }) != nil else {
      throw CancellationError()
    }
  }

  private func announceInTurn(to registry: RegistryRemote) async throws {
    guard let endpoint = node.endpoint, let address = node.address else {
      throw ServiceFailure.request("the node has stopped")
    }
    let announcement = announcement(options.announcedAddress ?? address)
    let list: NetworkFile?
    do throws(SessionError) {
      list = try await registry.announce(
        announcement, by: node.keys, over: endpoint, timeout: options.registryTimeout)
    } catch {
      if error.refusal?.code == 403 { try await learnWithoutThis(from: registry, over: endpoint) }
      throw error
    }
    if let list, try learn(list) { await keep() }
  }

  private func announcement(_ address: NetworkAddress) -> NodeAnnouncement {
    let (announced, time) = state.withLock { state in
      state.announcedAt = max(node.now, state.announcedAt + 1)
      return (state.announced, state.announcedAt)
    }
    return NodeAnnouncement(
      key: node.keys.publicKey, address: address, httpsPort: httpsPort(address), version: NodeOptions.version,
      state: announced, height: node.height, time: time,
      unreachable: Array(
        node.reachability.reported(now: MachineClock.nanoseconds).prefix(NodeAnnouncement.maxUnreachable)))
  }

  /// The node's HTTPS port for others; 0 for none.
  private func httpsPort(_ address: NetworkAddress) -> UInt16 {
    guard let https = node.httpsAddress else { return 0 }
    if let port = options.announcedHTTPSPort { return port }
    return https.isLoopback && !address.isLoopback ? 0 : https.port
  }

  /// A forbidden node learns from the list that it is no longer a member.
  private func learnWithoutThis(from registry: RegistryRemote, over endpoint: NetworkEndpoint) async throws {
    let height = node.height
    guard height > 0,
      let list = try? await registry.list(unless: height, over: endpoint, timeout: options.registryTimeout)
    else { return }
    if try learn(list) { await keep() }
  }

  /// Writes down the newest list, unless it is there, or one that came after it.
  private func keep() async {
    guard case .registry = options.source, let list = node.newest else { return }
    do {
      try await files.run { [self] in
        try kept.withLock { height in
          guard list.height > height else { return }
          try KeptList(path: folder.networkFile).write(list)
          height = list.height
        }
      }
      settle(.keeping)
    } catch {
      tell(.keeping, error)
    }
  }

  /// True if the list is newer than the current one.
  @discardableResult
  private func learn(_ list: NetworkFile) throws -> Bool {
    do throws(NodeFailure) {
      if list.nodes.contains(where: { $0.key == node.keys.publicKey }) {
        try node.learn(list, isConfirmed: options.confirmsShrunkenLists)
      } else {
        try node.retire(list, isConfirmed: options.confirmsShrunkenLists)
      }
      return true
    } catch {
      // Another request may have fetched a newer list first.
      guard error == .outdatedList else { throw error }
      return false
    }
  }

  /// The list of the last time serves until there is another.
  private func learnKept() {
    guard case .registry(let registry) = options.source else { return }
    do {
      guard let list = try KeptList(path: folder.networkFile).read(of: registry.peer.key) else { return }
      try learn(list)
      kept.withLock { $0 = list.height }
    } catch {
      log(.warning, "the stored list is unusable", ["reason": Self.words(of: error)])
    }
  }
}

/// The source of a node's list of nodes.
public enum ListSource: Sendable {
  /// A network file, which is read again when it changes. With a key, only of that operator.
  case file(String, operatorKey: [UInt8]?)
  case registry(RegistryRemote)
}
