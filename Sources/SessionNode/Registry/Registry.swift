import SessionBase
public import SessionCore
import SessionEndpoint
import SessionHTTP
import SessionNodeCore
public import SessionService

/// The server of an operator that says which nodes a network has.
///
/// Nodes whose keys the operator allows announce themselves; they are put into swarms, and into a list that the
/// operator's key signs. Nodes get the whole list as a network file, and clients what storage nodes
/// answer to the same questions, so that a registry is a seed like any other. Its address and the operator's key are all
/// that anybody has to know of the network.
public actor Registry {
  public struct Options: Sendable {
    public var folder: String
    /// The address to listen on.
    public var address: NetworkAddress
    /// A few words for people.
    public var name = "private network"
    /// The servers of the network, by name: see ``NetworkService/fileServer``.
    public var services: [String: NetworkService] = [:]
    public var rules = SwarmRules.usual
    /// How long a node may be silent before it is replaced in its swarm.
    public var nodeTimeout: Duration = .seconds(600)
    /// The silence after which a node counts towards a majority of silent nodes.
    public var silence: Duration = .seconds(30)
    /// How long a node may be silent before it is no longer listed.
    public var memory: Duration = .seconds(30 * 86_400)
    /// The interval of checks for silent nodes and changed permissions.
    public var interval: Duration = .seconds(5)
    /// The least time between two lists.
    public var listInterval: Duration = .seconds(5)
    /// The delay before an HTTPS port without a reply is called again.
    public var httpsRetryDelay: Duration = .seconds(60)
    /// The timeout of a call to a joining node.
    public var pingTimeout: Duration = .seconds(5)
    public var log = ServiceLog.silent
    /// Nanoseconds that never go back.
    public var clock: @Sendable () -> UInt64 = { MachineClock.nanoseconds }
    /// Milliseconds since 1970.
    public var wallClock: @Sendable () -> UInt64 = { MachineClock.wallMilliseconds }

    public init(folder: String, address: NetworkAddress) {
      self.folder = folder
      self.address = address
    }
  }

  struct Member {
    var record: NodeRecord
    /// When it last announced itself, or when this registry began; by the clock that never goes back.
    var heard: UInt64
    /// True if it has announced itself since this registry started.
    var isHeard = false
    var isLeaving = false
    /// The nodes that it cannot reach.
    var unreachable: Set<[UInt8]> = []
    /// The HTTPS port without a reply, and when it is called again.
    var mute: (port: UInt16, until: UInt64)?

    /// The duration of its silence.
    func silence(at now: UInt64) -> UInt64 { now - min(heard, now) }
  }

  /// Writes the list and reads the allowed nodes on its own thread.
  private nonisolated let executor = WorkerQueue("session.registry")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  public nonisolated let operatorKey: [UInt8]
  let options: Options
  let folder: RegistryFolder
  let limiter = RateLimiter()
  let keys: NodeKeys
  /// Nil once it has stopped.
  private var lock: FolderLock?
  /// The list as it is now.
  var file: NetworkFile
  /// When the list was last signed.
  var listed: UInt64?
  var members: [[UInt8]: Member] = [:]
  /// The times of the last announcements, including those of former members: milliseconds since 1970.
  var lastTimes: [[UInt8]: UInt64] = [:]
  var admission: Admission
  var refusals = Refusals()
  /// True if most nodes were silent at the last check.
  var isCutOff = false
  private(set) var endpoint: NetworkEndpoint?
  let web: HTTPClient
  private var looking: Task<Void, Never>?
  let began: UInt64

  /// Starts listening, with the stored list.
  public static func start(_ options: Options) async throws -> Registry {
    let registry = try await WorkerQueue("session.registry.opening").run { try Registry(options) }
    try await registry.listen()
    return registry
  }

  private init(_ options: Options) throws {
    self.options = options
    folder = RegistryFolder(path: options.folder)
    keys = try folder.prepare()
    lock = try folder.lock()
    operatorKey = keys.publicKey
    began = options.wallClock()
    var webOptions = HTTPClient.Options()
    webOptions.trust = .anyone
    web = try HTTPClient(options: webOptions)
    let known = try folder.readList(of: keys.publicKey)
    if let known, known.name == options.name, known.services == options.services {
      file = known
    } else {
      file = try NetworkFile(
        name: options.name, height: Self.height(after: known?.height ?? 0, at: began),
        nodes: known?.nodes ?? [], services: options.services, operatorKeys: keys)
      try folder.write(file)
    }
    // Listed nodes were allowed before.
    admission = Admission(folder.allowed, members: file.nodes.map(\.key), log: options.log)
    try admission.begin()
    let now = options.clock()
    for record in file.nodes { members[record.key] = Member(record: record, heard: now) }
  }

  private func listen() throws {
    var endpointOptions = NetworkEndpoint.Options(identity: keys.identity, handlers: handlers())
    endpointOptions.handshakeTimeout = options.pingTimeout
    let endpoint = try NetworkEndpoint(at: options.address, options: endpointOptions)
    self.endpoint = endpoint
    looking = Task { [weak self, interval = options.interval] in
      while await self?.look() != nil { try? await Task.sleep(for: interval) }
    }
    options.log(
      .info, "registry began",
      ["address": "\(endpoint.address)", "operator": operatorKey.hex, "height": "\(file.height)"])
  }

  /// The address where it listens; nil after it has stopped.
  public var address: NetworkAddress? { endpoint?.address }

  /// The list as it is now.
  public var list: NetworkFile { file }

  public func stop() async {
    looking?.cancel()
    await looking?.value
    let endpoint = endpoint
    self.endpoint = nil
    await endpoint?.stop()
    await web.stop()
    guard lock != nil else { return }
    lock = nil
    options.log(.info, "registry ended", ["height": "\(file.height)"])
  }
}

extension NetworkRefusal {
  static func registry(_ code: UInt16, _ why: String) -> NetworkRefusal {
    NetworkRefusal(code, "Refused", details: why)
  }
}
