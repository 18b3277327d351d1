public import SessionCore
import Synchronization

/// A node of the network: it keeps messages for the accounts of its swarm, and relays onion requests.
///
/// It answers from when it is made until `stop()`, and is of use once it knows its network (`learn`).
public final class StorageNode: Sendable {
  public let keys: NodeKeys
  public let store: MessageStore
  let options: NodeOptions
  let limiter = RateLimiter()
  let subscriptions = Subscriptions()
  let health = PeerHealth()
  let creditors = Creditors()
  private let state = Mutex(State())

  private struct State {
    var membership: Membership?
    var endpoint: NetworkEndpoint?
    /// What goes on by itself.
    var tasks: [Task<Void, Never>] = []
    /// Lists that took the place of others, and nothing has followed from it yet.
    var moves: [(old: Membership?, new: Membership)] = []
    var isStopping = false
  }

  /// Begins to listen; the port is the system's choice where it is 0.
  public init(
    keys: NodeKeys, at address: NetworkAddress, store: MessageStore, options: NodeOptions = NodeOptions()
  ) throws(SessionError) {
    self.keys = keys
    self.store = store
    self.options = options
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
    state.withLock { state in
      state.endpoint = endpoint
      state.tasks = [sweeping, replicating]
    }
  }

  /// Where it listens; nil once it has stopped.
  public var address: NetworkAddress? { endpoint?.address }

  var endpoint: NetworkEndpoint? { state.withLock { $0.endpoint } }
  var membership: Membership? { state.withLock { $0.membership } }
  var now: UInt64 { options.wallClock() }

  /// Takes a newer list of the network. One that has lost more than half of its nodes has to be confirmed.
  public func learn(_ file: NetworkFile, isConfirmed: Bool = false) throws(NodeFailure) {
    let membership = try Membership(file, ownKey: keys.publicKey)
    try state.withLock { (state) throws(NodeFailure) in
      if let known = state.membership?.file {
        guard known.operatorKey == file.operatorKey else { throw .notListed }
        guard file.height > known.height else { throw .outdatedList }
        guard isConfirmed || file.nodes.count * 2 >= known.nodes.count else { throw .shrunkenList }
      }
      state.moves.append((state.membership, membership))
      state.membership = membership
    }
    health.keep { membership.node($0) != nil }
  }

  /// Tells peers, ends what is under way, and closes the store.
  public func stop() async {
    let (endpoint, tasks) = state.withLock { state in
      state.isStopping = true
      defer { (state.endpoint, state.tasks) = (nil, []) }
      return (state.endpoint, state.tasks)
    }
    for task in tasks { task.cancel() }
    await endpoint?.stop()
    for task in tasks { await task.value }
    // What was acknowledged is durable already.
    try? store.close()
  }

  /// Why the node is of no use now; nil when it is.
  var unreadiness: String? {
    if state.withLock({ $0.isStopping }) { return "shutting down" }
    if now < MachineClock.earliest { return "clock before the time of the program" }
    guard let membership else { return "not done syncing" }
    return membership.ownSwarm == nil ? "not in any swarm" : nil
  }

  /// Does what follows from new lists, and gives other nodes what they are owed. Nil once the task is to end.
  func replicate() async -> Void? {
    for move in state.withLock({ state in
      defer { state.moves = [] }
      return state.moves
    }) {
      if move.old == nil { await askForAll(move.new) } else { await moved(from: move.old, to: move.new) }
    }
    return await payDebts()
  }

  /// Nil once the task is to end.
  private func sweep() async -> Void? {
    guard !Task.isCancelled else { return nil }
    // What could not be removed now is removed the next time.
    _ = try? await store.sweep(now: now)
    subscriptions.sweep(now: now)
    return ()
  }
}
