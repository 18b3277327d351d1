internal import CSessionCore
import SessionBase

/// A client of the network: it finds nodes, keeps onion paths to them, and sends requests over those to storage nodes and
/// servers.
///
/// It runs on a thread of its own from `start()` to `stop()`, or until the last reference goes. Any task may use it.
/// What it learns of the network it keeps in files, if it has a folder for them.
public actor Network {
  /// How long `stop()` waits for the last packets to leave.
  private static let grace: UInt64 = 1_000_000_000

  public nonisolated let kind: Kind
  private let driver: NetworkDriver
  private var stopping: Task<Void, Never>?

  /// Opens a socket and reads the files that were kept; nothing is sent before `start()`.
  ///
  /// Throws `argument` for options that contradict each other, `noSeeds` for a network of which no node is known, and
  /// why the socket cannot be opened.
  public init(_ options: Options) throws(SessionError) {
    kind = options.kind
    driver = try NetworkDriver(options)
  }

  deinit {
    // Stopping waits for the network's thread, which may be the one that let go of the last reference.
    WorkerQueue("session.network.stop").post { [driver] in driver.stop(grace: 0) }
  }
}

// MARK: - Life

extension Network {
  /// Begins; once. With `building`, paths are made at once and not for the first request.
  public func start(building: Bool = true) throws(SessionError) {
    try driver.start(building: building)
  }

  /// Ends every request with `networkSuspended`, closes all connections, writes the files, and returns when the network's
  /// thread has ended. The streams end.
  public func stop() async {
    let task =
      stopping
      ?? Task { [driver] in
        await WorkerQueue("session.network.stop").run { driver.stop(grace: Self.grace) }
      }
    stopping = task
    await task.value
  }

  /// Ends every request with `networkSuspended`, closes all connections, writes the files, and takes no requests until
  /// it is resumed.
  public func suspend() async throws(SessionError) {
    try await driver.change { sc_network_suspend($0, $1) }
  }

  /// Goes on after `suspend()`. With `building`, paths are made at once and not for the first request.
  public func resume(building: Bool = true) async throws(SessionError) {
    try await driver.change { network, now in
      sc_network_set_wall(network, now, sc_clock_wall_ms())
      sc_network_resume(network, now, building)
    }
  }

  /// Closes all connections, for when this machine has moved to another network: requests that were on their way end
  /// with `networkClosed`, others wait on.
  public func closeConnections() async throws(SessionError) {
    try await driver.change { sc_network_close_connections($0, $1) }
  }

  /// Forgets all nodes but the seeds, and all that they did.
  public func forgetNodes() async throws(SessionError) {
    try await driver.change { sc_network_forget($0, $1) }
  }
}

// MARK: - What there is to see

extension Network {
  /// The current state of the network and its changes, for one reader; call again for more readers. A slow reader gets only
  /// the newest state. The stream ends when the network stops.
  public nonisolated var status: AsyncStream<Status> { driver.status.stream() }

  /// All paths, now and whenever one of them is built or goes, in the same way.
  public nonisolated var paths: AsyncStream<[Path]> { driver.paths.stream() }

  /// How the network is doing just now.
  public nonisolated var currentStatus: Status { driver.status.value }

  /// The time to put into messages: this machine's, corrected by what nodes said.
  public nonisolated var time: MessageTime {
    get throws(SessionError) { try MessageTime(milliseconds: driver.time) }
  }

  /// What was done so far.
  public func counts() async throws(SessionError) -> Counts {
    try await driver.ask { network, _ in Counts(of: network) }
  }

  /// The nodes that keep what is stored for an account, from those that failed least. Throws `networkNoNodes` when none
  /// is known and none can be asked.
  public nonisolated func swarm(of account: SessionID) async throws(SessionError) -> [ServiceNode] {
    try await driver.swarm(of: account)
  }
}

// MARK: - Requests

extension Network {
  /// Sends a request to storage nodes and waits for the reply. Cancelling the task cancels the request.
  ///
  /// It goes to the swarm of the account it is about, or to a node at random if it is about none, unless `destination`
  /// says otherwise. It is signed when it is sent, with the network's time; if nodes reject that time, the time is measured,
  /// and the request is signed and sent once more. Claims of the nodes of a swarm are verified, see
  /// ``Storage/Outcome``.
  ///
  /// Throws `requestFailed` with a `refusal` when a node says no, `storageNodeSignature` when the reply is not to be
  /// believed, `requestTimeout`, `requestCancelled`, `networkSuspended` when the network is suspended or stops, and
  /// whatever else keeps the request from its reply.
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

  /// Sends a request to a server, by the last hop of a path, and waits for its response, whatever its status is.
  /// Cancelling the task cancels the request, though the server may carry it out.
  ///
  /// Throws `requestTimeout`, `requestCancelled`, `networkClock` when the server rejected the time of this machine,
  /// `networkUnreachable` when the last hop cannot reach it, `networkSuspended` when the network is suspended or stops,
  /// and whatever else keeps the request from its response.
  public nonisolated func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Delivery = Delivery()
  ) async throws(SessionError) -> ServerResponse {
    ServerResponse(try await driver.send(request.outgoing(to: server, delivery)))
  }
}
