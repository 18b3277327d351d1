import SessionBase

/// A connection within this program, over which a request of HTTP makes its calls with the rights of its token.
final class InnerConnection: Sendable {
  private let socket: StreamSocket
  private let serving: Task<Void, Never>

  /// Methods that need a connection that stays, so that they make no sense in a single request.
  private static let lasting: Set<String> = ["events.subscribe", "x.news", "x.park"]

  init(_ host: ServingHost, _ access: RPCAccess, isLasting: Bool = true) throws(FileError) {
    let (client, server) = try StreamSocket.pair()
    let methods = isLasting ? host.methods : host.methods.filter { !Self.lasting.contains($0.key) }
    let connection = RPCConnection(
      server, methods, host.accounts, access, isLasting: isLasting, statistics: host.statistics)
    socket = client
    serving = Task { await connection.run() }
  }

  func write(_ text: String) async throws { try await socket.write(Array("\(text)\n".utf8)) }

  /// Says that there are no more calls.
  func endWriting() { socket.endWriting() }

  func lines() -> LineReader { LineReader(socket, limit: RPCLimits.reply) }

  /// Ends it, also for a reader of it.
  func end() { socket.close() }

  /// Ends it, and its calls under way.
  func close() async {
    socket.close()
    serving.cancel()
    await serving.value
  }

  /// The reply to a call or a batch; nil if nothing in it has a reply. What cannot be parsed is answered, too.
  static func reply(to body: [UInt8], _ host: ServingHost, _ access: RPCAccess) async throws -> String? {
    do throws(JSONReader.Mistake) { _ = try JSONReader.value(of: body) } catch {
      let kind = error == .encoding ? "not-utf8" : "parse"
      return RPCReply(id: nil, .failure(RPCError(-32700, kind, error.rawValue))).text
    }
    // In valid JSON the end of a line is only space.
    let line = body.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    let inner = try InnerConnection(host, access, isLasting: false)
    return try await doing {
      try await inner.socket.write(line + [10])
      inner.endWriting()
      var lines = inner.lines()
      while let line = try await lines.next() {
        let text = String(decoding: line.bytes, as: UTF8.self)
        // Notifications of the server, which have no id, are for connections that stay.
        if text.hasPrefix("[") || text.hasPrefix("{\"jsonrpc\":\"2.0\",\"id\":") { return text }
      }
      return nil
    } andThen: {
      await inner.close()
    }
  }
}
