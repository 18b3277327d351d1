import SessionBase

/// The events of an account as Server-Sent Events: text that a client reads for as long as it likes.
struct EventStream: Sendable {
  /// How often a comment shows that the connection lives.
  static let pause = Duration.seconds(15)
  /// How soon a token that was revoked ends the stream.
  private static let tokenPause = Duration.seconds(1)

  let account: String
  private let reader: String?
  private let acknowledges: Bool
  private let subscription: JSONValue

  /// What a request asks for. Throws a refusal for parameters that are missing, unknown or wrong.
  init(_ head: HTTPHead) throws(HTTPRefusal) {
    let values = try head.parameters(["account", "reader", "from", "kinds", "ack"])
    guard let account = values["account"] else { throw .params("\"account\" is missing") }
    guard values["ack"] ?? "auto" == "auto" else { throw .params("\"ack\" can only be \"auto\"") }
    guard values["ack"] == nil || values["reader"] != nil else { throw .params("\"ack\" needs \"reader\"") }
    self.account = account
    reader = values["reader"]
    acknowledges = values["ack"] != nil
    var params: [JSONValue.Member] = [.init("account", .string(account))]
    if let reader { params.append(.init("reader", .string(reader))) }
    if let kinds = values["kinds"] {
      params.append(.init("kinds", .array(kinds.split(separator: ",").map { .string(String($0)) })))
    }
    if let from = try Self.start(head, account) ?? values["from"] {
      params.append(.init("from", Int64(from).map { .integer($0) } ?? .string(from)))
    }
    subscription = .object(params)
  }

  /// The place behind which a client that lost its connection goes on.
  private static func start(_ head: HTTPHead, _ account: String) throws(HTTPRefusal) -> String? {
    let ids = head.values("last-event-id")
    guard let id = ids.first else { return nil }
    guard ids.count == 1, id.hasPrefix("\(account):"),
      let cursor = Int64(id.dropFirst(account.utf8.count + 1)),
      cursor >= 0
    else { throw .params("\"Last-Event-ID\" is no event of this account") }
    return "\(cursor)"
  }

  /// Writes events until the client is gone, the subscription ends, or `isPermitted` is false. Throws a refusal if it
  /// cannot begin; nothing was written then.
  func run(
    on socket: StreamSocket, _ host: ServingHost, _ access: RPCAccess, _ headers: [HTTPHead.Field],
    isPermitted: @escaping @Sendable () -> Bool
  ) async throws {
    let inner = try InnerConnection(host, access)
    try await doing {
      try await inner.write(call(0, "events.subscribe", subscription))
      var lines = inner.lines()
      let early = try await begin(&lines, inner)
      let fields: [HTTPHead.Field] = [
        .init(name: "Content-Type", value: "text/event-stream"), .init(name: "Connection", value: "close"),
      ]
      try await socket.write(HTTPReply.head(200, fields + headers))
      let writing = Turns()
      let ends: [@Sendable () async -> Void] = [
        {
          while (try? await Task.sleep(for: Self.pause)) != nil {
            guard (try? await write(":\n\n", to: socket, writing)) != nil else { return }
          }
        },
        { while (try? await Task.sleep(for: Self.tokenPause)) != nil, isPermitted() {} },
        // A client has nothing more to say; the end of its connection is that of the stream.
        { while (try? await socket.read()) != nil { await Task.yield() } },
      ]
      await withTaskGroup { group in
        for end in ends {
          group.addTask {
            await end()
            socket.close()
            inner.end()
          }
        }
        try? await pass(early, &lines, from: inner, to: socket, writing)
        group.cancelAll()
      }
    } andThen: {
      await inner.close()
    }
  }

  private func call(_ id: Int64, _ method: String, _ params: JSONValue) -> String {
    let call: JSONValue = ["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": params]
    return call.description
  }

  /// Reads the reply to the subscription; returns what came before it. A client whose events are no longer stored learns of
  /// the gap from the stream, which begins with the oldest ones: browsers give up when a stream is refused.
  private func begin(_ lines: inout LineReader, _ inner: InnerConnection) async throws -> [JSONValue] {
    var early: [JSONValue] = []
    while let line = try await lines.next() {
      let json = try JSONReader.value(of: line.bytes)
      guard json["id"] == 0 else {
        early.append(json)
        continue
      }
      if let error = json["error"] {
        guard error["data"]?["kind"] == "gap", let end = error["data"]?["lost_to"],
          case .object(let members) = subscription
        else { throw HTTPRefusal(RPCError(error)) }
        early.append(Self.gap(error["data"]))
        let later = members.filter { $0.name != "from" } + [.init("from", end)]
        try await inner.write(call(0, "events.subscribe", .object(later)))
        continue
      }
      if case .array(let positions)? = json["result"]?["positions"],
        let cursor = positions.first?["cursor"]?.integer, let newest = positions.first?["newest"]?.integer,
        cursor > newest
      {
        throw HTTPRefusal.params("there is no event \(cursor) yet")
      }
      if let gap = json["result"]?["gap"] { early.insert(Self.gap(gap), at: 0) }
      return early
    }
    throw HTTPRefusal(503)
  }

  /// The notification of a gap.
  private static func gap(_ data: JSONValue?) -> JSONValue {
    var members: [JSONValue.Member] = [.init("kind", "gap")]
    if case .object(let all)? = data {
      members += all.filter { ["oldest", "newest", "lost_from", "lost_to"].contains($0.name) }
    }
    return ["method": "signal", "params": .object(members)]
  }

  /// Passes the notifications on, and acknowledges events that were written.
  private func pass(
    _ early: [JSONValue], _ lines: inout LineReader, from inner: InnerConnection, to socket: StreamSocket,
    _ writing: Turns
  ) async throws {
    var waiting = early[...]
    var calls: Int64 = 0
    while true {
      let json: JSONValue
      if let first = waiting.popFirst() {
        json = first
      } else if let line = try await lines.next() {
        json = try JSONReader.value(of: line.bytes)
      } else {
        return
      }
      guard let frame = Frame(json, of: account) else {
        if json["method"] == "subscription.ended" { return }
        continue
      }
      try await write(frame.text, to: socket, writing)
      guard acknowledges, let reader, let cursor = frame.cursor else { continue }
      calls += 1
      let params: JSONValue = [
        "account": .string(account), "reader": .string(reader), "cursor": .integer(cursor),
      ]
      try await inner.write(call(calls, "events.ack", params))
    }
  }

  /// Writes some text. A client that does not take it for too long loses the connection.
  private func write(_ text: String, to socket: StreamSocket, _ writing: Turns) async throws {
    let isWritten = try await withinTime(RPCLimits.writeTimeout) {
      try await writing.take { try await socket.write(Array(text.utf8)) } != nil
    }
    guard isWritten == true else { throw CancellationError() }
  }

  /// An event as the stream has it.
  struct Frame: Hashable {
    let text: String
    /// Nil for what is about the stream itself, such as a gap.
    let cursor: Int64?

    init?(_ notification: JSONValue, of account: String) {
      let params = notification["params"]
      switch notification["method"] {
      case "event":
        guard let event = params?["event"], let kind = event["event"]?.string else { return nil }
        cursor = kind == "gap" ? nil : event["cursor"]?.integer
        text = Self.text(kind, event, cursor.map { "id: \(account):\($0)\n" } ?? "")
      case "signal":
        guard let params, let kind = params["kind"]?.string else { return nil }
        cursor = nil
        text = Self.text(kind, params, "")
      default: return nil
      }
    }

    /// A text of JSON has no end of a line.
    private static func text(_ kind: String, _ data: JSONValue, _ id: String) -> String {
      "\(id)event: \(kind)\ndata: \(data)\n\n"
    }
  }
}

extension HTTPRefusal {
  fileprivate static func params(_ message: String) -> HTTPRefusal {
    HTTPRefusal(400, .invalidParams(message))
  }

  /// The refusal that a failed call becomes.
  init(_ error: RPCError) {
    let status =
      switch error.code {
      case 77: 403
      case 78: 404
      case 71, 74, 75: 503
      default: 400
      }
    self.init(status, error)
  }
}
