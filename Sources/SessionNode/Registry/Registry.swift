public import SessionCore

/// The server of an operator that says which nodes a network has.
///
/// Nodes whose keys the operator allows announce themselves; they are put into swarms, and into a list that the
/// operator's key signs. Whoever asks gets the list: nodes all of it, as a network file, and clients what storage nodes
/// answer to the same questions, so that a registry is a seed like any other. Its address and the operator's key are all
/// that anybody has to know of the network.
public actor Registry {
  public struct Options: Sendable {
    public var folder: String
    /// Where it listens.
    public var address: NetworkAddress
    /// A few words for people.
    public var name = "private network"
    public var rules = SwarmRules.usual
    /// How long a node may be silent before others take its place in its swarm.
    public var patience: Duration = .seconds(600)
    /// How long a node may be silent before it is not listed any more.
    public var memory: Duration = .seconds(30 * 86_400)
    /// How often it looks who has fallen silent, and whom the operator allows.
    public var interval: Duration = .seconds(5)
    /// How long a node that joins may take to answer.
    public var pingTimeout: Duration = .seconds(5)
    public var log = NodeLog.silent
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
    /// When it last announced itself, by the clock that never goes back.
    var heard: UInt64
    /// When it began: milliseconds since 1970; 0 when it has not said since this registry began.
    var since: UInt64 = 0
    var isLeaving = false
    /// Whom it does not reach.
    var unreachable: Set<[UInt8]> = []
  }

  public nonisolated let operatorKey: [UInt8]
  let options: Options
  let folder: RegistryFolder
  let limiter = RateLimiter()
  private let keys: NodeKeys
  /// Nil once it has stopped.
  private var lock: FolderLock?
  /// The list as it is now.
  private(set) var file: NetworkFile
  private(set) var members: [[UInt8]: Member] = [:]
  private(set) var allowed: Set<[UInt8]>
  private var endpoint: NetworkEndpoint?
  private var looking: Task<Void, Never>?
  private let began: UInt64

  /// Begins to listen, with the list of the last time.
  public static func start(_ options: Options) async throws -> Registry {
    let registry = try Registry(options)
    try await registry.listen()
    return registry
  }

  private init(_ options: Options) throws {
    self.options = options
    folder = RegistryFolder(path: options.folder)
    keys = try folder.prepare()
    lock = try folder.lock()
    operatorKey = keys.publicKey
    allowed = try folder.allowed.keys()
    began = options.wallClock()
    if let known = try folder.readList(of: keys.publicKey) {
      file = known
    } else {
      file = try NetworkFile(
        name: options.name, height: Self.height(after: 0, at: began), nodes: [], operatorKeys: keys)
      try folder.write(file)
    }
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

  /// Where it listens; nil once it has stopped.
  public var address: NetworkAddress? { endpoint?.address }

  /// The list as it is now.
  public var list: NetworkFile { file }

  public func stop() async {
    looking?.cancel()
    await looking?.value
    let endpoint = endpoint
    self.endpoint = nil
    await endpoint?.stop()
    guard lock != nil else { return }
    lock = nil
    options.log(.info, "registry ended", ["height": "\(file.height)"])
  }
}

// MARK: - Members

extension Registry {
  /// Hears what a node says of itself; returns the list where the node does not have it.
  func hear(_ announcement: NodeAnnouncement, from key: [UInt8]) async throws(NetworkRefusal) -> [UInt8] {
    guard announcement.key == key else { throw .registry(403, "somebody else's announcement") }
    guard mayJoin(key) else {
      options.log(.warning, "refused a node that is not allowed", ["key": key.hex])
      throw .registry(403, "the operator has not allowed this node")
    }
    let now = options.wallClock()
    guard max(now, announcement.time) - min(now, announcement.time) <= NodeAnnouncement.slack else {
      throw .registry(406, "clocks differ: here it is \(now) ms since 1970")
    }
    guard announcement.state != .gone else {
      dismiss(key, "node left")
      return []
    }
    if needsProof(announcement) { try await prove(announcement) }
    let known = members[key]?.record
    let record: NodeRecord
    do throws(SessionError) {
      record = try NodeRecord(
        key: key, address: announcement.address, httpsPort: announcement.httpsPort,
        version: announcement.version, swarm: known?.swarm ?? NodeRecord.noSwarm)
    } catch {
      throw .registry(400, error.message)
    }
    members[key] = Member(
      record: record, heard: options.clock(), since: announcement.since,
      isLeaving: announcement.state == .leaving, unreachable: Set(announcement.unreachable))
    if known == nil {
      options.log(.info, "node joined", ["key": key.hex, "address": "\(announcement.address)"])
    }
    revise()
    return announcement.height < file.height ? file.text : []
  }

  private func mayJoin(_ key: [UInt8]) -> Bool {
    if allowed.contains(key) { return true }
    readAllowed()
    return allowed.contains(key)
  }

  private func readAllowed() {
    do {
      allowed = try folder.allowed.keys()
    } catch {
      // Nobody is let in or thrown out because of a slip of the pen.
      options.log(.error, "the list of allowed nodes cannot be read", ["reason": "\(error)"])
    }
  }

  /// Whether it has to be found out that the node is where it says.
  private func needsProof(_ announcement: NodeAnnouncement) -> Bool {
    guard let known = members[announcement.key] else { return true }
    return known.record.address != announcement.address
  }

  /// Calls the node where it says that it is.
  private func prove(_ announcement: NodeAnnouncement) async throws(NetworkRefusal) {
    let holder = members.values.first {
      $0.record.key != announcement.key && $0.record.address == announcement.address
    }
    guard holder == nil else { throw .registry(409, "another node has the address \(announcement.address)") }
    let reply: [UInt8]
    do {
      let peer = try NetworkPeer(address: announcement.address, key: announcement.key)
      guard let endpoint else { throw NodeFailure.overloaded }
      reply = try await endpoint.request("snode_ping", to: peer, timeout: options.pingTimeout)
    } catch {
      options.log(
        .warning, "a node cannot be reached where it says",
        ["key": announcement.key.hex, "address": "\(announcement.address)"])
      throw .registry(502, "no answer from \(announcement.address): the registry must be able to call it")
    }
    guard reply == Array("pong".utf8) else { throw .registry(502, "an odd answer from the node") }
  }

  private func dismiss(_ key: [UInt8], _ what: String) {
    guard members.removeValue(forKey: key) != nil else { return }
    options.log(.info, what, ["key": key.hex])
    revise()
  }

  /// Looks who has fallen silent, and whom the operator allows. Nil once the task is to end.
  func look() -> Void? {
    guard !Task.isCancelled else { return nil }
    readAllowed()
    let now = options.clock()
    for (key, member) in members {
      if !allowed.contains(key) {
        dismiss(key, "node is not allowed any more")
      } else if now - member.heard > options.memory.clockTicks {
        dismiss(key, "node was silent for too long")
      }
    }
    revise()
    return ()
  }
}

// MARK: - The list

extension Registry {
  /// The nodes that take no part in a swarm now.
  private func absent() -> Set<[UInt8]> {
    let now = options.clock()
    let serving = members.values.filter { $0.record.swarm != NodeRecord.noSwarm && !$0.isLeaving }
    var absent = Set(
      members.values.filter { now - $0.heard > options.patience.clockTicks }.map(\.record.key))
    let present = members.values.filter { !absent.contains($0.record.key) }
    for member in members.values {
      let witnesses = present.filter { $0.unreachable.contains(member.record.key) }.count
      if witnesses >= 2, witnesses * 2 > present.count { absent.insert(member.record.key) }
    }
    let lost = serving.filter { absent.contains($0.record.key) }
    guard lost.count * 2 > serving.count else { return absent }
    // It is rather the registry that is cut off. Whoever served goes on.
    options.log(.warning, "most nodes are silent", ["silent": "\(lost.count)", "of": "\(serving.count)"])
    return absent.subtracting(serving.map(\.record.key))
  }

  /// Divides the nodes into swarms, and signs a new list where that makes another.
  private func revise() {
    let absent = absent()
    let ordered = members.values.sorted { $0.record.key.lexicographicallyPrecedes($1.record.key) }
    let serving = ordered.filter { !$0.isLeaving && !absent.contains($0.record.key) }
    let swarms = options.rules.assign(
      serving.map { ($0.record.key, $0.record.swarm == NodeRecord.noSwarm ? nil : $0.record.swarm) })
    for key in members.keys { members[key]?.record.swarm = swarms[key] ?? NodeRecord.noSwarm }
    let nodes = members.values.map(\.record).sorted { $0.key.lexicographicallyPrecedes($1.key) }
    guard nodes != file.nodes else { return }
    do {
      let next = try NetworkFile(
        name: options.name, height: Self.height(after: file.height, at: options.wallClock()), nodes: nodes,
        operatorKeys: keys)
      try folder.write(next)
      file = next
      options.log(
        .info, "new list",
        ["height": "\(next.height)", "nodes": "\(nodes.count)", "swarms": "\(Set(swarms.values).count)"])
    } catch {
      // The next look tries again.
      options.log(.error, "the list cannot be written", ["reason": "\(error)"])
    }
  }

  /// Seconds since 1970, so that the numbers go on also where a folder was lost; one more than the last at least.
  private static func height(after last: UInt64, at wall: UInt64) -> UInt64 { max(last + 1, wall / 1000) }

  /// How everything is.
  public func status() -> RegistryStatus {
    let (now, absent) = (options.clock(), absent())
    let nodes = file.nodes.compactMap { record in
      members[record.key].map { member in
        RegistryStatus.Node(
          key: record.key.hex, address: "\(record.address)", swarm: record.swarm,
          state: member.isLeaving ? .leaving : absent.contains(record.key) ? .absent : .serving,
          silentSeconds: Int((now - member.heard) / 1_000_000_000),
          reportedBy: members.values.filter { $0.unreachable.contains(record.key) }.count)
      }
    }
    return RegistryStatus(
      name: options.name, operatorKey: operatorKey.hex, address: address.map { "\($0)" } ?? "",
      networkFile: folder.networkFile, height: file.height, allowed: allowed.count,
      uptimeSeconds: Int((max(options.wallClock(), began) - began) / 1000), nodes: nodes)
  }
}

extension NetworkRefusal {
  static func registry(_ code: UInt16, _ why: String) -> NetworkRefusal {
    NetworkRefusal(code, "Refused", details: why)
  }
}

extension Duration {
  /// Whole nanoseconds of a duration that is not negative.
  var clockTicks: UInt64 {
    UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
  }
}
