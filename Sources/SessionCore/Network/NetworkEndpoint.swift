internal import CSessionCore
import SessionBase
import Synchronization

/// A QUIC endpoint that calls peers and answers them, as Session nodes do: both sides known by their Ed25519 keys,
/// requests and replies on streams.
///
/// It runs on a thread of its own until `stop()`, or until the last reference goes. Any task may use it. One
/// connection to each peer is opened by the first request, shared by all, and closed when it is unused.
public final class NetworkEndpoint: Sendable {
  /// How long `stop()` waits for the last packets to leave.
  private static let grace: UInt64 = 1_000_000_000

  /// Where the endpoint listens, with the port that the system chose if it was 0.
  public let address: NetworkAddress
  /// Events of connections, for one reader. The oldest events are dropped if they are not read; the stream ends
  /// when the endpoint stops.
  public let events: AsyncStream<Event>

  private let driver: EndpointDriver
  private let stopping = Mutex<Task<Void, Never>?>(nil)

  /// Opens a socket and begins to listen.
  public init(at address: NetworkAddress, options: Options = Options()) throws(SessionError) {
    let (events, reporting) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(EndpointDriver.maxEvents))
    self.events = events
    driver = EndpointDriver(handlers: options.handlers, reporting: reporting)
    self.address = try driver.open(at: address, options: options)
    try driver.start()
  }

  deinit {
    // Stopping waits for the runtime's thread, which may be the one that let go of the last reference.
    WorkerQueue("session.endpoint.stop").post { [driver] in driver.stop(grace: 0) }
  }

  /// Sends a command to a peer and waits for the reply.
  ///
  /// Throws `requestFailed` with a `refusal` for an error reply, `requestTimeout`, `requestCancelled` when the task is
  /// cancelled, `quicKey` when another key answers, `quicStopped` or `runtimeStopped` when the endpoint stops, and
  /// whatever else keeps the request from its reply.
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

  /// Tells a peer that connected of something, on the first stream, without an answer. Where its connection is gone
  /// `gone` is called, on the endpoint's thread; where too much waits for the peer, it is not told.
  public func push(
    _ command: String, body: [UInt8], to connection: Connection, gone: @escaping @Sendable () -> Void = {}
  ) {
    // After the endpoint has stopped no reader is left.
    try? driver.enqueue { driver, now in
      if !driver.push(command, body, to: connection, now) { gone() }
    }
  }

  /// Loses and delays what is sent here from now on, where the options allow for it. Throws `state` where they do not.
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

  /// What was done so far. Throws `runtimeStopped` after the endpoint has stopped.
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

  /// Tells all peers, ends every request with `quicStopped`, cancels the tasks of handlers, and returns when the
  /// endpoint's thread has ended.
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
