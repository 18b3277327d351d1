import Glibc
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
    /// The same in twenty rooms.
    case postInRooms = "--post-in-rooms"
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

  /// Polls of so many clients, each within so many milliseconds, over so many connections; prints how long they take.
  static func runCrowd(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 8, arguments[1] == "--crowd" else { return false }
    let numbers = arguments[4...].compactMap { Int($0) }
    guard numbers.count == 4 else { return false }
    let client = LoadClient(
      address: try NetworkAddress(parsing: arguments[2]), key: try [UInt8](hex: arguments[3].utf8))
    try client.runCrowd(
      Crowd(clients: numbers[0], interval: numbers[1], rounds: numbers[2], connections: numbers[3]))
    return true
  }

  private func runCrowd(_ crowd: Crowd) throws {
    let state = try room()
    let people = try (0..<crowd.clients).map { _ in
      try CommunityIdentity(of: .generate(), on: key, scheme: .blinded15)
    }
    let plain = request("GET", "/static/room.css")
    var few = crowd
    few = Crowd(
      clients: crowd.clients, interval: crowd.interval, rounds: min(crowd.rounds, 2),
      connections: crowd.connections)
    let floor = few.run(at: address, expecting: 200) { _ in plain }
    let times = crowd.run(at: address, expecting: 200) { client in
      do { return try request(.poll, people[client], state) } catch {
        fatalError("a request cannot be signed: \(error)")
      }
    }
    let rate = crowd.clients * 1000 / crowd.interval
    let seconds = crowd.interval * crowd.rounds / 1000
    func text(_ times: [Double]) -> String {
      [50, 95, 99, 100].map { part in
        let value = (times.percentile(part) * 100).rounded() / 100
        return part == 100 ? "most \(value)" : "p\(Int(part)) \(value)"
      }.joined(separator: ", ")
    }
    print(
      """
      community/\(crowd.clients) clients over \(crowd.connections) connections, \(rate) polls/s for \(seconds) s: \
      \(text(times)) ms; floor, a static page at the same pace: \(text(floor)) ms; p95 at most 50, p99 at most 10 at 80 %
      """)
  }

  private func run(_ mode: Mode, _ count: Int) throws {
    if mode == .catchUp { return try catchUp(count) }
    if mode == .sealedPoll { return try pollSealed(count) }
    let isPost = mode == .post || mode == .postInRooms
    let connections = isPost ? Self.postConnections : Self.connections
    let requests = try prepared(mode, count, connections)
    together(connections) { index in
      let connection = LoadConnection(to: address)
      for request in requests[index] { connection.exchange(request, expecting: isPost ? 201 : 200) }
    }
  }

  private func pollSealed(_ count: Int) throws {
    let state = try room()
    let requests = try (0..<Self.connections).map { _ in
      let identity = try CommunityIdentity(of: .generate(), on: key, scheme: .blinded15)
      return try (0..<count / Self.connections).map { _ in
        let (body, headers) = try poll(identity, state)
        return SealedRequest("POST", "/batch", body, headers, for: key)
      }
    }
    // Sendable without the compiler's check: each connection has requests of its own.
    nonisolated(unsafe) let all = requests
    together(Self.connections) { index in
      let connection = LoadConnection(to: address)
      for sealed in all[index] {
        let head = Array(
          "POST /oxen/v4/lsrpc HTTP/1.1\r\nHost: \(address)\r\nContent-Length: \(sealed.bytes.count)\r\n\r\n"
            .utf8)
        let reply = connection.exchange(head + sealed.bytes, expecting: 200)
        guard sealed.status(of: reply) == 200 else { fatalError("a sealed poll was refused") }
      }
    }
  }

  /// The requests of each connection, which is one person's.
  private func prepared(_ mode: Mode, _ count: Int, _ connections: Int) throws -> [[[UInt8]]] {
    let state = try room()
    return try (0..<connections).map { index in
      let identity = try CommunityIdentity(of: .generate(), on: key, scheme: .blinded15)
      let room = mode == .postInRooms ? BenchServer.rooms[index % BenchServer.rooms.count] : BenchServer.room
      return try (0..<count / connections).map { _ in try request(mode, identity, state, in: room) }
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
    _ mode: Mode, _ identity: CommunityIdentity, _ state: (sequence: Int64, info: Int64),
    in room: String = BenchServer.room
  ) throws -> [UInt8] {
    switch mode {
    case .poll:
      let (body, headers) = try poll(identity, state)
      return request("POST", "/batch", body, headers)
    case .recent: return request("GET", "/room/\(room)/messages/recent?limit=100")
    case .post, .postInRooms:
      let data = [UInt8](repeating: 7, count: 199) + [0x80]
      let body = JSONValue.object([
        .init("data", .string(data.base64)),
        .init("signature", .string(try identity.sign(post: data).base64)),
      ])
      return try signed("POST", "/room/\(room)/message", body.description, identity)
    case .catchUp, .sealedPoll: return []
    }
  }

  /// A batch of what clients ask for again and again, with its signature.
  private func poll(
    _ identity: CommunityIdentity, _ state: (sequence: Int64, info: Int64)
  ) throws -> (body: String, headers: [(String, String)]) {
    let room = BenchServer.room
    let paths = [
      "/room/\(room)/pollInfo/\(state.info)", "/room/\(room)/messages/since/\(state.sequence)?t=r&reactors=5",
      "/inbox/since/0", "/outbox/since/0",
    ]
    let body = JSONValue.array(paths.map { ["method": "GET", "path": .string($0)] }).description
    return (body, try signature("POST", "/batch", body, identity))
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

  private func request(
    _ method: String, _ path: String, _ body: String = "", _ headers: [(String, String)] = []
  ) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
    return Array("\(text)\r\n\(body)".utf8)
  }
}
