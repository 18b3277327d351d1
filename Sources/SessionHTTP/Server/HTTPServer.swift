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

extension HTTPServer {
  /// What a server takes, and for how long.
  public struct Options: Sendable {
    /// Bytes of a body. What is longer is answered with 413.
    public var maxBody = 10 * 1024 * 1024
    /// Memory for the head of a request and what is read of its body at a time. What does not fit is answered with 431.
    public var maxHead = 32 * 1024
    public var maxConnections = 1000
    /// Bytes of bodies that handlers have collected, and of answers, that are held at a time: in all, and for each peer.
    /// What goes beyond is answered with 503.
    public var maxHeldBytes = 256 * 1024 * 1024
    public var maxHeldBytesPerPeer = 64 * 1024 * 1024
    /// Connections from one address; 0 for any number.
    public var maxConnectionsPerPeer = 100
    /// Requests that are worked on at a time. Those beyond are answered with 503.
    public var maxRequests = 1000
    /// How long a connection may be silent.
    public var idleTimeout: Duration = .seconds(30)
    /// How long a request may take to arrive, from the first byte of the connection or the last of the answer before.
    public var requestTimeout: Duration = .seconds(120)
    /// How long an answer may take to be taken by the other side.
    public var answerTimeout: Duration = .seconds(300)
    /// The fewest bytes a second of a body or an answer, and over how long that is measured. Slower connections end.
    public var slowest = 4096
    public var pace: Duration = .seconds(15)
    /// With a certificate the server speaks TLS, and nothing else.
    public var tls: TLSIdentity?

    public init() {}
  }
}
