internal import CSessionCore

extension Network {
  /// How a network is doing.
  public struct Status: Hashable, Sendable {
    public enum State: UInt32, Sendable, CaseIterable {
      case offline
      case connecting
      /// There is a path for requests.
      case connected
    }

    public let state: State
    /// Why there is no connection, while there is none and something failed.
    public let failure: SessionError.Code?
    /// Milliseconds to add to this machine's clock, once nodes were asked for the time.
    public let clockOffset: Int64?
    /// The newest fork of the network that a node spoke of.
    public let fork: Fork?
  }

  /// A fork of the network: what its nodes understand.
  public struct Fork: Hashable, Sendable {
    public let major, revision: UInt16

    public init(_ major: UInt16, _ revision: UInt16) {
      (self.major, self.revision) = (major, revision)
    }
  }

  /// Requests of different categories share no path, so that a large file delays no message.
  public enum Category: UInt32, Sendable, CaseIterable {
    case standard
    case file
  }

  /// A way through the network.
  public struct Path: Hashable, Sendable, Identifiable {
    public enum State: UInt32, Sendable, CaseIterable {
      case building
      case active
      /// It takes no more requests, and goes with the last reply.
      case draining
    }

    public let id: UInt64
    public let category: Category
    public let state: State
    /// The first hop first; of a path that is being built perhaps none.
    public let nodes: [ServiceNode]
    /// Requests that are on their way.
    public let requests: Int
    /// What went wrong on it and still counts.
    public let strikes: Int
  }

  /// What a network did so far, and what it holds.
  public struct Counts: Hashable, Sendable {
    /// Nodes that are known, and those of them that are not left alone for having failed.
    public let nodes, usableNodes: Int
    /// Requests that are not done.
    public let requests: Int
    /// Of those, the ones that wait for a path, by category, and the ones that are on their way: a batch is one.
    public let queued: [Category: Int]
    public let inFlight: Int
    public let connections: Int
    public let isRefreshingNodes: Bool
    /// Attempts, and what became of requests, since the network was made.
    public let sent, succeeded, failed, retries, redirects, batches: UInt64
    public let pathsBuilt, pathsRetired: UInt64
    /// Replies without a waiting request, and replies that failed verification.
    public let ignored: UInt64
  }

  /// Whom a storage request goes to.
  public enum Destination: Hashable, Sendable {
    /// A node of the swarm of the account that the request is about.
    case swarm
    /// The node with this key.
    case node([UInt8])
    /// A node at random, for what is about no account.
    case anyNode
  }

  /// How a request is sent.
  public struct Delivery: Hashable, Sendable {
    public var category = Category.standard
    /// True if it leaves beside large requests, and not behind them.
    public var isSmall = false
    /// True if it is never put into one batch with other requests.
    public var isAlone = false
    /// True if a user waits for the reply. A slow request is then sent again over another path, if that does no harm.
    public var isInteractive = false
    /// How long each attempt may take, from when it leaves; the network's usual time if nil.
    public var timeout: Duration?
    /// How long all may take, waiting included; without an end if nil.
    public var overall: Duration?
    /// How often it is tried at most; as often as is usual for whom it goes to if nil.
    public var attempts: Int?

    public init(
      category: Category = .standard, isSmall: Bool = false, isAlone: Bool = false,
      isInteractive: Bool = false, timeout: Duration? = nil, overall: Duration? = nil, attempts: Int? = nil
    ) {
      self.category = category
      self.isSmall = isSmall
      self.isAlone = isAlone
      self.isInteractive = isInteractive
      self.timeout = timeout
      self.overall = overall
      self.attempts = attempts
    }
  }

  /// What came of a request.
  public struct Answer<Reply: Sendable>: Sendable {
    public let reply: Reply
    /// Who answered: what a node says of its messages' order holds for that node alone.
    public let node: ServiceNode
    /// How often it was tried.
    public let attempts: Int
  }
}

// MARK: - From the core

extension Network.Status {
  init(_ core: sc_network_status) {
    state = State(core.state)
    failure = core.why == SC_OK ? nil : SessionError.Code(core.why)
    clockOffset = core.clock_is_known ? core.clock_offset : nil
    fork = core.fork_is_known ? Network.Fork(core.fork.0, core.fork.1) : nil
  }

  /// Before a network has started, and after it has stopped.
  static func idle(_ failure: sc_status, after status: Self? = nil) -> Self {
    Self(
      state: .offline, failure: SessionError.Code(failure), clockOffset: status?.clockOffset,
      fork: status?.fork)
  }
}

extension Network.Status.State: CoreEnum { typealias Core = sc_network_state }
extension Network.Category: CoreEnum { typealias Core = sc_network_category }
extension Network.Path.State: CoreEnum { typealias Core = sc_network_path_state }

extension Network.Path {
  init(_ core: sc_network_path) {
    id = core.id
    category = Network.Category(core.category)
    state = State(core.state)
    nodes = withUnsafeBytes(of: core.nodes) {
      $0.bindMemory(to: sc_node.self).prefix(Int(core.length)).map { ServiceNode($0) }
    }
    requests = Int(core.requests)
    strikes = Int(core.strikes)
  }

  /// All paths of a network.
  static func all(of network: OpaquePointer) -> [Network.Path] {
    let count = sc_network_paths(nil, 0, network)
    return [sc_network_path](unsafeUninitializedCapacity: count) { paths, filled in
      filled = min(count, sc_network_paths(paths.baseAddress, count, network))
    }.map { Network.Path($0) }
  }
}

extension Network.Counts {
  init(of network: OpaquePointer) {
    var core = sc_network_counts()
    sc_network_count(&core, network)
    nodes = core.nodes
    usableNodes = core.usable_nodes
    requests = core.requests
    queued = [.standard: core.queued.0, .file: core.queued.1]
    inFlight = core.in_flight
    connections = core.connections
    isRefreshingNodes = core.refreshing
    sent = core.sent
    succeeded = core.succeeded
    failed = core.failed
    retries = core.retries
    redirects = core.redirects
    batches = core.batches
    pathsBuilt = core.built_paths
    pathsRetired = core.retired_paths
    ignored = core.ignored
  }
}
