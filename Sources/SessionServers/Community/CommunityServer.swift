import SessionBase
public import SessionCore
import SessionHTTP
import SessionNodeCore
import SessionService
public import SessionStorage
import Synchronization

/// A community server: rooms in which people read and write.
///
/// It answers from when it is made until `stop()`, over plain HTTP and through the network. Its folder holds its key and
/// the database; one process has it at a time.
public final class CommunityServer: Sendable {
  let options: Options
  let store: CommunityStore
  let rules: CommunityRules
  private let keys: ExchangeKeys
  private let began: UInt64
  private let state: Mutex<State>

  private struct State {
    var server: OnionHTTPServer?
    var metrics: MetricsServer?
    var upkeep: Task<Void, Never>?
    /// Wakes those who wait for news of rooms.
    var waking: Task<Void, Never>?
    /// Nil once it has ended.
    var lock: FolderLock?
  }

  /// Starts listening, with a folder that `prepare` has made. Throws `ServiceFailure.folderInUse` if another server uses the folder,
  /// `HTTPError.addressInUse`, and a `SessionError` for an invalid URL.
  public init(_ options: Options) throws {
    self.options = options
    let folder = CommunityFolder(path: options.folder)
    let lock = try folder.lock()
    keys = try folder.keys()
    store = try folder.store(keys, options)
    began = options.wallClock()
    let shelves = try CommunityShelves(
      of: folder, files: options.files, usesRows: options.storesFilesInRows, maxBytes: options.maxFileStore)
    let findings = try store.tidy(shelves)
    rules = CommunityRules(options, keys: keys, shelves: shelves)
    state = Mutex(State(lock: lock))
    do {
      try listen()
    } catch {
      // Nothing but the listening has begun, which ends with the last reference.
      try? store.close()
      throw error
    }
    tell(findings)
    options.log(.info, "community server began", ["key": key.hex, "url": url, "folder": options.folder])
  }

  /// Creates the folder of a community server, with a new key and a database if there are none; returns the public key.
  public static func prepare(folder: String, database: PostgreSQLAddress? = nil) throws -> [UInt8] {
    try FolderLock.prepare(folder)
    return try CommunityFolder(path: folder).prepare(at: database).publicKey
  }

  /// The public key of a folder that is there; no key is made.
  public static func key(of folder: String) throws -> [UInt8] {
    try CommunityFolder(path: folder).key.read().publicKey
  }

  private func tell(_ findings: CommunityStore.Findings) {
    if findings.lost > 0 {
      options.log(.error, "the content of files is lost", ["files": "\(findings.lost)"])
    }
    if findings.orphans > 0 {
      options.log(.info, "removed incomplete files", ["files": "\(findings.orphans)"])
    }
  }

  private func listen() throws {
    var serverOptions = OnionHTTPServer.Options()
    serverOptions.maxBody = Options.maxFileBytes
    serverOptions.memory = options.memory - rules.answers.bytes - store.memory.pageBytes
    serverOptions.maxConnections = options.maxConnections
    serverOptions.trustedPeers = options.trustedProxies
    // Phones may be slow; the time limit of a request still holds.
    serverOptions.slowest = 1024
    serverOptions.tls = options.tls
    serverOptions.wallClock = options.wallClock
    let metrics = ServerMetrics()
    let server = try OnionHTTPServer(
      at: options.addresses, keys: keys, answering: CommunityAnswering(store, rules, metrics),
      metrics: metrics, options: serverOptions)
    let scheme = options.tls == nil ? "http" : "https"
    rules.place.move(to: options.url ?? "\(scheme)://\(server.address)")
    _ = try NetworkService(url: url, exchangeKey: key)
    state.withLock { $0.server = server }
    if let address = options.metricsAddress {
      let metrics = try MetricsServer(at: address) { [weak self] in
        await self?.metricsText()
      } isHealthy: { [weak self] in
        await self?.isHealthy() ?? false
      }
      state.withLock { $0.metrics = metrics }
      options.log(.info, "telling measurements", ["address": "\(metrics.address)"])
    }
    let upkeep = Task { [weak self, interval = options.upkeepInterval] in
      while (try? await Task.sleep(for: interval)) != nil { await self?.settle() }
    }
    let waking = Task { [waits = rules.waits, rooms = store.observeRooms()] in
      for await changes in rooms { waits.note(changes) }
    }
    state.withLock { ($0.upkeep, $0.waking) = (upkeep, waking) }
  }

  /// The X25519 key that clients know it by.
  public var key: [UInt8] { keys.publicKey }

  /// Its URL for clients.
  public var url: String { rules.place.url }

  /// The address where it listens; nil after it has stopped.
  public var address: NetworkAddress? { server?.address }

  var server: OnionHTTPServer? { state.withLock { $0.server } }

  /// Finishes requests in progress within the grace period, and stops.
  public func stop(grace: Duration = .seconds(5)) async {
    let (server, metrics, upkeep, waking) = state.withLock { state in
      defer { (state.server, state.metrics, state.upkeep, state.waking) = (nil, nil, nil, nil) }
      return (state.server, state.metrics, state.upkeep, state.waking)
    }
    guard let server else { return }
    upkeep?.cancel()
    waking?.cancel()
    rules.waits.close()
    await server.stop(grace: grace)
    await metrics?.stop()
    await upkeep?.value
    await settle(isLast: true)
    await WorkerQueue("session.community.closing").run { [store] in try? store.close() }
    state.withLock { $0.lock = nil }
    options.log(.info, "community server ended")
  }

  /// Writes what is in memory, and removes what is over.
  private func settle(isLast: Bool = false) async {
    await store.tidy(rules, isLast: isLast, now: Int64(clamping: options.wallClock()))
  }

  /// True if the server can answer requests: its rows can be read.
  public func isHealthy() async -> Bool {
    (try? await store.read { try $0.value("SELECT count(*) FROM meta") as Int? }) != nil
  }

  /// The state of the server.
  public func status() async -> CommunityStatus {
    // If the store cannot be read, report zero.
    let counts = (try? await store.counts()) ?? CommunityCounts()
    let now = options.wallClock()
    return CommunityStatus(
      key: key.hex, url: url, addresses: server?.addresses.map { "\($0)" } ?? [], rooms: counts.rooms,
      persons: counts.persons, messages: counts.messages, fileBytes: rules.shelves.bytes,
      maxFileBytes: options.maxFileStore, requests: server?.answerCount ?? 0,
      memory: MemoryUse.now, uptimeSeconds: Int((max(now, began) - began) / 1000))
  }
}
