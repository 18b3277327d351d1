import SessionBase
public import SessionCore
import SessionEndpoint
import SessionHTTP
public import SessionNodeCore
import SessionService
import Synchronization

/// A node of the network: it stores messages for the accounts of its swarm, and relays onion requests.
///
/// It replies from its creation until `stop()`, and is ready once it has a list (`learn`).
public final class StorageNode: Sendable {
  public let keys: NodeKeys
  public let store: MessageStore
  let options: NodeOptions
  let limiter = RateLimiter()
  let subscriptions = Subscriptions()
  let health = PeerHealth()
  let reachability = Reachability()
  let inFlight = InFlight()
  let metrics = NodeMetrics()
  /// Milliseconds since 1970.
  let began: UInt64
  let pendingPeers = PendingPeers()
  private let replicating = Turns()
  private let state = Mutex(State())

  fileprivate struct State {
    var membership: Membership?
    /// The newest list, also where this node is not in it.
    var newest: NetworkFile?
    var endpoint: NetworkEndpoint?
    var web: (server: HTTPServer, client: HTTPClient)?
    /// The background tasks.
    var tasks: [Task<Void, Never>] = []
    /// Lists that took the place of others, and nothing has followed from it yet.
    var moves: [(old: Membership?, new: Membership)] = []
    var isStopping = false
    /// Notified of members that were not waited for.
    var catchUpSignal: AsyncStream<Void>.Continuation?
  }

  /// How long a slow member is left alone before it receives missed requests.
  private static let breather: Duration = .milliseconds(250)

  /// Starts listening; port 0 lets the system choose.
  public init(
    keys: NodeKeys, at address: NetworkAddress, store: MessageStore, options: NodeOptions = NodeOptions()
  ) throws(SessionError) {
    self.keys = keys
    self.store = store
    self.options = options
    began = options.wallClock()
    var endpointOptions = NetworkEndpoint.Options(identity: keys.identity, handlers: handlers())
    endpointOptions.idleClose = .seconds(120)
    endpointOptions.hasWeather = options.hasWeather
    endpointOptions.handshakeTimeout = options.handshakeTimeout
    let endpoint = try NetworkEndpoint(at: address, options: endpointOptions)
    let sweeping = Task { [weak self, interval = options.sweepInterval] in
      while await self?.sweep() != nil { try? await Task.sleep(for: interval) }
    }
    let replicating = Task { [weak self, interval = options.replicationInterval] in
      while await self?.replicate() != nil { try? await Task.sleep(for: interval) }
    }
    let (signals, signalling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let catchingUp = Task { [weak self] in
      for await _ in signals {
        try? await Task.sleep(for: Self.breather)
        if await self?.replicate() == nil { return }
      }
    }
    let testing = Task { [weak self, interval = options.testInterval] in
      while await self?.testOthers() != nil { try? await Task.sleep(for: interval) }
    }
    state.withLock { state in
      state.endpoint = endpoint
      state.tasks = [sweeping, replicating, catchingUp, testing]
      state.catchUpSignal = signalling
    }
  }

  /// The address where it listens; nil after it has stopped.
  public var address: NetworkAddress? { endpoint?.address }

  /// The address where it listens for HTTPS; nil for none.
  public var httpsAddress: NetworkAddress? { state.withLock { $0.web?.server.address } }

  /// The client for calls to other nodes over HTTPS.
  var httpClient: HTTPClient? { state.withLock { $0.web?.client } }

  func use(_ server: HTTPServer, _ client: HTTPClient) {
    state.withLock { $0.web = (server, client) }
  }

  var endpoint: NetworkEndpoint? { state.withLock { $0.endpoint } }
  var membership: Membership? { state.withLock { $0.membership } }
  var now: UInt64 { options.wallClock() }

  /// Takes a newer list of the network. One that has lost more than half of its nodes has to be confirmed.
  public func learn(_ file: NetworkFile, isConfirmed: Bool = false) throws(NodeFailure) {
    let membership = try Membership(file, ownKey: keys.publicKey)
    try state.withLock { (state) throws(NodeFailure) in
      try state.check(file, isConfirmed: isConfirmed)
      state.moves.append((state.membership, membership))
      (state.membership, state.newest) = (membership, file)
    }
    health.keep { membership.node($0) != nil }
    reachability.keep { membership.node($0) != nil }
    endSubscriptions(goingOnWith: membership.swarm) { !membership.isOurs($0) }
    let swarm = membership.ownSwarm.map { String($0, radix: 16) } ?? "none"
    options.log(
      .info, "new list", ["height": "\(file.height)", "nodes": "\(file.nodes.count)", "swarm": swarm])
  }

  /// Accepts a newer list without this node: it stops serving, and keeps its store. A list that dropped more than
  /// half of its nodes needs confirmation.
  public func retire(_ file: NetworkFile, isConfirmed: Bool = false) throws(NodeFailure) {
    try state.withLock { (state) throws(NodeFailure) in
      try state.check(file, isConfirmed: isConfirmed)
      (state.membership, state.newest) = (nil, file)
    }
    endSubscriptions(goingOnWith: file.swarm) { _ in true }
    options.log(.warning, "no longer in the list of the network", ["height": "\(file.height)"])
  }

  /// The newest list, also where this node is not in it.
  var newest: NetworkFile? { state.withLock { $0.newest } }

  /// The height of the newest list; 0 for none.
  public var height: UInt64 { newest?.height ?? 0 }

  /// Refuses new requests, finishes those in progress, and delivers stored requests to other nodes, within the time
  /// limit.
  public func drain(within time: Duration) async {
    state.withLock { $0.isStopping = true }
    await within(time) { await self.inFlight.idle() }
    await within(time) { _ = await self.replicating.take { await self.payDebts() } }
  }

  /// Notifies peers, ends requests in progress, and closes the store.
  public func stop() async {
    let (endpoint, web, tasks) = state.withLock { state in
      state.isStopping = true
      defer { (state.endpoint, state.web, state.tasks) = (nil, nil, []) }
      return (state.endpoint, state.web, state.tasks)
    }
    for task in tasks { task.cancel() }
    await web?.server.stop(grace: .zero)
    await web?.client.stop()
    await endpoint?.stop()
    for task in tasks { await task.value }
    // Acknowledged messages are durable already.
    await WorkerQueue("session.node.closing").run { [store] in try? store.close() }
  }

  /// Why the node is of no use now; nil when it is.
  var unreadiness: String? {
    unreadinessToRelay ?? (membership?.ownSwarm == nil ? "not in any swarm" : nil)
  }

  /// Why the node is of no use even for onions now: it relays them without a swarm too.
  var unreadinessToRelay: String? {
    if state.withLock({ $0.isStopping }) { return "shutting down" }
    if now < MachineClock.earliest { return "the clock is older than the program" }
    return membership == nil ? "not done syncing" : nil
  }

  /// Delivers missed requests soon to members that were not waited for.
  func catchUpSoon() { state.withLock { $0.catchUpSignal }?.yield() }

  /// Handles new lists, and delivers stored requests to other nodes, one at a time. Nil when the task must end.
  func replicate() async -> Void? { await replicating.take { await self.replicateInTurn() } ?? nil }

  private func replicateInTurn() async -> Void? {
    for move in state.withLock({ state in
      defer { state.moves = [] }
      return state.moves
    }) {
      if move.old == nil { await begin(in: move.new) } else { await moved(from: move.old, to: move.new) }
    }
    return await payDebts()
  }

  /// The first list is known.
  private func begin(in membership: Membership) async {
    // New requests must not overtake those owed from before a restart.
    if let owed = try? await store.pendingPeers() { pendingPeers.insert(owed.ofRequests) }
    await requestAll(membership)
  }

  /// Nil once the task is to end.
  private func sweep() async -> Void? {
    guard !Task.isCancelled else { return nil }
    // The next sweep removes the messages that this one could not.
    _ = try? await store.sweep(now: now)
    subscriptions.sweep(now: now)
    return ()
  }
}

extension StorageNode.State {
  /// Checks if a list may replace the current one.
  fileprivate func check(_ file: NetworkFile, isConfirmed: Bool) throws(NodeFailure) {
    guard let newest else { return }
    guard newest.operatorKey == file.operatorKey else { throw .notListed }
    guard file.height > newest.height else { throw .outdatedList }
    guard isConfirmed || file.nodes.count * 2 >= newest.nodes.count else { throw .shrunkenList }
  }
}
