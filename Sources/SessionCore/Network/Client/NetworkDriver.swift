internal import CSessionCore
import SessionBase
import Synchronization

/// The core's network, and its thread.
///
/// Other threads pass work to that thread with `enqueue`, requests included, so that the host never refuses requests
/// or cancellations because it has too many commands.
// Sendable without the compiler's check. `queue`, `status`, `paths` and `isStarted` are Sendable. `loan` and `host`
// are set before the host's thread starts and never changed; any thread may use the host. `network` is used on that
// thread only, and by its creator before it starts. `deinit` comes last: the caller that stops the host holds a
// reference until its thread has ended.
final class NetworkDriver: @unchecked Sendable {
  typealias Work = @Sendable (NetworkDriver, _ network: OpaquePointer, _ now: UInt64) -> Void

  /// The most waiting work; beyond it new requests are refused.
  static let maxQueued = 65_536

  let status = Latest(Network.Status.idle(SC_ERR_NETWORK_SUSPENDED))
  let paths = Latest<[Network.Path]>([])

  private let queue = PostedWork<Work>()
  private let isStarted = Atomic(false)
  /// The memory that the network's options point to.
  private let loan = CoreArena()
  private var host: OpaquePointer?
  private var network: OpaquePointer?

  init(_ options: Network.Options) throws(SessionError) {
    var core = options.core(in: loan)
    core.events = sc_network_events(
      user: unowned,
      status: { user, status in
        guard let status else { return }
        NetworkDriver.from(user).status.set(Network.Status(status.pointee))
      },
      paths: { user in NetworkDriver.from(user).tell() },
      save: nil)
    var hosting = sc_network_host_options()
    if let address = options.address { hosting.address = address.core }
    hosting.folder = options.folder.flatMap { loan.path($0) }
    hosting.state_folder = options.stateFolder.flatMap { loan.path($0) }
    try Core.call { sc_network_host_new(&host, nil, &core, &hosting) }
  }

  deinit {
    sc_network_host_free(host)
  }

  func start(building: Bool) throws(SessionError) {
    try enqueue { driver, _, _ in driver.tell() }
    try Core.call { sc_network_host_start(host, building) }
    isStarted.store(true, ordering: .releasing)
  }

  /// Waits until the thread has ended; never called on it.
  func stop(grace: UInt64) {
    // It has stopped even if a peer could not be notified in time.
    _ = sc_network_host_stop(host, grace)
    status.finish(.idle(SC_ERR_RUNTIME_STOPPED, after: status.value))
    paths.finish([])
  }

  /// The network's time in milliseconds since 1970.
  var time: UInt64 {
    let time = Int64(clamping: sc_clock_wall_ms())
    return UInt64(max(1, time.addingReportingOverflow(status.value.clockOffset ?? 0).partialValue))
  }

  /// Publishes the current status and paths. Runs on the host's thread.
  func tell() {
    guard let network else { return }
    var core = sc_network_status()
    sc_network_inspect(&core, network)
    status.set(Network.Status(core))
    paths.set(Network.Path.all(of: network))
  }
}

// MARK: - Work on the host's thread

extension NetworkDriver {
  /// A pointer to this object for the core. The object outlives the core's use of it.
  private var unowned: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func from(_ user: UnsafeMutableRawPointer?) -> NetworkDriver {
    guard let user else { preconditionFailure("the core forgot whom it serves") }
    return Unmanaged<NetworkDriver>.fromOpaque(user).takeUnretainedValue()
  }

  /// Runs work on the host's thread, in order, exactly once, unless this throws: `runtimeStopped` after stopping has
  /// begun, `runtimeBusy` if more than `limit` waits.
  func enqueue(limit: Int = .max, _ work: @escaping Work) throws(SessionError) {
    let isAdded = try queue.add(work, limit: limit) { () throws(SessionError) in
      try SessionError.check(post())
    }
    if !isAdded { throw SessionError(SC_ERR_RUNTIME_BUSY) }
  }

  private func post() -> sc_status {
    let this = Unmanaged.passRetained(self)
    let status = sc_network_host_post(
      host,
      { user, network, now in
        guard let user, let network else { preconditionFailure("the host forgot whom it serves") }
        Unmanaged<NetworkDriver>.fromOpaque(user).takeRetainedValue().workOff(network, now)
      }, this.toOpaque())
    if status != SC_OK { this.release() }
    return status
  }

  private func workOff(_ network: OpaquePointer, _ now: UInt64) {
    self.network = network
    for work in queue.takeAll() { work(self, network, now) }
  }

  /// Returns the result of the body, run on the host's thread.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (_ network: OpaquePointer, _ now: UInt64) -> Value
  ) async throws(SessionError) -> Value {
    try requireStart()
    let pending = Pending<Result<Value, SessionError>>()
    return try await pending.outcome {
      do throws(SessionError) {
        try enqueue { _, network, now in pending.complete(.success(body(network, now))) }
      } catch {
        pending.complete(.failure(error))
      }
    } onCancel: {
      // It takes no longer than a cancellation would.
    }.get()
  }

  /// Changes the network on the host's thread, and publishes the change before this returns.
  func change(
    _ body: @escaping @Sendable (_ network: OpaquePointer, _ now: UInt64) -> Void
  ) async throws(SessionError) {
    try await perform { [self] network, now in
      body(network, now)
      tell()
    }
  }

  func requireStart() throws(SessionError) {
    guard isStarted.load(ordering: .acquiring) else { throw SessionError(SC_ERR_NETWORK_SUSPENDED) }
  }
}

extension CoreArena {
  /// A path with its terminator.
  fileprivate func path(_ text: String) -> UnsafePointer<CChar>? {
    UnsafeRawPointer(bytes(Array(text.utf8) + [0]).ptr)?.assumingMemoryBound(to: CChar.self)
  }
}
