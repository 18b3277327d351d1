import SessionBase
public import SessionCore
import Synchronization

/// An HTTP server: it listens at one address, and has each request answered by a handler.
///
/// It runs on a thread of its own until `stop()`, or until the last reference goes. Handlers run in tasks; while one
/// works, its request waits without a thread. The task of a handler is cancelled when its client has disconnected.
public final class HTTPServer: Sendable {
  public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  /// The address where it listens, with the port chosen by the system for 0.
  public let address: NetworkAddress
  let engine: ServerEngine
  private let stopping = Mutex<Task<Void, Never>?>(nil)

  /// Starts listening. Throws `addressInUse`, `cannotListen` and `certificate`.
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

  /// The number of requests in progress.
  public var requestsUnderWay: Int { engine.callbacks.count }

  /// Accepts no more connections, waits up to `grace` for requests in progress, and ends the rest. Returns when the
  /// server's thread has ended.
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
    await within(grace) { await engine.callbacks.waitUntilEmpty() }
    await WorkerQueue("session.http.stop").run { engine.stop() }
  }
}

extension HTTPServer {
  /// The limits of a server.
  public struct Options: Sendable {
    /// The size limit of a body; larger ones get 413.
    public var maxBody = 10 * 1024 * 1024
    /// Memory for the head of a request and for reading its body. Larger heads get 431.
    public var maxHead = 32 * 1024
    public var maxConnections = 1000
    /// Bytes of collected bodies and responses in memory: in all, and for each client. Requests beyond that get
    /// 503.
    public var maxHeldBytes = 256 * 1024 * 1024
    public var maxHeldBytesPerPeer = 64 * 1024 * 1024
    /// Connections from one address; 0 for any number.
    public var maxConnectionsPerPeer = 100
    /// The hosts for which no limit of one address holds: proxies, which bring the requests of many clients.
    public var trustedPeers: [NetworkAddress] = []
    /// Concurrent requests. Further ones get 503.
    public var maxRequests = 1000
    /// The longest silence of a connection.
    public var idleTimeout: Duration = .seconds(30)
    /// The time limit for receiving a request, from the first byte of the connection or the end of the previous
    /// response.
    public var requestTimeout: Duration = .seconds(120)
    /// The time limit for sending a response.
    public var answerTimeout: Duration = .seconds(300)
    /// The least bytes a second of a body or response, and the time over which they are measured. Slower
    /// connections are closed.
    public var slowest = 4096
    public var pace: Duration = .seconds(15)
    /// With a certificate the server speaks only TLS.
    public var tls: TLSIdentity?

    public init() {}
  }
}
