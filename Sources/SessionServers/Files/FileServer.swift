import SessionBase
public import SessionCore
import SessionHTTP
import SessionNodeCore
public import SessionService
import SessionStorage
import Synchronization

/// A file server: it keeps what clients have encrypted until its time is over, under a name that follows from the content.
///
/// It answers from when it is made until `stop()`, over plain HTTP and through the network. Its folder holds its key, the
/// files, and what is known of them; one process has it at a time.
public final class FileServer: Sendable {
  public struct Options: Sendable {
    /// The largest file that any client sends.
    public static let maxFileBytes = 10_000_000

    /// The folder of the key and the files.
    public var folder: String
    /// The address where it listens; port 0 lets the system choose.
    public var address: NetworkAddress
    /// Its URL for clients; derived from the address if nil. Begins with "http://" or "https://".
    public var url: String?
    /// Bytes of a file; those that are larger are refused.
    public var maxFileBytes = maxFileBytes
    /// Bytes of all files.
    public var maxBytes = 64 * 1024 * 1024 * 1024
    /// The lifetime of a file.
    public var lifetime: Duration = .seconds(21 * 86_400)
    /// The longest lifetime that a client may request; nil if clients cannot choose.
    public var maxLifetime: Duration?
    /// The interval of deleting expired files.
    public var sweepInterval: Duration = .seconds(60)
    /// Bytes that requests may take at a time; those beyond wait.
    public var memory = 256 * 1024 * 1024
    /// The address for Prometheus metrics; nil for none.
    public var metricsAddress: NetworkAddress?
    public var log = ServiceLog.silent
    /// Milliseconds since 1970.
    public var wallClock: @Sendable () -> UInt64 = { MachineClock.wallMilliseconds }

    public init(folder: String, address: NetworkAddress) {
      self.folder = folder
      self.address = address
    }
  }

  let options: Options
  let store: FileStore
  let versions: VersionNotices
  private let keys: NodeKeys
  private let began: UInt64
  private let state: Mutex<State>

  private struct State {
    var server: OnionHTTPServer?
    /// Its URL and key for clients, also after it has stopped.
    var service: NetworkService?
    var metrics: MetricsServer?
    var sweeping: Task<Void, Never>?
    /// Nil once it has ended.
    var lock: FolderLock?
  }

  /// Starts listening. Throws `ServiceFailure.folderInUse` if another server uses the folder,
  /// `HTTPError.addressInUse`, and a `SessionError` for an invalid URL.
  public init(_ options: Options) throws {
    self.options = options
    let folder = FileServerFolder(path: options.folder)
    let lock = try folder.lock()
    keys = try folder.key.keys()
    do {
      store = try FileStore(
        folder: options.folder, key: DatabaseKey(keys.secret(named: "data of a file server")),
        maxBytes: options.maxBytes)
    } catch let error as StorageError where error.isDamage {
      throw ServiceFailure.damagedFiles(error.message)
    }
    versions = VersionNotices(folder: folder.versions)
    began = options.wallClock()
    state = Mutex(State(lock: lock))
    do {
      try listen()
    } catch {
      // Nothing but the listening has begun, which ends with the last reference.
      try? store.close()
      throw error
    }
    tellBeginning()
  }

  /// Creates the folder of a file server, with a new key if there is none; returns the public key.
  public static func prepare(folder: String) throws -> [UInt8] {
    try FolderLock.prepare(folder)
    return try FileServerFolder(path: folder).key.keys().publicKey
  }

  private func listen() throws {
    var serverOptions = OnionHTTPServer.Options()
    // The way of old clients makes four bytes of three.
    serverOptions.maxBody = options.maxFileBytes / 3 * 4 + 64 * 1024
    serverOptions.memory = options.memory
    serverOptions.wallClock = options.wallClock
    let server = try OnionHTTPServer(
      at: options.address, keys: keys, routes: routes(), options: serverOptions)
    let service = try NetworkService(url: options.url ?? "http://\(server.address)", key: keys.publicKey)
    state.withLock { ($0.server, $0.service) = (server, service) }
    if let address = options.metricsAddress {
      let metrics = try MetricsServer(at: address) { [weak self] in await self?.metricsText() }
      state.withLock { $0.metrics = metrics }
      options.log(.info, "telling measurements", ["address": "\(metrics.address)"])
    }
    let sweeping = Task { [weak self, interval = options.sweepInterval] in
      while await self?.sweep() != nil { try? await Task.sleep(for: interval) }
    }
    state.withLock { $0.sweeping = sweeping }
  }

  private func tellBeginning() {
    let findings = store.findings
    if findings.lost > 0 {
      options.log(.error, "the content of files is lost", ["files": "\(findings.lost)"])
    }
    if findings.orphans > 0 {
      options.log(.info, "removed incomplete files", ["files": "\(findings.orphans)"])
    }
    options.log(.info, "file server began", ["key": key.hex, "url": service.url, "folder": options.folder])
  }

  /// The Ed25519 key that clients know it by.
  public var key: [UInt8] { keys.publicKey }

  /// The X25519 form of the key, which requests are sealed for.
  public var exchangeKey: [UInt8] { keys.exchangeKey }

  /// The address where it listens; nil after it has stopped.
  public var address: NetworkAddress? { server?.address }

  /// Its URL and key for clients.
  public var service: NetworkService {
    guard let service = state.withLock(\.service) else { preconditionFailure("the server has not begun") }
    return service
  }

  var server: OnionHTTPServer? { state.withLock { $0.server } }

  /// Finishes requests in progress within the grace period, and stops.
  public func stop(grace: Duration = .seconds(5)) async {
    let (server, metrics, sweeping) = state.withLock { state in
      defer { (state.server, state.metrics, state.sweeping) = (nil, nil, nil) }
      return (state.server, state.metrics, state.sweeping)
    }
    guard let server else { return }
    sweeping?.cancel()
    await server.stop(grace: grace)
    await metrics?.stop()
    await sweeping?.value
    // Acknowledged files are on the disk already.
    await WorkerQueue("session.files.closing").run { [store] in try? store.close() }
    state.withLock { $0.lock = nil }
    options.log(.info, "file server ended")
  }

  /// Nil once the task is to end.
  private func sweep() async -> Void? {
    guard !Task.isCancelled else { return nil }
    do {
      let count = try await store.sweep(now: options.wallClock())
      if count > 0 { options.log(.debug, "removed expired files", ["files": "\(count)"]) }
    } catch {
      options.log(.warning, "expired files could not be removed", ["reason": "\(error)"])
    }
    return ()
  }

  /// The state of the server.
  public func status() async -> FileServerStatus {
    // If the store cannot be read, report zero.
    let totals = (try? await store.totals()) ?? (files: 0, bytes: 0)
    let now = options.wallClock()
    return FileServerStatus(
      key: key.hex, url: service.url, address: address.map { "\($0)" } ?? "", files: totals.files,
      bytes: totals.bytes, maxBytes: options.maxBytes, requests: server?.answerCount ?? 0,
      memory: MemoryUse.now, uptimeSeconds: Int((max(now, began) - began) / 1000))
  }
}

/// The folder of a file server.
struct FileServerFolder: Sendable {
  let path: String

  var key: SeedFile { SeedFile(path: path + "/key") }
  var control: String { path + "/control" }
  var versions: String { path + "/versions" }

  /// Creates the folder if necessary, and locks it for one process.
  func lock() throws -> FolderLock {
    try FolderLock.prepare(path)
    return try FolderLock.take(path, purpose: "session server file")
  }
}
