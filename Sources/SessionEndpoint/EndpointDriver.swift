internal import CSessionCore
import SessionBase
import SessionCore

/// The core's endpoint, its connection pool, and the runtime whose thread they run on.
///
/// Other threads pass work to that thread with `enqueue`.
// Sendable without the compiler's check. `queue` is Sendable. `runtime`, `endpoint`, `pool` and `guest` are set
// before the runtime's thread starts and never changed; any thread may use the runtime. `openCalls`, `handling` and
// `guests`, and the state of the endpoint and the pool, are used on that thread only; before it starts and after it
// has ended, by the holder of the driver. `deinit` comes last: the caller that stops the runtime holds a reference
// until it has ended.
final class EndpointDriver: @unchecked Sendable {
  typealias Work = @Sendable (EndpointDriver, _ now: UInt64) -> Void

  static let maxEvents = 1024
  /// The most requests of peers handled at a time.
  static let maxHandling = 1024
  /// The most waiting work; beyond it new requests are refused.
  static let maxQueued = 65_536

  private let queue = PostedWork<Work>()
  private var runtime: OpaquePointer?
  private(set) var endpoint: OpaquePointer?
  private(set) var pool: OpaquePointer?
  private var guest: OpaquePointer?
  private var weather: OpaquePointer?
  private var openCalls = 0

  let handlers: [String: NetworkEndpoint.Handler]
  let reporting: AsyncStream<NetworkEndpoint.Event>.Continuation
  /// The tasks of handlers and their connections, by request.
  var handling: [sc_quic_request: (connection: sc_quic_connection, task: Task<Void, Never>)] = [:]
  /// The connected peers, by connection.
  var guests: [sc_quic_connection: (address: NetworkAddress, key: [UInt8]?)] = [:]

  init(
    handlers: [String: NetworkEndpoint.Handler], reporting: AsyncStream<NetworkEndpoint.Event>.Continuation
  ) {
    self.handlers = handlers
    self.reporting = reporting
  }

  deinit {
    sc_runtime_free(runtime)
    sc_weather_free(weather)
    sc_quic_pool_free(pool)
    sc_quic_endpoint_free(endpoint)
    reporting.finish()
  }
}

// MARK: - Opening and stopping

extension EndpointDriver {
  /// Creates everything except the thread, and returns the bound address.
  func open(
    at address: NetworkAddress, options: NetworkEndpoint.Options
  ) throws(SessionError) -> NetworkAddress {
    try Core.call { sc_runtime_new(&runtime, nil, nil) }
    try makeEndpoint(options)
    try makePool(options)
    if options.hasWeather {
      try Core.call { sc_weather_new(&weather, nil, sc_quic_driven(endpoint)) }
    }
    for name in handlers.keys { try handle(name) }
    return try makeGuest(at: address)
  }

  func start() throws(SessionError) {
    try Core.call { sc_runtime_start(runtime) }
  }

  /// Waits until the thread has ended; never called on it.
  func stop(grace: UInt64) {
    // It has stopped even if a peer could not be notified in time.
    _ = sc_runtime_stop(runtime, grace)
    // Release the port.
    sc_guest_free(guest)
    guest = nil
    reporting.finish()
  }

  private func makeEndpoint(_ options: NetworkEndpoint.Options) throws(SessionError) {
    var core = sc_quic_options()
    sc_quic_options_default(&core)
    core.handshake_timeout = options.handshakeTimeout.nanoseconds
    core.call_timeout = options.requestTimeout.nanoseconds
    core.accepts = options.acceptsPeers && !handlers.isEmpty
    core.accepted = acceptedEvents
    try options.protocolName.utf8.lend { (name) throws(SessionError) in
      core.protocol = name
      guard let identity = options.identity else {
        return try Core.call { sc_quic_endpoint_new(&endpoint, nil, &core) }
      }
      try identity.withPair { (pair) throws(SessionError) in
        core.identity = pair
        try Core.call { sc_quic_endpoint_new(&endpoint, nil, &core) }
      }
    }
  }

  private func makePool(_ options: NetworkEndpoint.Options) throws(SessionError) {
    var core = sc_quic_pool_options()
    sc_quic_pool_options_default(&core)
    core.handshake_timeout = options.handshakeTimeout.nanoseconds
    core.idle_close = options.idleClose.nanoseconds
    core.user = unowned
    core.opened = { user, node in
      guard let node else { return }
      EndpointDriver.from(user).reporting.yield(.connected(NetworkPeer(node.pointee)))
    }
    core.closed = { user, node, reason in
      guard let node else { return }
      let driver = EndpointDriver.from(user)
      driver.cancelAbandonedWork()
      driver.reporting.yield(.closed(NetworkPeer(node.pointee), reason: SessionError.Code(reason)))
    }
    try Core.call { sc_quic_pool_new(&pool, nil, endpoint, &core) }
  }

  func setWeather(_ weather: NetworkWeather) -> Result<Void, SessionError> {
    guard let handle = self.weather else { return .failure(SessionError(SC_ERR_STATE)) }
    let status = withUnsafePointer(to: weather.core) { sc_weather_set(handle, $0) }
    return Result { () throws(SessionError) in try SessionError.check(status) }
  }

  private func makeGuest(at address: NetworkAddress) throws(SessionError) -> NetworkAddress {
    var bound = address.core
    try withUnsafePointer(to: address.core) { (address) throws(SessionError) in
      var core = sc_guest_options()
      core.driven = weather.map { sc_weather_driven($0) } ?? sc_quic_driven(endpoint)
      core.addresses = address
      core.address_count = 1
      core.close = { user, now in EndpointDriver.from(user).close(now) }
      core.user = unowned
      try Core.call { sc_guest_new(&guest, runtime, &core) }
      try Core.call { sc_guest_address(&bound, guest, 0) }
    }
    return NetworkAddress(bound)
  }

  /// Cleans up when the runtime stops.
  private func close(_ now: UInt64) {
    for work in handling.values { work.task.cancel() }
    handling = [:]
    sc_quic_stop(endpoint, now)
  }
}

// MARK: - Work on the runtime's thread

extension EndpointDriver {
  /// A pointer to this object for the core. The object outlives the core's use of it.
  var unowned: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func from(_ user: UnsafeMutableRawPointer?) -> EndpointDriver {
    guard let user else { preconditionFailure("the core forgot whom it serves") }
    return Unmanaged<EndpointDriver>.fromOpaque(user).takeUnretainedValue()
  }

  /// Runs work on the runtime's thread, in order, exactly once, unless this throws: `runtimeStopped` after stopping
  /// has begun, `runtimeBusy` if more than `limit` waits.
  func enqueue(limit: Int = .max, _ work: @escaping Work) throws(SessionError) {
    let isAdded = try queue.add(work, limit: limit) { () throws(SessionError) in
      try SessionError.check(post())
    }
    if !isAdded { throw SessionError(SC_ERR_RUNTIME_BUSY) }
  }

  private func post() -> sc_status {
    let this = Unmanaged.passRetained(self)
    let status = sc_runtime_post(
      runtime,
      { user, now in
        guard let user else { preconditionFailure("the runtime forgot whom it serves") }
        Unmanaged<EndpointDriver>.fromOpaque(user).takeRetainedValue().workOff(now)
      }, this.toOpaque())
    if status != SC_OK { this.release() }
    return status
  }

  private func workOff(_ now: UInt64) {
    for work in queue.takeAll() { work(self, now) }
  }
}

// MARK: - Calls

extension EndpointDriver {
  /// The reference that the core holds until the call has ended.
  private final class SentCall {
    let call: OutgoingCall
    let driver: EndpointDriver

    init(call: OutgoingCall, driver: EndpointDriver) {
      self.call = call
      self.driver = driver
    }
  }

  /// Sends the call, or completes it with the reason why that failed.
  func begin(_ call: OutgoingCall) {
    do throws(SessionError) {
      try enqueue(limit: Self.maxQueued) { driver, now in driver.send(call, now) }
    } catch {
      call.pending.complete(.failure(error))
    }
  }

  func cancel(_ call: OutgoingCall) {
    call.pending.cancel()
    // If no more work is accepted, stopping ends the call.
    try? enqueue { driver, _ in
      guard let number = call.pending.number else { return }
      // Not found means that it was completed.
      _ = sc_quic_cancel(driver.endpoint, number)
    }
  }

  private func send(_ call: OutgoingCall, _ now: UInt64) {
    guard !call.pending.isCancelled else {
      return call.pending.complete(.failure(SessionError(SC_ERR_REQUEST_CANCELLED)))
    }
    let sent = Unmanaged.passRetained(SentCall(call: call, driver: self))
    var number: sc_quic_call = 0
    do throws(SessionError) {
      try call.command.utf8.lend { (name) throws(SessionError) in
        try call.body.lend { (body) throws(SessionError) in
          let command = sc_quic_command(
            name: name, body: body, lender: sc_quic_lender(), timeout: call.timeout, stream: 0,
            done: { user, _, result in
              guard let user, let result else { preconditionFailure("a call without an owner") }
              let sent = Unmanaged<SentCall>.fromOpaque(user).takeRetainedValue()
              sent.driver.openCalls -= 1
              sent.call.pending.complete(OutgoingCall.Outcome(result.pointee))
            }, user: sent.toOpaque())
          let status = withUnsafePointer(to: command) { command in
            withUnsafePointer(to: call.peer.node) { sc_quic_pool_send(&number, pool, now, $0, command) }
          }
          try SessionError.check(status)
        }
      }
      openCalls += 1
      call.pending.began(as: number)
    } catch {
      sent.release()
      call.pending.complete(.failure(error))
    }
  }

  var counts: NetworkEndpoint.Counts {
    var quic = sc_quic_counts()
    sc_quic_endpoint_count(&quic, endpoint)
    var runtimeCounts = sc_runtime_counts()
    sc_runtime_read_counts(&runtimeCounts, runtime)
    return NetworkEndpoint.Counts(
      connections: Int(quic.connections), connectionsAccepted: quic.accepted, connectionsMade: quic.made,
      openRequests: openCalls, handling: handling.count, datagramsSent: runtimeCounts.sent,
      datagramsReceived: runtimeCounts.received)
  }
}
