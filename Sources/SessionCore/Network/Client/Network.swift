internal import CSessionCore
import SessionBase

/// A client of the network: it finds nodes, maintains onion paths to them, and sends requests over those to storage
/// nodes and servers.
///
/// It runs on its own thread from `start()` to `stop()`, or until the last reference goes. Any task may use it. It
/// saves data about the network in files, if it has a folder for them.
public actor Network {
  /// How long `stop()` waits for the last packets to be sent, in nanoseconds.
  private static let grace: UInt64 = 1_000_000_000

  public nonisolated let kind: Kind
  private let driver: NetworkDriver
  private var stopping: Task<Void, Never>?

  /// Opens a socket and reads the saved files; nothing is sent before `start()`.
  ///
  /// Throws `argument` for options that contradict each other, `noSeeds` if no node is known, and the reason why the
  /// socket cannot be opened.
  public init(_ options: Options) throws(SessionError) {
    kind = options.kind
    driver = try NetworkDriver(options)
  }

  deinit {
    // Stopping waits for the network's thread, which may be the one that released the last reference.
    WorkerQueue("session.network.stop").post { [driver] in driver.stop(grace: 0) }
  }
}

// MARK: - Life cycle

extension Network {
  /// Starts the network. Call once. With `building`, guards are connected at once and not on the first request.
  public func start(building: Bool = true) throws(SessionError) {
    try driver.start(building: building)
  }

  /// Ends every request with `networkSuspended`, closes all connections, writes the files, and returns when the
  /// network's thread has ended. The streams end.
  public func stop() async {
    let task =
      stopping
      ?? Task { [driver] in
        await WorkerQueue("session.network.stop").run { driver.stop(grace: Self.grace) }
      }
    stopping = task
    await task.value
  }

  /// Ends every request with `networkSuspended`, closes all connections, writes the files, and accepts no requests
  /// until it is resumed.
  public func suspend() async throws(SessionError) {
    try await driver.change { sc_network_suspend($0, $1) }
  }

  /// Resumes after `suspend()`. With `building`, guards are connected at once and not on the first request.
  public func resume(building: Bool = true) async throws(SessionError) {
    try await driver.change { network, now in
      sc_network_set_wall(network, now, sc_clock_wall_ms())
      sc_network_resume(network, now, building)
    }
  }

  /// Forgets all nodes except the seeds, with their history. The guards stay.
  public func forgetNodes() async throws(SessionError) {
    try await driver.change { sc_network_forget($0, $1) }
  }
}

// MARK: - Guards

extension Network {
  /// The guards, in the order in which they are used.
  public func guards() async throws(SessionError) -> [Guard] {
    try await driver.perform { network, _ in Guard.all(of: network) }
  }

  /// What changed among guards and middles since the network was created, the newest first.
  public func changes() async throws(SessionError) -> [Change] {
    try await driver.perform { network, _ in Change.all(of: network) }
  }

  /// Replaces the guards by others, which will learn this machine's address. Only a person decides this. Throws
  /// `networkNoNodes`, and changes nothing, while no nodes are known.
  public func resetGuards() async throws(SessionError) {
    try SessionError.check(try await driver.perform { sc_network_reset_guards($0, $1) })
  }
}

// MARK: - State

extension Network {
  /// The current state of the network and its changes, for one reader; call again for more readers. A slow reader
  /// gets only the newest state. The stream ends when the network stops.
  public nonisolated var status: AsyncStream<Status> { driver.status.stream() }

  /// All paths, now and whenever one is made or closed, under the same rules as ``status``.
  public nonisolated var paths: AsyncStream<[Path]> { driver.paths.stream() }

  public nonisolated var currentStatus: Status { driver.status.value }

  /// The time to put into messages: this machine's, corrected by the time that nodes report.
  public nonisolated var time: MessageTime {
    get throws(SessionError) { try MessageTime(milliseconds: driver.time) }
  }

  /// Returns the statistics of the network.
  public func counts() async throws(SessionError) -> Counts {
    try await driver.perform { network, _ in Counts(of: network) }
  }

  /// Returns the nodes of an account's swarm, fewest failures first. Throws `networkNoNodes` if none is known and
  /// none can be requested.
  public nonisolated func swarm(of account: SessionID) async throws(SessionError) -> [ServiceNode] {
    try await driver.swarm(of: account)
  }
}

// MARK: - Requests

extension Network {
  /// Sends a request to storage nodes and waits for the reply. Cancelling the task cancels the request.
  ///
  /// It goes to the swarm of the account it is about, or to a random node if it is about none, unless `destination`
  /// says otherwise. It is signed when it is sent, with the network's time; if nodes reject that time, the time is
  /// measured, and the request is signed and sent once more. The claims of a swarm's nodes are verified, see
  /// ``Storage/Outcome``.
  ///
  /// Throws `requestFailed` with a `refusal` if a node refuses, `storageNodeSignature` if the reply cannot be
  /// verified, `requestTimeout`, `requestCancelled`, `networkSuspended` if the network is suspended or stops, and any
  /// other error that prevents the reply.
  public nonisolated func send<Request: Storage.Request>(
    _ request: Request, to destination: Destination? = nil, _ delivery: Delivery = Delivery()
  ) async throws(SessionError) -> Answer<Request.Reply> {
    let call = request.call
    let begun = ContinuousClock.now
    do throws(SessionError) {
      return try await send(call, to: destination, delivery)
    } catch {
      guard error.code == .networkClock else { throw error }
      var delivery = delivery
      delivery.overall = delivery.overall.map { $0 - (ContinuousClock.now - begun) }
      return try await send(call, to: destination, delivery)
    }
  }

  private nonisolated func send<Reply>(
    _ call: Storage.Call<Reply>, to destination: Destination?, _ delivery: Delivery
  ) async throws(SessionError) -> Answer<Reply> {
    let draft = try Storage.Draft(call, at: driver.time)
    let reply = try await driver.send(draft.outgoing(to: destination, delivery))
    return try draft.answer(reply, call.read)
  }

  /// Sends a request to a server, through the last hop of a path, and waits for its response, whatever its status.
  /// Cancelling the task cancels the request, but the server may still carry it out.
  ///
  /// Throws `requestTimeout`, `requestCancelled`, `networkClock` if the server rejected this machine's time,
  /// `networkUnreachable` if the last hop cannot reach it, `networkSuspended` if the network is suspended or stops,
  /// and any other error that prevents the response.
  public nonisolated func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Delivery = Delivery()
  ) async throws(SessionError) -> ServerResponse {
    ServerResponse(try await driver.send(request.outgoing(to: server, delivery)))
  }
}
