import SessionBase
import Synchronization

/// Serves the methods and events to programs of this machine that have a token, over HTTP.
final class HTTPService: Sendable {
  /// The most connections, those of them that may be without a valid token, and streams of events. Any user of the machine
  /// can connect, so a connection without a token gives way to the next one: the places stay free for clients with a token.
  static let connections = 64
  static let strangers = 16
  static let streams = 32

  private struct State {
    var origins: Set<String>
    /// The number of connections with a valid token.
    var known = 0
    /// The others, the oldest one first.
    var strangers: [StreamSocket] = []
    var streams = 0
    var running: Task<Void, Never>?

    /// Forgets a connection without a token. False if it gave way.
    mutating func removeStranger(_ socket: StreamSocket) -> Bool {
      guard let index = strangers.firstIndex(where: { $0 === socket }) else { return false }
      strangers.remove(at: index)
      return true
    }
  }

  private let listener: LoopbackListener
  private let host: ServingHost
  private let tokens: TokenKeeper
  private let metrics: @Sendable (RPCAccess) async -> String
  private let failures: TokenFailures
  private let state: Mutex<State>

  var address: LoopbackAddress { listener.address }

  convenience init(
    at address: LoopbackAddress, origins: Set<String>, _ host: ServingHost, _ tokens: TokenKeeper,
    metrics: @escaping @Sendable (RPCAccess) async -> String, log: @escaping @Sendable (String) -> Void
  ) throws(FileError) {
    self.init(
      try LoopbackListener(at: address), origins: origins, host, tokens, metrics: metrics, log: log)
  }

  /// Serves at a listener, which no other task uses.
  init(
    _ listener: LoopbackListener, origins: Set<String>, _ host: ServingHost, _ tokens: TokenKeeper,
    metrics: @escaping @Sendable (RPCAccess) async -> String, log: @escaping @Sendable (String) -> Void
  ) {
    self.listener = listener
    self.host = host
    self.tokens = tokens
    self.metrics = metrics
    failures = TokenFailures(log)
    state = Mutex(State(origins: origins))
    state.withLock { $0.running = Task { [weak self] in await self?.run() } }
  }

  /// The origins of the pages that may connect from now on.
  func allow(_ origins: Set<String>) { state.withLock { $0.origins = origins } }

  /// What goes on listening when this stops, in this program started anew.
  func kept() throws(FileError) -> KeptSockets.Entry {
    KeptSockets.Entry(name: "http", descriptor: try listener.kept(), isOwn: !listener.isPassed)
  }

  /// Stops listening and ends all connections.
  func stop() async {
    listener.close()
    let running = state.withLock { $0.running.take() }
    running?.cancel()
    await running?.value
  }

  private func run() async {
    await withDiscardingTaskGroup { group in
      while let socket = await listener.next() {
        group.addTask { [self] in await serve(socket) }
      }
      group.cancelAll()
    }
  }

  // MARK: - Connections

  private func serve(_ socket: StreamSocket) async {
    let (isAdmitted, oldest) = state.withLock { state -> (Bool, StreamSocket?) in
      guard state.known < Self.connections else { return (false, nil) }
      let isFull =
        state.strangers.count == Self.strangers || state.known + state.strangers.count == Self.connections
      let oldest = isFull ? state.strangers.removeFirst() : nil
      state.strangers.append(socket)
      return (true, oldest)
    }
    oldest?.close()
    guard isAdmitted else {
      try? await socket.write(HTTPReply(HTTPRefusal(503)).bytes(isLast: true))
      return socket.close()
    }
    host.count.add(1)
    var connection = Connection(socket: socket)
    var reader = HTTPReader(socket)
    do {
      while let head = try await reader.head() {
        guard try await answer(head, &reader, &connection) else { break }
      }
    } catch let refusal as HTTPRefusal {
      await refuse(refusal, on: socket, connection.sharing)
    } catch {
      // The client is gone.
    }
    socket.close()
    host.count.add(-1)
    state.withLock { state in
      if connection.isStranger { _ = state.removeStranger(socket) } else { state.known -= 1 }
    }
  }

  /// What is known of a connection.
  private struct Connection {
    let socket: StreamSocket
    var isStranger = true
    /// The headers of the response to the current request that let a page have it.
    var sharing: [HTTPHead.Field] = []
  }

  /// Answers a request. False if the connection ends.
  private func answer(
    _ head: HTTPHead, _ reader: inout HTTPReader, _ connection: inout Connection
  ) async throws -> Bool {
    let gate = HTTPGate(port: address.port, origins: state.withLock { $0.origins })
    connection.sharing = gate.sharing(head)
    let route = try gate.route(of: head)
    // Clients without a token have few connections, and each no longer than it needs.
    let isLast =
      route == .health || route == .preflight
      || head.values("connection").contains { $0.lowercased() == "close" }
    var reply: HTTPReply
    switch route {
    case .preflight: reply = HTTPReply(204, headers: gate.sharing(head, isPreflight: true))
    case .health: reply = HTTPReply(await isHealthy() ? 204 : 503)
    case .rpc, .events, .metrics, .upload, .attachment:
      let (token, access) = try await admitted(head, &connection)
      if route != .rpc, route != .upload { try Self.check(access) }
      switch route {
      case .rpc: reply = try await call(head, &reader, connection.socket, access)
      case .upload:
        let socket = connection.socket
        reply = try await HTTPFiles(host: host, access: access).take(head, &reader) {
          try await proceed(head, socket)
        }
      case .attachment(let message, let number):
        try await HTTPFiles(host: host, access: access).send(
          message, number, head, connection.sharing, to: connection.socket)
        return false
      case .events:
        try await stream(head, token, access, connection)
        return false
      default:
        reply = HTTPReply(
          200, headers: [.init(name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8")],
          body: Array(await metrics(access).utf8))
      }
    }
    // An unused body is read, so that the next request begins behind it.
    if route != .rpc, route != .upload { _ = try await Self.body(head, &reader) }
    if route != .preflight { reply.headers += connection.sharing }
    try await write(reply.bytes(isLast: isLast), to: connection.socket)
    return !isLast
  }

  /// The token of a request, and its rights. Throws a refusal if it shows no valid one.
  private func admitted(
    _ head: HTTPHead, _ connection: inout Connection
  ) async throws -> (AccessToken, RPCAccess) {
    guard let secret = HTTPGate.secret(in: head), let token = tokens.token(shownBy: secret) else {
      await failures.note()
      throw HTTPRefusal.unauthorised
    }
    if connection.isStranger {
      let isThere = state.withLock { state in
        guard state.removeStranger(connection.socket) else { return false }
        state.known += 1
        return true
      }
      guard isThere else { throw CancellationError() }
      connection.isStranger = false
    }
    await tokens.noteUse(of: token)
    return (token, tokens.access(of: token))
  }

  /// All that is read with GET needs this scope.
  private static func check(_ access: RPCAccess) throws(HTTPRefusal) {
    do throws(RPCError) { try access.require(.read, for: "this") } catch { throw HTTPRefusal(error) }
  }

  // MARK: - Requests

  private func call(
    _ head: HTTPHead, _ reader: inout HTTPReader, _ socket: StreamSocket, _ access: RPCAccess
  ) async throws -> HTTPReply {
    guard head.bodyLength != nil else { throw HTTPRefusal(411) }
    try await proceed(head, socket)
    let body = try await Self.body(head, &reader)
    let (text, early) = try await reply(to: body, socket, access)
    reader.putBack(early)
    guard let text else { return HTTPReply(204) }
    return .json(200, text)
  }

  /// Tells a client that waits for it that it may send the body.
  private func proceed(_ head: HTTPHead, _ socket: StreamSocket) async throws {
    guard head.values("expect").contains(where: { $0.lowercased() == "100-continue" }) else { return }
    try await write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: socket)
  }

  /// How many bytes of further requests are read while a call is under way.
  private static let early = 65_536

  /// How long a call goes on whose client writes no more.
  private static let leaving = Duration.seconds(1)

  private enum Turn: Sendable {
    case reply(String?)
    case read([UInt8])
  }

  /// The reply to a call or a batch, and what the client has written meanwhile. The call ends if the client leaves: it gives
  /// its place to others.
  private func reply(
    to body: [UInt8], _ socket: StreamSocket, _ access: RPCAccess
  ) async throws -> (text: String?, early: [UInt8]) {
    try await withThrowingTaskGroup(of: Turn.self) { group in
      group.addTask { [host] in .reply(try await InnerConnection.reply(to: body, host, access)) }
      group.addTask {
        var bytes: [UInt8] = []
        do {
          while bytes.count < Self.early {
            guard let piece = try await socket.read() else {
              // A client that only has nothing more to say looks the same.
              try await Task.sleep(for: Self.leaving)
              throw ClientLeft()
            }
            bytes += piece.bytes
          }
          await Latch().wait()
        } catch is CancellationError {
          // The call has ended.
        }
        return .read(bytes)
      }
      defer { group.cancelAll() }
      var (text, early): (String?, [UInt8]) = (nil, [])
      for try await turn in group {
        switch turn {
        case .reply(let reply): text = reply
        case .read(let bytes): early = bytes
        }
        group.cancelAll()
      }
      return (text, early)
    }
  }

  /// The body of a request; empty if it has none.
  private static func body(_ head: HTTPHead, _ reader: inout HTTPReader) async throws -> [UInt8] {
    let length = head.bodyLength ?? 0
    guard length <= RPCLimits.line else { throw HTTPRefusal(413) }
    return try await reader.body(length)
  }

  private func stream(
    _ head: HTTPHead, _ token: AccessToken, _ access: RPCAccess, _ connection: Connection
  ) async throws {
    let stream = try EventStream(head)
    let isAdmitted = state.withLock { state in
      guard state.streams < Self.streams else { return false }
      state.streams += 1
      return true
    }
    guard isAdmitted else { throw HTTPRefusal(503) }
    defer { state.withLock { $0.streams -= 1 } }
    try await stream.run(on: connection.socket, host, access, connection.sharing) { [tokens] in
      tokens.isValid(token)
    }
  }

  /// True unless an account is not open yet, or cannot be opened.
  private func isHealthy() async -> Bool {
    await host.accounts.all().allSatisfy { $0.state != "failed" && $0.state != "opening" }
  }

  // MARK: - Writing

  private func refuse(
    _ refusal: HTTPRefusal, on socket: StreamSocket, _ sharing: [HTTPHead.Field] = []
  ) async {
    var reply = HTTPReply(refusal)
    reply.headers += sharing
    try? await write(reply.bytes(isLast: true), to: socket)
    socket.endWriting()
    // What the client still writes is read: a connection that is closed before that loses the response on its way.
    _ = try? await withinTime(.seconds(1)) {
      var rest = RPCLimits.line
      while rest > 0, let piece = try await socket.read() { rest -= piece.bytes.count }
    }
    socket.close()
  }

  private func write(_ bytes: [UInt8], to socket: StreamSocket) async throws {
    let isWritten: Void? = try await withinTime(RPCLimits.writeTimeout) { try await socket.write(bytes) }
    if isWritten == nil { throw CancellationError() }
  }
}

/// The client closed its connection during a call.
private struct ClientLeft: Error {}
