import Glibc
import Measuring
import SessionBase
import SessionCore

/// Clients of a community server, in a process of their own: what they cost is not the server's. Requests are signed before
/// any is sent, and each answer is checked.
struct LoadClient: Sendable {
  enum Mode: String {
    /// What a client asks for again and again, of a room in which nothing happens.
    case poll = "--poll"
    /// The same through the network, sealed for the server.
    case sealedPoll = "--sealed-poll"
    /// The newest 100 messages, without a name.
    case recent = "--recent"
    /// Messages of 200 bytes.
    case post = "--post"
    /// The same, of different people.
    case postOfMany = "--post-of-many"
    /// The same in twenty rooms.
    case postInRooms = "--post-in-rooms"
    /// All messages from the first one, in pages.
    case catchUp = "--catch-up"

    var isPost: Bool { [.post, .postOfMany, .postInRooms].contains(self) }
  }

  /// Connections at a time.
  static let connections = 8
  /// Posts wait for the disk, and share its writes.
  private static let postConnections = 64
  /// Posts of one of many people: more are too many for some servers.
  private static let postsOfOne = 4

  /// Sends a request, and checks the answer.
  typealias Exchange = (LoadConnection) -> Void

  let address: NetworkAddress
  let key: [UInt8]
  var room = BenchServer.room

  /// The clients of a server whose address and key are arguments.
  init(_ address: String, _ key: String) throws {
    (self.address, self.key) = (try NetworkAddress(parsing: address), try [UInt8](hex: key.utf8))
  }

  /// Runs clients if the arguments select them; false if they do not.
  static func run(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 5, let mode = Mode(rawValue: arguments[1]), let count = Int(arguments[4]) else {
      return false
    }
    let client = try LoadClient(arguments[2], arguments[3])
    guard mode != .catchUp else {
      try client.catchUp(count)
      return true
    }
    // Sendable without the compiler's check: each connection has requests of its own.
    nonisolated(unsafe) let exchanges = try client.exchanges(mode, count)
    together(exchanges.count) { index in
      let connection = LoadConnection(to: client.address)
      for exchange in exchanges[index] { exchange(connection) }
    }
    return true
  }

  /// The requests of each connection.
  func exchanges(_ mode: Mode, _ count: Int) throws -> [[Exchange]] {
    let (state, connections) = (try state(), mode.isPost ? Self.postConnections : Self.connections)
    return try (0..<connections).map { index in
      var identity = try person()
      let room = mode == .postInRooms ? BenchServer.rooms[index % BenchServer.rooms.count] : room
      return try (0..<max(count / connections, 1)).map { number in
        if mode == .postOfMany, number > 0, number % Self.postsOfOne == 0 { identity = try person() }
        if mode == .sealedPoll { return try sealedPoll(identity, state) }
        let request = try request(mode, identity, state, in: room)
        return { $0.exchange(request, expecting: mode.isPost ? 201 : 200) }
      }
    }
  }

  func person() throws -> CommunityIdentity {
    try CommunityIdentity(of: .generate(), on: key, scheme: .blinded15)
  }

  private func sealedPoll(
    _ identity: CommunityIdentity, _ state: (sequence: Int64, info: Int64)
  ) throws -> Exchange {
    let (body, headers) = try poll(identity, state)
    let sealed = SealedRequest("POST", "/batch", body, headers, for: key)
    let head =
      "POST /oxen/v4/lsrpc HTTP/1.1\r\nHost: \(address)\r\nContent-Length: \(sealed.bytes.count)\r\n\r\n"
    return { connection in
      let reply = connection.exchange(Array(head.utf8) + sealed.bytes, expecting: 200)
      guard sealed.status(of: reply) == 200 else { fatalError("a sealed poll was refused") }
    }
  }

  /// The numbers of the last message and of the last description.
  func state() throws -> (sequence: Int64, info: Int64) {
    let connection = LoadConnection(to: address)
    let json = try JSONReader.value(of: connection.exchange(request("GET", "/room/\(room)"), expecting: 200))
    return (json["message_sequence"]?.integer ?? 0, json["info_updates"]?.integer ?? 0)
  }

  private func request(
    _ mode: Mode, _ identity: CommunityIdentity, _ state: (sequence: Int64, info: Int64), in room: String
  ) throws -> [UInt8] {
    switch mode {
    case .poll: return try pollRequest(identity, state)
    case .recent: return request("GET", "/room/\(room)/messages/recent?limit=100")
    case .post, .postOfMany, .postInRooms:
      let data = [UInt8](repeating: 7, count: 199) + [0x80]
      let body = JSONValue.object([
        .init("data", .string(data.base64)),
        .init("signature", .string(try identity.sign(post: data).base64)),
      ])
      return try signed("POST", "/room/\(room)/message", body.description, identity)
    case .catchUp, .sealedPoll: return []
    }
  }

  func pollRequest(
    _ identity: CommunityIdentity, _ state: (sequence: Int64, info: Int64)
  ) throws -> [UInt8] {
    let (body, headers) = try poll(identity, state)
    return request("POST", "/batch", body, headers)
  }

  /// A batch of what clients ask for again and again, with its signature.
  private func poll(
    _ identity: CommunityIdentity, _ state: (sequence: Int64, info: Int64)
  ) throws -> (body: String, headers: [(String, String)]) {
    let paths = [
      "/room/\(room)/pollInfo/\(state.info)", "/room/\(room)/messages/since/\(state.sequence)?t=r&reactors=5",
      "/inbox/since/0", "/outbox/since/0",
    ]
    let body = JSONValue.array(paths.map { ["method": "GET", "path": .string($0)] }).description
    return (body, try signature("POST", "/batch", body, identity))
  }

  /// Reads so many messages.
  func catchUp(_ count: Int) throws {
    let connection = LoadConnection(to: address)
    var (last, seen): (Int64, Int) = (0, 0)
    while seen < count {
      let path = "/room/\(room)/messages/since/\(last)?limit=256&t=r&reactors=5"
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
    request(method, path, body, try signature(method, path, body, identity))
  }

  /// The headers that sign a request.
  private func signature(
    _ method: String, _ path: String, _ body: String, _ identity: CommunityIdentity
  ) throws -> [(String, String)] {
    let nonce = try SecretBytes.random(count: 16).reveal()
    let time = try MessageTime(milliseconds: MachineClock.wallMilliseconds)
    let signature = try identity.sign(
      CommunityIdentity.Request(method, path, body: Array(body.utf8), nonce: nonce, at: time))
    return [
      ("X-SOGS-Pubkey", identity.signer.description), ("X-SOGS-Timestamp", "\(time.seconds)"),
      ("X-SOGS-Nonce", nonce.base64), ("X-SOGS-Signature", signature.base64),
    ]
  }

  func request(
    _ method: String, _ path: String, _ body: String = "", _ headers: [(String, String)] = []
  ) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
    return Array("\(text)\r\n\(body)".utf8)
  }
}
