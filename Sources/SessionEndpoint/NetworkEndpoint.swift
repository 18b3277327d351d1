internal import CSessionCore
import SessionBase
public import SessionCore
import Synchronization

/// A QUIC endpoint that calls peers and replies to them, as Session nodes do: both sides are known by their Ed25519
/// keys, requests and replies use streams.
///
/// It runs on its own thread until `stop()`, or until the last reference goes. Any task may use it. The first request
/// to a peer opens a connection, which all requests share; it is closed when it is unused.
public final class NetworkEndpoint: Sendable {
  /// How long `stop()` waits for the last packets to be sent, in nanoseconds.
  private static let grace: UInt64 = 1_000_000_000

  /// The address where the endpoint listens, with the port that the system chose if it was 0.
  public let address: NetworkAddress
  /// Events of connections, for one reader. The oldest events are dropped if they are not read; the stream ends
  /// when the endpoint stops.
  public let events: AsyncStream<Event>

  private let driver: EndpointDriver
  private let stopping = Mutex<Task<Void, Never>?>(nil)

  /// Opens a socket and starts listening.
  public init(at address: NetworkAddress, options: Options = Options()) throws(SessionError) {
    let (events, reporting) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(EndpointDriver.maxEvents))
    self.events = events
    driver = EndpointDriver(handlers: options.handlers, reporting: reporting)
    self.address = try driver.open(at: address, options: options)
    try driver.start()
  }

  deinit {
    // Stopping waits for the runtime's thread, which may be the one that released the last reference.
    WorkerQueue("session.endpoint.stop").post { [driver] in driver.stop(grace: 0) }
  }

  /// Sends a command to a peer and waits for the reply.
  ///
  /// Throws `requestFailed` with a `refusal` for an error reply, `requestTimeout`, `requestCancelled` if the task is
  /// cancelled, `quicKey` if the peer has another key, `quicStopped` or `runtimeStopped` if the endpoint stops, and
  /// any other error that prevents the reply.
  public func request(
    _ command: String, body: [UInt8] = [], to peer: NetworkPeer, timeout: Duration? = nil
  ) async throws(SessionError) -> [UInt8] {
    let timeout = timeout.map { max($0.nanoseconds, 1) } ?? 0
    let call = OutgoingCall(to: peer, command: command, body: body, timeout: timeout)
    let outcome = await call.pending.outcome {
      driver.begin(call)
    } onCancel: {
      driver.cancel(call)
    }
    return try outcome.get()
  }

  /// Sends a command without a reply to a connected peer, on the first stream. If the connection is gone, calls
  /// `gone` on the endpoint's thread; if too much waits for the peer, drops the command.
  public func push(
    _ command: String, body: [UInt8], to connection: Connection, gone: @escaping @Sendable () -> Void = {}
  ) {
    // After the endpoint has stopped no reader is left.
    try? driver.enqueue { driver, now in
      if !driver.push(command, body, to: connection, now) { gone() }
    }
  }

  /// Drops and delays outgoing packets from now on, if the options allow it. Throws `state` if they do not.
  public func setWeather(_ weather: NetworkWeather) async throws(SessionError) {
    typealias Waiting = CheckedContinuation<Result<Void, SessionError>, Never>
    try await withCheckedContinuation { (waiting: Waiting) in
      do throws(SessionError) {
        try driver.enqueue { driver, _ in waiting.resume(returning: driver.setWeather(weather)) }
      } catch {
        waiting.resume(returning: .failure(error))
      }
    }.get()
  }

  /// Returns the statistics of the endpoint. Throws `runtimeStopped` after it has stopped.
  public func counts() async throws(SessionError) -> Counts {
    typealias Waiting = CheckedContinuation<Result<Counts, SessionError>, Never>
    return try await withCheckedContinuation { (waiting: Waiting) in
      do throws(SessionError) {
        try driver.enqueue { driver, _ in waiting.resume(returning: .success(driver.counts)) }
      } catch {
        waiting.resume(returning: .failure(error))
      }
    }.get()
  }

  /// Closes all connections, ends every request with `quicStopped`, cancels the tasks of handlers, and returns when
  /// the endpoint's thread has ended.
  public func stop() async {
    let task = stopping.withLock { stopping in
      let task = stopping ?? Task { [driver] in await Self.stop(driver) }
      stopping = task
      return task
    }
    await task.value
  }

  private static func stop(_ driver: EndpointDriver) async {
    await WorkerQueue("session.endpoint.stop").run { driver.stop(grace: grace) }
  }
}
