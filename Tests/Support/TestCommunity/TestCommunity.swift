import SessionBase
public import SessionCore
public import SessionNetworking
import Synchronization

/// A community server in memory. It checks signatures, nonces, permissions and rate limits as deployed servers do, and
/// can be told to fail.
public final class TestCommunity: Sendable {
  /// What a test has the server do to a request before it looks at it.
  public enum Fate: Hashable, Sendable {
    case asUsual
    /// The server answers with this, and does nothing.
    case refused(Int, body: String = "", retryAfter: Int? = nil)
    /// The server does it, and the answer is lost.
    case lost
    /// The server answers as if it had done it.
    case pretended
  }

  /// The server's X25519 key, 32 bytes.
  public let key: [UInt8]
  private let state: Mutex<CommunityState>
  private let fate = Mutex<@Sendable (_ method: String, _ path: String) -> Fate>({ _, _ in .asUsual })
  private let seen = Mutex<[String]>([])
  private let largestReply = Mutex(Int.max)

  /// `now` returns milliseconds since 1970. The key is fresh, unless requests that are sealed for one come.
  public init(
    key: [UInt8]? = nil, requiresBlinding: Bool = true, now: @escaping @Sendable () -> Int64
  ) throws {
    let key = try key ?? Account.generate().id.key
    self.key = key
    state = Mutex(CommunityState(key: key, requiresBlinding: requiresBlinding, now: now))
  }

  /// Decides what becomes of each request, those in batches included.
  public func decide(_ fate: @escaping @Sendable (_ method: String, _ path: String) -> Fate) {
    self.fate.withLock { $0 = fate }
  }

  /// Replies with more bytes do not reach the client, which is not told why.
  public func limitReplies(to bytes: Int) { largestReply.withLock { $0 = bytes } }

  /// The requests so far: method and path, those in batches indented.
  public var requests: [String] { seen.withLock { $0 } }

  /// Changes the server's state.
  public func change<R: Sendable>(_ body: (inout sending CommunityState) -> sending R) -> R {
    state.withLock { body(&$0) }
  }

  /// Answers a request whose path is decoded, and whose query is not.
  public func answer(_ request: CommunityState.Request) throws(NetworkFailure) -> CommunityReply {
    seen.withLock { $0.append("\(request.method) \(request.target)") }
    let fate = fate.withLock { $0 }
    switch fate(request.method, request.path) {
    case .refused(let status, let body, let delay):
      let headers = delay.map { [ServerResponse.Header("retry-after", "\($0)")] } ?? []
      return CommunityReply(status: status, headers: headers, body: Array(body.utf8))
    case .asUsual:
      let reply = perform(request, fate)
      guard reply.body.count <= largestReply.withLock({ $0 }) else {
        throw NetworkFailure(.transient, "the reply of the test server is too large")
      }
      return reply
    case .pretended: return CommunityReply(status: 200, body: Array("{}".utf8))
    case .lost:
      _ = perform(request, fate)
      throw NetworkFailure(.transient, "the answer of the test server was lost")
    }
  }

  private func perform(
    _ request: CommunityState.Request, _ fate: @Sendable (String, String) -> Fate
  ) -> CommunityReply {
    let answer = state.withLock { state in
      state.answer(request) { method, path in
        guard case .refused(let status, let body, _) = fate(method, path) else { return nil }
        return CommunityReply(status: status, body: Array(body.utf8))
      }
    }
    seen.withLock { $0 += answer.parts.map { "  \($0)" } }
    return answer.reply
  }
}

/// Community servers that are called directly, by host and port.
public final class TestCommunities: ServerService {
  private let servers = Mutex<[String: TestCommunity]>([:])

  public init() {}

  /// Adds a server at a URL without a path.
  public func add(_ server: TestCommunity, at url: String) throws {
    let address = try CommunityServer(url, key: server.key).address
    servers.withLock { $0[address] = server }
  }

  public func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    let name = CommunityServer.address(of: server)
    guard let community = servers.withLock({ $0[name] }) else {
      throw NetworkFailure(.transient, "there is no test server at \(name)")
    }
    let reply = try community.answer(CommunityState.Request(request))
    return ServerResponse(
      status: reply.status, headers: reply.headers, bodyKind: .bytes, body: reply.body)
  }
}

extension CommunityServer {
  static func address(of door: OnionServer) -> String {
    "\(door.host):\(door.port ?? (door.usesTLS ? 443 : 80))"
  }

  fileprivate var address: String {
    let parts = url.split(separator: "/", omittingEmptySubsequences: true)
    let host = String(parts[1])
    return host.contains(":") ? host : "\(host):\(url.hasPrefix("https") ? 443 : 80)"
  }
}

extension CommunityState.Request {
  init(_ request: ServerRequest) {
    let halves = request.endpoint.split(separator: "?", maxSplits: 1)
    self.init(
      method: request.method.name, path: String(halves[0]),
      query: halves.count > 1 ? String(halves[1]) : nil,
      headers: Dictionary(
        request.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
      body: request.body ?? [])
  }
}

extension ServerRequest.Method {
  fileprivate var name: String {
    switch self {
    case .get: "GET"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .patch: "PATCH"
    case .head: "HEAD"
    }
  }
}
