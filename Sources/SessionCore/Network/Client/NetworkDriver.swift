internal import CSessionCore
import SessionBase
import Synchronization

/// The network of the core, and the thread that it lives on.
///
/// Other threads hand work to that thread through `enqueue`: also requests, so that neither they nor their
/// cancellations are refused because the host has too many commands.
// Sendable without the compiler's check. `queue`, `status`, `paths` and `isStarted` are Sendable. `loan` and `host` are
// set before the host's thread starts, and not after; the host may be used from any thread. `network` is touched on that
// thread alone, and by its starter before it starts. `deinit` comes after: the caller that stops the host holds a
// reference until its thread has ended.
final class NetworkDriver: @unchecked Sendable {
  typealias Work = @Sendable (NetworkDriver, _ network: OpaquePointer, _ now: UInt64) -> Void

  /// Work that waits for the thread, beyond which no new requests are taken.
  static let maxQueued = 65_536

  let status = Latest(Network.Status.idle(SC_ERR_NETWORK_SUSPENDED))
  let paths = Latest<[Network.Path]>([])

  private let queue = PostedWork<Work>()
  private let isStarted = Atomic(false)
  /// What the network's options point at.
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
    hosting.folder = options.folder.flatMap { folder in
      UnsafeRawPointer(loan.bytes(Array(folder.utf8) + [0]).ptr)?.assumingMemoryBound(to: CChar.self)
    }
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
    // It has stopped even when a peer could not be told in time.
    _ = sc_network_host_stop(host, grace)
    status.finish(.idle(SC_ERR_RUNTIME_STOPPED, after: status.value))
    paths.finish([])
  }

  /// Milliseconds since 1970 as the network has them.
  var time: UInt64 {
    let time = Int64(clamping: sc_clock_wall_ms())
    return UInt64(max(1, time.addingReportingOverflow(status.value.clockOffset ?? 0).partialValue))
  }

  /// Tells of status and paths as they are; on the host's thread.
  func tell() {
    guard let network else { return }
    var core = sc_network_status()
    sc_network_inspect(&core, network)
    status.set(Network.Status(core))
    paths.set(Network.Path.all(of: network))
  }
}

// MARK: - The way to the host's thread, and back

extension NetworkDriver {
  /// This object as the core keeps it. It outlives what keeps it there.
  private var unowned: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func from(_ user: UnsafeMutableRawPointer?) -> NetworkDriver {
    guard let user else { preconditionFailure("the core forgot whom it serves") }
    return Unmanaged<NetworkDriver>.fromOpaque(user).takeUnretainedValue()
  }

  /// Has work done on the host's thread, in order. It is done exactly once, unless this throws: `runtimeStopped` once
  /// stopping has begun, `runtimeBusy` when too much of `limit` waits.
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

  /// What the body finds out on the host's thread.
  func ask<Value: Sendable>(
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
      // It takes no longer than cancelling it would.
    }.get()
  }

  /// Has something done to the network on the host's thread, and told of before this returns.
  func change(
    _ body: @escaping @Sendable (_ network: OpaquePointer, _ now: UInt64) -> Void
  ) async throws(SessionError) {
    try await ask { [self] network, now in
      body(network, now)
      tell()
    }
  }

  func requireStart() throws(SessionError) {
    guard isStarted.load(ordering: .acquiring) else { throw SessionError(SC_ERR_NETWORK_SUSPENDED) }
  }
}
