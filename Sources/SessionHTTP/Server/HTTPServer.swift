import SessionBase
public import SessionCore
import Synchronization

/// An HTTP server: it listens at one address, and has each request answered by a handler.
///
/// It runs on a thread of its own until `stop()`, or until the last reference goes. Handlers run in tasks; while one
/// works, its request waits without a thread. The task of a handler is cancelled when its client has disconnected.
public final class HTTPServer: Sendable {
  public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  /// Where it listens, with the port that the system chose if it was 0.
  public let address: NetworkAddress
  let engine: ServerEngine
  private let stopping = Mutex<Task<Void, Never>?>(nil)

  /// Begins to listen. Throws `addressInUse`, `cannotListen` and `certificate`.
  public init(
    at address: NetworkAddress, options: Options = Options(), handler: @escaping Handler
  ) throws(HTTPError) {
    let socket = try ListeningSocket(at: address)
    self.address = socket.address
    engine = try ServerEngine(socket, options, handler)
  }

  deinit {
    // Stopping waits for the server's thread.
    WorkerQueue("session.http.stop").post { [engine] in engine.stop() }
  }

  /// How many requests are under way.
  public var requestsUnderWay: Int { engine.desk.count }

  /// Takes no more connections, waits up to `grace` for what is under way, and ends the rest. Returns when the server's
  /// thread has ended.
  public func stop(grace: Duration = .seconds(5)) async {
    let task = stopping.withLock { stopping in
      let task = stopping ?? Task { [engine] in await Self.stop(engine, grace) }
      stopping = task
      return task
    }
    await task.value
  }

  private static func stop(_ engine: ServerEngine, _ grace: Duration) async {
    engine.takeNoMore()
    await within(grace) { await engine.desk.waitUntilEmpty() }
    await WorkerQueue("session.http.stop").run { engine.stop() }
  }
}
