internal import CSessionCore
import SessionBase

extension Network {
  /// Which network it is.
  public enum Kind: Hashable, Sendable {
    case main
    case test
    /// Somebody's own, whose nodes may be on this machine.
    case `private`
  }

  /// How a network is reached, and how it behaves. What is not said is as official clients have it.
  public struct Options: Sendable {
    public let kind: Kind
    /// Where to begin; with none, those that are built in, which only the main network has.
    public var seeds: [ServiceNode]
    /// A list of nodes that came with the program, for when no seed answers.
    public var fallback: Fallback?
    /// The folder, which exists, for what is worth remembering of the network; nil: nothing is.
    public var folder: String?
    /// Where to send from; nil for any address of this machine.
    public var address: NetworkAddress?

    /// Hops of a path, 1 to 8.
    public var pathLength: Int
    /// Paths that there should be, and that there may be when a request fits none of those.
    public var paths, mostPaths: PathCounts
    /// One path for everything.
    public var hasSinglePath: Bool
    /// Paths may have nodes in common, where there are too few for each to have its own.
    public var sharesNodes: Bool
    /// How long a path is used; nil: as long as it works.
    public var pathRotation: Duration?
    /// How long the handshake with a first hop may take.
    public var edgeTimeout: Duration

    /// How long an attempt of a request may take, from when it leaves.
    public var requestTimeout: Duration
    /// The same of what the network asks for itself.
    public var probeTimeout: Duration
    /// How long to wait before the second attempt; twice as long before the next, and so on up to the most.
    public var retryDelay, mostRetryDelay: Duration
    /// Attempts of a request to a swarm, each at another node.
    public var swarmAttempts: Int
    /// How often a request follows a node that says the account is elsewhere.
    public var redirects: Int
    /// Requests of one account that come so close together may leave as one batch; nil: none do.
    public var gather: Duration?
    /// The number of nodes called for the time; 0 trusts the machine's clock.
    public var clockNodes: Int

    /// Requests that may be there at once, and all of what they ask, in bytes.
    public var mostRequests, mostBytes: Int
    public var mostConnections: Int

    /// How nodes become known, and how long what they did wrong counts.
    public var nodes: NodeOptions

    /// What official clients use of such a network.
    public init(_ kind: Kind, seeds: [ServiceNode] = []) {
      var core = sc_network_options()
      sc_network_options_default(&core, kind.core)
      self.kind = kind
      self.seeds = seeds
      pathLength = Int(core.path_length)
      paths = PathCounts(core.paths)
      mostPaths = PathCounts(core.most_paths)
      hasSinglePath = core.single_path
      sharesNodes = core.share_nodes
      pathRotation = Duration(optionalNanoseconds: core.path_rotation)
      edgeTimeout = .nanoseconds(core.edge_timeout)
      requestTimeout = .nanoseconds(core.request_timeout)
      probeTimeout = .nanoseconds(core.probe_timeout)
      retryDelay = .nanoseconds(core.retry_delay)
      mostRetryDelay = .nanoseconds(core.retry_delay_most)
      swarmAttempts = Int(core.swarm_attempts)
      redirects = Int(core.redirect_retries)
      gather = Duration(optionalNanoseconds: core.gather)
      clockNodes = Int(core.clock_nodes)
      mostRequests = Int(core.most_requests)
      mostBytes = core.most_bytes
      mostConnections = Int(core.most_connections)
      nodes = NodeOptions(core.nodes)
    }

    /// A network described by a file, whose first nodes are the seeds. In a small network paths are shortened, so that the
    /// destination is not on its own path.
    public init(_ file: NetworkFile, kind: Kind = .private) {
      self.init(kind, seeds: file.nodes.prefix(Int(SC_NODE_MAX_SEEDS)).map { ServiceNode($0) })
      if kind == .private { pathLength = min(pathLength, max(1, file.nodes.count - 1)) }
    }
  }

  /// A number of paths for each category.
  public struct PathCounts: Hashable, Sendable {
    public var standard, file: Int

    public init(standard: Int, file: Int) {
      (self.standard, self.file) = (standard, file)
    }
  }

  /// A list of nodes as the daemon writes it.
  public struct Fallback: Sendable {
    public let list: [UInt8]
    public let madeAt: MessageTime

    public init(list: [UInt8], madeAt: MessageTime) {
      self.list = list
      self.madeAt = madeAt
    }
  }

  /// How nodes become known, and how long what they did wrong counts.
  public struct NodeOptions: Hashable, Sendable {
    /// Nodes may have addresses of this machine and of private networks.
    public var allowsPrivateAddresses: Bool
    /// No two nodes with the same first three numbers of their address are used together.
    public var wantsDiversity: Bool
    /// A shorter list is not believed; fewer usable nodes ask for another.
    public var smallestPool: Int
    /// So many nodes of a swarm stay in use whatever they did.
    public var smallestSwarm: Int
    /// The number of lists to fetch at once, 0 to 8, and in how many of them a node must be; with 0, seeds are called
    /// each time.
    public var lists, agreeingLists: Int
    /// Failures, 1 to 8, after which a node is left alone, and how long one counts.
    public var strikes: Int
    public var strikeExpiry: Duration
    /// How old a list may become.
    public var listExpiry: Duration
  }
}

// MARK: - To the core

extension Network.Kind {
  var core: sc_network_kind {
    switch self {
    case .main: SC_NETWORK_MAIN
    case .test: SC_NETWORK_TEST
    case .private: SC_NETWORK_PRIVATE
    }
  }
}

extension Network.PathCounts {
  init(_ core: (UInt32, UInt32)) {
    self.init(standard: Int(core.0), file: Int(core.1))
  }

  var core: (UInt32, UInt32) { (UInt32(clamping: standard), UInt32(clamping: file)) }
}

extension Network.NodeOptions {
  init(_ core: sc_node_options) {
    allowsPrivateAddresses = core.private_addresses
    wantsDiversity = core.subnet_diversity
    smallestPool = core.smallest_pool
    smallestSwarm = core.smallest_swarm
    lists = core.lists
    agreeingLists = core.agreeing_lists
    strikes = core.struck_out
    strikeExpiry = .nanoseconds(core.strike_expiry)
    listExpiry = .nanoseconds(core.pool_expiry)
  }

  func fill(_ core: inout sc_node_options) {
    core.private_addresses = allowsPrivateAddresses
    core.subnet_diversity = wantsDiversity
    core.smallest_pool = max(0, smallestPool)
    core.smallest_swarm = max(0, smallestSwarm)
    core.lists = max(0, lists)
    core.agreeing_lists = max(0, agreeingLists)
    core.struck_out = max(0, strikes)
    core.strike_expiry = strikeExpiry.nanoseconds
    core.pool_expiry = listExpiry.nanoseconds
  }
}

extension Network.Options {
  /// The options as the core has them; what they point at is in the loan.
  func core(in loan: CoreLoan) -> sc_network_options {
    var core = sc_network_options()
    sc_network_options_default(&core, kind.core)
    nodes.fill(&core.nodes)
    core.nodes.seeds = loan.list(seeds.map(\.core))
    core.nodes.seed_count = seeds.count
    if let fallback {
      core.nodes.fallback = loan.bytes(fallback.list)
      core.nodes.fallback_time = fallback.madeAt.milliseconds
    }
    core.path_length = UInt32(clamping: pathLength)
    core.paths = paths.core
    core.most_paths = mostPaths.core
    core.single_path = hasSinglePath
    core.share_nodes = sharesNodes
    core.path_rotation = pathRotation?.nanoseconds ?? 0
    core.edge_timeout = edgeTimeout.nanoseconds
    core.request_timeout = requestTimeout.nanoseconds
    core.probe_timeout = probeTimeout.nanoseconds
    core.retry_delay = retryDelay.nanoseconds
    core.retry_delay_most = mostRetryDelay.nanoseconds
    core.swarm_attempts = UInt32(clamping: swarmAttempts)
    core.redirect_retries = UInt32(clamping: redirects)
    core.gather = gather?.nanoseconds ?? 0
    core.clock_nodes = UInt32(clamping: clockNodes)
    core.most_requests = UInt32(clamping: mostRequests)
    core.most_bytes = max(0, mostBytes)
    core.most_connections = UInt32(clamping: mostConnections)
    return core
  }
}

extension Duration {
  /// Nil for none, which the core writes as 0.
  fileprivate init?(optionalNanoseconds nanoseconds: UInt64) {
    guard nanoseconds > 0 else { return nil }
    self = .nanoseconds(nanoseconds)
  }
}
