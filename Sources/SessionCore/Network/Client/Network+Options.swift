internal import CSessionCore
import SessionBase

extension Network {
  /// Which network it is.
  public enum Kind: UInt32, Sendable, CaseIterable {
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
    /// Paths for files that are kept ready; with 0 they are built when a file needs one.
    public var filePaths: Int
    /// One path for everything.
    public var hasSinglePath: Bool
    /// How long the handshake with a first hop may take.
    public var edgeTimeout: Duration

    /// How long an attempt of a request may take, from when it leaves.
    public var requestTimeout: Duration
    /// The same of what the network asks for itself.
    public var probeTimeout: Duration
    /// Requests of one account that come so close together may leave as one batch; nil: none do.
    public var gather: Duration?

    /// Requests that may be there at once, and all of what they ask, in bytes.
    public var mostRequests, mostBytes: Int

    /// What official clients use of such a network.
    public init(_ kind: Kind, seeds: [ServiceNode] = []) {
      var core = sc_network_options()
      sc_network_options_default(&core, kind.core)
      self.kind = kind
      self.seeds = seeds
      pathLength = Int(core.path_length)
      filePaths = Int(core.paths.1)
      hasSinglePath = core.single_path
      edgeTimeout = .nanoseconds(core.edge_timeout)
      requestTimeout = .nanoseconds(core.request_timeout)
      probeTimeout = .nanoseconds(core.probe_timeout)
      gather = Duration(optionalNanoseconds: core.gather)
      mostRequests = Int(core.most_requests)
      mostBytes = core.most_bytes
    }

    /// A network described by a file, whose first nodes are the seeds. In a small network paths are shortened, so that the
    /// destination is not on its own path.
    public init(_ file: NetworkFile, kind: Kind = .private) {
      self.init(kind, seeds: file.nodes.prefix(Int(SC_NODE_MAX_SEEDS)).map { ServiceNode($0) })
      if kind == .private { pathLength = min(pathLength, max(1, file.nodes.count - 1)) }
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
}

// MARK: - To the core

extension Network.Kind: CoreEnum { typealias Core = sc_network_kind }

extension Network.Options {
  /// The options as the core has them; what they point at is in the loan.
  func core(in loan: CoreArena) -> sc_network_options {
    var core = sc_network_options()
    sc_network_options_default(&core, kind.core)
    core.nodes.seeds = loan.list(seeds.map(\.core))
    core.nodes.seed_count = seeds.count
    if let fallback {
      core.nodes.fallback = loan.bytes(fallback.list)
      core.nodes.fallback_time = fallback.madeAt.milliseconds
    }
    core.path_length = UInt32(clamping: pathLength)
    core.paths.1 = UInt32(clamping: filePaths)
    core.single_path = hasSinglePath
    core.edge_timeout = edgeTimeout.nanoseconds
    core.request_timeout = requestTimeout.nanoseconds
    core.probe_timeout = probeTimeout.nanoseconds
    core.gather = gather?.nanoseconds ?? 0
    core.most_requests = UInt32(clamping: mostRequests)
    core.most_bytes = max(0, mostBytes)
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
