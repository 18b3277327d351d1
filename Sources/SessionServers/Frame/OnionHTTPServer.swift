import SessionBase
public import SessionCore
public import SessionHTTP
public import SessionNodeCore
import SessionService

/// A server that answers the same requests whether they come as plain HTTP or through the network, sealed for it by
/// clients it does not see.
///
/// The last hop of a path posts sealed requests to `/oxen/v4/lsrpc`. The server opens them, answers them by the same
/// routes as plain requests, and seals the replies for the client. It runs from its creation until `stop()`.
public final class OnionHTTPServer: Sendable {
  public struct Options: Sendable {
    /// Bytes of a body.
    public var maxBody = OnionVisit.maxBytes
    /// Bytes that bodies may take at a time; requests beyond wait.
    public var memory = 256 * 1024 * 1024
    /// The least bytes a second of a body or response. Slower connections are closed.
    public var slowest = 16 * 1024
    /// Requests that are worked on, or wait, at a time.
    public var maxRequests = 512
    /// Connections at a time; twice as many as requests for nil.
    public var maxConnections: Int?
    /// The hosts of proxies, whose connections are not limited as those of one client.
    public var trustedPeers: [NetworkAddress] = []
    /// With a certificate the server speaks only TLS.
    public var tls: TLSIdentity?
    /// Milliseconds since 1970.
    public var wallClock: @Sendable () -> UInt64 = { MachineClock.wallMilliseconds }

    public init() {}
  }

  /// The path to which the last hop posts encrypted requests.
  public static let onionPath = "/oxen/v4/lsrpc"

  let metrics: ServerMetrics
  private let servers: [HTTPServer]

  /// Starts listening. Throws `addressInUse` and `cannotListen`.
  public convenience init(
    at address: NetworkAddress, keys: NodeKeys, routes: Routes, options: Options = Options()
  ) throws(HTTPError) {
    let metrics = ServerMetrics()
    let answering = RouteAnswering(
      routes: routes, maxBody: options.maxBody, wallClock: options.wallClock, metrics: metrics)
    try self.init(
      at: [address], keys: keys.exchange, answering: answering, metrics: metrics, options: options)
  }

  /// Listens at all addresses, of which there is at least one.
  init(
    at addresses: [NetworkAddress], keys: ExchangeKeys, answering: any RequestAnswering,
    metrics: ServerMetrics, options: Options
  ) throws(HTTPError) {
    precondition(!addresses.isEmpty, "a server listens somewhere")
    var httpOptions = HTTPServer.Options()
    httpOptions.maxBody = max(options.maxBody, OnionVisit.maxBytes)
    httpOptions.maxRequests = options.maxRequests
    httpOptions.maxConnections = options.maxConnections ?? options.maxRequests * 2
    // A node passes on the requests of many clients, so one address may use much of the server, but not all of it.
    httpOptions.maxConnectionsPerPeer = max(options.maxRequests / 4, 1)
    httpOptions.trustedPeers = options.trustedPeers
    // A body of 10 MB has to arrive within `requestTimeout`, at five times this rate.
    httpOptions.slowest = options.slowest
    httpOptions.pace = .seconds(10)
    httpOptions.tls = options.tls
    let dispatcher = RequestDispatcher(keys: keys, options: options, answering: answering)
    self.metrics = metrics
    var servers: [HTTPServer] = []
    for address in addresses {
      servers.append(try HTTPServer(at: address, options: httpOptions) { await dispatcher.answer($0) })
    }
    self.servers = servers
  }

  /// The address that the server listens on; the first one of several.
  public var address: NetworkAddress { servers[0].address }

  /// All addresses that it listens on.
  public var addresses: [NetworkAddress] { servers.map(\.address) }

  /// The number of requests it has replied to.
  public var answerCount: UInt64 { metrics.answers.total }

  /// Accepts no more requests, waits up to `grace` for those in progress, and ends the rest.
  public func stop(grace: Duration = .seconds(5)) async {
    await withTaskGroup { group in
      for server in servers { group.addTask { await server.stop(grace: grace) } }
    }
  }
}
