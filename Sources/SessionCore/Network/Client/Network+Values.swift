internal import CSessionCore

extension Network {
  /// The state of a network.
  public struct Status: Hashable, Sendable {
    public enum State: UInt32, CoreEnum, Sendable, CaseIterable {
      typealias Core = sc_network_state
      case offline
      case connecting
      /// A guard is connected, so that there are paths for requests.
      case connected
    }

    public let state: State
    /// The reason why there is no connection, if something failed.
    public let failure: SessionError.Code?
    /// Milliseconds to add to this machine's clock, once nodes have reported the time.
    public let clockOffset: Int64?
    /// The newest fork of the network that a node has reported.
    public let fork: Fork?
  }

  /// A fork of the network, which determines the features of its nodes.
  public struct Fork: Hashable, Sendable {
    public let major, revision: UInt16

    public init(_ major: UInt16, _ revision: UInt16) {
      (self.major, self.revision) = (major, revision)
    }
  }

  /// Requests of different categories share no path, so that a large file delays no message.
  public enum Category: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_network_category
    case standard
    case file
  }

  /// A path through the network, for one account and one target.
  public struct Path: Hashable, Sendable, Identifiable {
    public enum State: UInt32, CoreEnum, Sendable, CaseIterable {
      typealias Core = sc_network_path_state
      case active
      /// It accepts no more requests, and closes with the last reply.
      case draining
    }

    /// The purpose of a path, besides the account.
    public enum Target: UInt32, CoreEnum, Sendable, CaseIterable {
      typealias Core = sc_network_target
      /// Lists of nodes, times, and requests about no account.
      case network
      /// The messages of one account or group.
      case swarm
      case server
      case file
    }

    public let id: UInt64
    /// The account that uses it; nil for none.
    public let account: LocalAccount?
    public let target: Target
    public let category: Category
    public let state: State
    /// The first hop first.
    public let nodes: [ServiceNode]
    /// The requests in flight.
    public let requests: Int
    /// The destinations that did not reply over it since one last did.
    public let failures: Int
  }

  /// One of the few nodes that may be the first hop of paths, and so know this machine's address.
  public struct Guard: Hashable, Sendable {
    public enum State: UInt32, CoreEnum, Sendable, CaseIterable {
      typealias Core = sc_network_guard_state
      case idle
      case connecting
      case connected
    }

    /// Its Ed25519 key, and the node itself if the last list of nodes has it.
    public let key: [UInt8]
    public let node: ServiceNode?
    public let state: State
    /// One of the three that are tried before all others.
    public let isPrimary: Bool
    /// New paths begin with it.
    public let isInUse: Bool
    /// It was put behind the others for some days.
    public let isSetBack: Bool
    /// When it became a guard, when a reply first came over it, and when it is replaced; in days since 1970.
    public let sampledDay, endDay: Int
    public let confirmedDay: Int?
  }

  /// A change among the guards and middles, the nodes that paths use again and again, and its reason.
  public struct Change: Hashable, Sendable, Identifiable {
    public let id: UInt64
    /// Milliseconds since 1970, by this machine's clock.
    public let time: UInt64
    /// In a word or two, such as "guard drawn" and "age".
    public let kind, reason: String
    /// The node's Ed25519 key.
    public let node: [UInt8]
  }

  /// Statistics of a network.
  public struct Counts: Sendable {
    private let core: sc_network_counts

    init(of network: OpaquePointer) {
      var core = sc_network_counts()
      sc_network_count(&core, network)
      self.core = core
    }

    /// The known nodes, and those of them that are not avoided because of failures.
    public var nodes: Int { core.nodes }
    public var usableNodes: Int { core.usable_nodes }
    /// Unfinished requests.
    public var requests: Int { core.requests }
    /// The unfinished requests that wait for a path, by category, and those in flight; a batch counts once.
    public var queued: [Category: Int] { [.standard: core.queued.0, .file: core.queued.1] }
    public var inFlight: Int { core.in_flight }
    public var connections: Int { core.connections }
    /// Attempts and results since the network was created.
    public var sent: UInt64 { core.sent }
    public var succeeded: UInt64 { core.succeeded }
    public var failed: UInt64 { core.failed }
    public var retries: UInt64 { core.retries }
    public var redirects: UInt64 { core.redirects }
    public var batches: UInt64 { core.batches }
    /// Replies without a waiting request, and replies that failed verification.
    public var ignored: UInt64 { core.ignored }
  }

  /// The destination of a storage request.
  public enum Destination: Hashable, Sendable {
    /// A node in the swarm of the account that the request is about.
    case swarm
    case node([UInt8])
    /// A random node, for requests about no account.
    case anyNode
  }

  /// How a request is sent.
  public struct Delivery: Hashable, Sendable {
    /// The account on whose behalf it is sent, which shares its paths with no other; nil for none.
    public var account: LocalAccount?
    public var category = Category.standard
    /// True if it is sent alongside large requests and does not wait for them.
    public var isSmall = false
    /// True if it is never batched with other requests.
    public var isAlone = false
    /// True if a user waits for the reply. A slow request is then sent again over another path, if that does no harm.
    public var isInteractive = false
    /// The timeout of each attempt, from when it is sent; nil for the network's default.
    public var timeout: Duration?
    /// The timeout of the whole request, waiting included; nil for none.
    public var overall: Duration?
    /// The most attempts; nil for the default of the destination.
    public var attempts: Int?

    public init(
      for account: LocalAccount? = nil, category: Category = .standard, isSmall: Bool = false,
      isAlone: Bool = false,
      isInteractive: Bool = false, timeout: Duration? = nil, overall: Duration? = nil, attempts: Int? = nil
    ) {
      self.account = account
      self.category = category
      self.isSmall = isSmall
      self.isAlone = isAlone
      self.isInteractive = isInteractive
      self.timeout = timeout
      self.overall = overall
      self.attempts = attempts
    }
  }

  /// The answer to a request.
  public struct Answer<Reply: Sendable>: Sendable {
    public let reply: Reply
    /// The node that replied. The order of messages is valid for that node only.
    public let node: ServiceNode
    public let attempts: Int
  }
}

extension Network.Status {
  init(_ core: sc_network_status) {
    state = State(core.state)
    failure = core.why == SC_OK ? nil : SessionError.Code(core.why)
    clockOffset = core.clock_is_known ? core.clock_offset : nil
    fork = core.fork_is_known ? Network.Fork(core.fork.0, core.fork.1) : nil
  }

  /// The status before a network has started, and after it has stopped.
  static func idle(_ failure: sc_status, after status: Self? = nil) -> Self {
    Self(
      state: .offline, failure: SessionError.Code(failure), clockOffset: status?.clockOffset,
      fork: status?.fork)
  }
}

extension Network.Path {
  init(_ core: sc_network_path) {
    id = core.id
    account = core.local_account == 0 ? nil : Network.LocalAccount(number: core.local_account)
    target = Target(core.target)
    category = Network.Category(core.category)
    state = State(core.state)
    nodes = withUnsafeBytes(of: core.nodes) {
      $0.bindMemory(to: sc_node.self).prefix(Int(core.length)).map { ServiceNode($0) }
    }
    requests = Int(core.requests)
    failures = Int(core.failures)
  }

  static func all(of network: OpaquePointer) -> [Network.Path] {
    let count = sc_network_paths(nil, 0, network)
    return [sc_network_path](unsafeUninitializedCapacity: count) { paths, filled in
      filled = min(count, sc_network_paths(paths.baseAddress, count, network))
    }.map { Network.Path($0) }
  }
}

extension Network.Guard {
  init(_ core: sc_network_guard) {
    key = array(core.node.key)
    node = core.is_listed ? ServiceNode(core.node) : nil
    state = State(core.state)
    isPrimary = core.is_primary
    isInUse = core.is_in_use
    isSetBack = core.is_set_back
    sampledDay = Int(core.sampled_day)
    endDay = Int(core.end_day)
    confirmedDay = core.confirmed_day == 0 ? nil : Int(core.confirmed_day)
  }

  /// All guards of a network, in the order in which they are used.
  static func all(of network: OpaquePointer) -> [Network.Guard] {
    let capacity = Int(SC_NETWORK_MAX_GUARDS)
    return [sc_network_guard](unsafeUninitializedCapacity: capacity) { guards, filled in
      filled = min(capacity, sc_network_guards(guards.baseAddress, capacity, network))
    }.map { Network.Guard($0) }
  }
}

extension Network.Change {
  static func all(of network: OpaquePointer) -> [Network.Change] {
    let capacity = Int(SC_NETWORK_MAX_CHANGES)
    return [sc_network_change](unsafeUninitializedCapacity: capacity) { changes, filled in
      filled = min(capacity, sc_network_changes(changes.baseAddress, capacity, network))
    }.map { core in
      Network.Change(
        id: core.number, time: core.time, kind: String(cString: sc_network_change_kind_name(core.kind)),
        reason: String(cString: sc_network_change_reason_name(core.reason)), node: array(core.node))
    }
  }
}
