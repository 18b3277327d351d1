import Dispatch
import Glibc
import SessionBase
import SessionCore

/// Clients of a community server, in a process of their own: what they cost is not the server's. Requests are signed before
/// any is sent, and each answer is checked.
struct LoadClient: Sendable {
  enum Mode: String {
    /// What a client asks for again and again, of a room in which nothing happens.
    case poll = "--poll"
    /// The newest 100 messages, without a name.
    case recent = "--recent"
    /// Messages of 200 bytes.
    case post = "--post"
    /// All messages from the first one, in pages.
    case catchUp = "--catch-up"
  }

  /// Connections at a time.
  private static let connections = 8
  /// Posts wait for the disk, and share its writes.
  private static let postConnections = 64

  let address: NetworkAddress
  let key: [UInt8]

  /// Runs clients if the arguments select them; false if they do not.
  static func run(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 5, let mode = Mode(rawValue: arguments[1]), let count = Int(arguments[4]) else {
      return false
    }
    let client = LoadClient(
      address: try NetworkAddress(parsing: arguments[2]), key: try [UInt8](hex: arguments[3].utf8))
    try client.run(mode, count)
    return true
  }

  private func run(_ mode: Mode, _ count: Int) throws {
    if mode == .catchUp { return try catchUp(count) }
    let connections = mode == .post ? Self.postConnections : Self.connections
    let requests = try prepared(mode, count, connections)
    DispatchQueue.concurrentPerform(iterations: connections) { index in
      let connection = LoadConnection(to: address)
      for request in requests[index] { connection.exchange(request, expecting: mode == .post ? 201 : 200) }
    }
  }

  /// The requests of each connection, which is one person's.
  private func prepared(_ mode: Mode, _ count: Int, _ connections: Int) throws -> [[[UInt8]]] {
    let state = try room()
    return try (0..<connections).map { _ in
      let identity = try CommunityIdentity(of: .generate(), on: key, scheme: .blinded15)
      return try (0..<count / connections).map { _ in try request(mode, identity, state) }
    }
  }

  /// The numbers of the last message and of the last description.
  private func room() throws -> (sequence: Int64, info: Int64) {
    let connection = LoadConnection(to: address)
    let answer = connection.exchange(request("GET", "/room/\(BenchServer.room)"), expecting: 200)
    let json = try JSONReader.value(of: answer)
    return (json["message_sequence"]?.integer ?? 0, json["info_updates"]?.integer ?? 0)
  }

  private func request(
    _ mode: Mode, _ identity: CommunityIdentity, _ state: (sequence: Int64, info: Int64)
  ) throws -> [UInt8] {
    let room = BenchServer.room
    switch mode {
    case .poll:
      let paths = [
        "/room/\(room)/pollInfo/\(state.info)",
        "/room/\(room)/messages/since/\(state.sequence)?t=r&reactors=5",
        "/inbox/since/0", "/outbox/since/0",
      ]
      let body = JSONValue.array(paths.map { ["method": "GET", "path": .string($0)] })
      return try signed("POST", "/batch", body.description, identity)
    case .recent: return request("GET", "/room/\(room)/messages/recent?limit=100")
    case .post:
      let data = [UInt8](repeating: 7, count: 199) + [0x80]
      let body = JSONValue.object([
        .init("data", .string(data.base64)),
        .init("signature", .string(try identity.sign(post: data).base64)),
      ])
      return try signed("POST", "/room/\(room)/message", body.description, identity)
    case .catchUp: return []
    }
  }

  private func catchUp(_ count: Int) throws {
    let connection = LoadConnection(to: address)
    var (last, seen): (Int64, Int) = (0, 0)
    while seen < count {
      let path = "/room/\(BenchServer.room)/messages/since/\(last)?limit=256&t=r&reactors=5"
      let page = try JSONReader.value(of: connection.exchange(request("GET", path), expecting: 200))
      guard case .array(let messages) = page, let number = messages.last?["seqno"]?.integer else {
        fatalError("there are only \(seen) messages")
      }
      (last, seen) = (number, seen + messages.count)
    }
  }

  // MARK: - Requests

  private func signed(
    _ method: String, _ path: String, _ body: String, _ identity: CommunityIdentity
  ) throws -> [UInt8] {
    let nonce = try SecretBytes.random(count: 16).reveal()
    let time = try MessageTime(milliseconds: MachineClock.wallMilliseconds)
    let signature = try identity.sign(
      CommunityIdentity.Request(method, path, body: Array(body.utf8), nonce: nonce, at: time))
    return request(
      method, path, body,
      [
        ("X-SOGS-Pubkey", identity.signer.description), ("X-SOGS-Timestamp", "\(time.seconds)"),
        ("X-SOGS-Nonce", nonce.base64), ("X-SOGS-Signature", signature.base64),
      ])
  }

  private func request(
    _ method: String, _ path: String, _ body: String = "", _ headers: [(String, String)] = []
  ) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
    return Array("\(text)\r\n\(body)".utf8)
  }
}
