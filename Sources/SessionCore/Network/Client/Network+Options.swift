internal import CSessionCore
import SessionBase

extension Network {
  /// The kind of network.
  public enum Kind: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_network_kind
    case main
    case test
    /// A private network, whose nodes may be on this machine.
    case `private`

    /// The built-in nodes to start from, which only the main network has.
    public var seeds: [ServiceNode] {
      var count = 0
      let first = sc_seeds(&count, core)
      return UnsafeBufferPointer(start: first, count: count).map { ServiceNode($0) }
    }
  }

  /// How to reach a network, and how the client behaves. The defaults are those of official clients.
  public struct Options: Sendable {
    public let kind: Kind
    /// The nodes to start from; if empty, the built-in ones, which only the main network has.
    public var seeds: [ServiceNode]
    /// A list of nodes shipped with the program, used when no seed replies.
    public var fallback: Fallback?
    /// An existing folder for data about the network; nil to store nothing.
    public var folder: String?
    /// An existing folder for the guards, which must outlive caches and is shared by all programs in this network;
    /// nil for the other folder.
    public var stateFolder: String?
    /// The local address to send from; nil for any.
    public var address: NetworkAddress?

    /// The number of hops in a path, 1 to 8.
    public var pathLength: Int
    /// The timeout of the handshake with a first hop.
    public var guardTimeout: Duration

    /// The timeout of each attempt of a request, from when it is sent.
    public var requestTimeout: Duration
    /// The timeout of the network's own requests.
    public var probeTimeout: Duration
    /// Requests of one account within this time may be sent as one batch; nil to send none as a batch.
    public var gather: Duration?

    /// The most open requests, and the most bytes in all of them.
    public var maxRequests, maxBytes: Int

    /// The settings of official clients for this kind of network.
    public init(_ kind: Kind, seeds: [ServiceNode] = []) {
      var core = sc_network_options()
      sc_network_options_default(&core, kind.core)
      self.kind = kind
      self.seeds = seeds
      pathLength = Int(core.path_length)
      guardTimeout = .nanoseconds(core.guard_timeout)
      requestTimeout = .nanoseconds(core.request_timeout)
      probeTimeout = .nanoseconds(core.probe_timeout)
      gather = core.gather > 0 ? .nanoseconds(core.gather) : nil
      maxRequests = Int(core.max_requests)
      maxBytes = core.max_bytes
    }

    /// A network described by a file, whose first nodes are the seeds. In a small network paths are shortened, so
    /// that the destination is not on its own path.
    public init(_ file: NetworkFile, kind: Kind = .private) {
      self.init(kind, seeds: file.nodes.prefix(Int(SC_NODE_MAX_SEEDS)).map { ServiceNode($0) })
      if kind == .private { pathLength = min(pathLength, max(1, file.nodes.count - 1)) }
    }
  }

  /// A list of nodes in the daemon's format.
  public struct Fallback: Sendable {
    public let list: [UInt8]
    public let madeAt: MessageTime

    public init(list: [UInt8], madeAt: MessageTime) {
      self.list = list
      self.madeAt = madeAt
    }
  }
}

extension Network.Options {
  /// The options in the core's form; the loan holds what they point to.
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
    core.guard_timeout = guardTimeout.nanoseconds
    core.request_timeout = requestTimeout.nanoseconds
    core.probe_timeout = probeTimeout.nanoseconds
    core.gather = gather?.nanoseconds ?? 0
    core.max_requests = UInt32(clamping: maxRequests)
    core.max_bytes = max(0, maxBytes)
    return core
  }
}
