import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// A community server on loopback with the room `lobby`, and a client that asks it.
struct CommunitySite: Sendable {
  /// An answer, with its body as JSON where it is some.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var json: JSONValue { (try? JSONReader.value(of: body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  let server: CommunityServer
  let folder: TemporaryFolder
  let clock: TestClock
  let client: HTTPClient

  func member(_ scheme: CommunityIdentity.Scheme = .blinded15) throws -> Member {
    try Member(try Account.generate(), on: server.key, scheme)
  }

  /// Calls the server as a member, or anonymously.
  func call(
    _ member: Member?, _ method: String, _ path: String, _ body: [UInt8] = [], over way: Way = .plain,
    headers: [(String, String)] = []
  ) async throws -> Answer {
    let target = try #require(HTTPTarget(unicode: path))
    let signed = try member?.headers(method, target.signedPath, body, at: clock.now) ?? []
    return try await send(method, path, headers: headers + signed, body, over: way)
  }

  /// Calls the server with a JSON body.
  func call(
    _ member: Member?, _ method: String, _ path: String, json: JSONValue, over way: Way = .plain
  ) async throws -> Answer {
    try await call(member, method, path, bytes(json.description), over: way)
  }

  /// Sends a request as it is. `passedOn` are the headers that a proxy in front of the server adds to one through the network.
  func send(
    _ method: String, _ path: String, headers: [(String, String)], _ body: [UInt8] = [],
    over way: Way = .plain, passedOn: [(String, String)] = []
  ) async throws -> Answer {
    switch way {
    case .plain:
      let address = try #require(server.address)
      let path = try #require(HTTPTarget(unicode: path)).text
      var fields = HTTPHeaders()
      for (name, value) in headers { fields.append(name, value) }
      var request = HTTPClient.Request(
        HTTPMethod(rawValue: method), "http://\(address)\(path)", headers: fields, body: body)
      request.timeout = .seconds(600)
      request.maxReply = 32 * 1024 * 1024
      let reply = try await client.send(request)
      return Answer(status: reply.status, headers: reply.headers, body: reply.body)
    case .onion:
      let sealed = try SealedExchange(
        method, path, headers: headers, body: body.isEmpty ? nil : body, for: server.key)
      let address = try #require(server.address)
      var fields = HTTPHeaders()
      for (name, value) in passedOn { fields.append(name, value) }
      var request = HTTPClient.Request(
        .post, "http://\(address)\(OnionHTTPServer.onionPath)", headers: fields, body: sealed.bytes)
      request.timeout = .seconds(600)
      request.maxReply = 32 * 1024 * 1024
      let reply = try await client.send(request)
      try #require(reply.status == 200, "\(reply.status)")
      let answer = try sealed.open(reply.body)
      return Answer(status: answer.status, headers: answer.headers, body: answer.body)
    }
  }

  // MARK: - What tests do often

  /// Posts a text, and returns the message.
  @discardableResult
  func post(_ text: String, as member: Member, in room: String = "lobby") async throws -> JSONValue {
    clock.advance(.seconds(4))
    let answer = try await call(member, "POST", "/room/\(room)/message", json: try member.post(text))
    try #require(answer.status == 201, "\(answer.text)")
    return answer.json
  }

  /// The texts of a page of messages.
  func texts(_ member: Member?, _ path: String) async throws -> [String] {
    let answer = try await call(member, "GET", path)
    try #require(answer.status == 200, "\(answer.text)")
    return answer.json.elements.map { Member.text($0) ?? "-" }
  }

  /// Somebody who is an admin of the server, and has come.
  func admin() async throws -> Member {
    let admin = try member()
    _ = try await call(admin, "GET", "/rooms")
    let key = try CommunityPerson(of: admin.account.id, on: server.key).key
    try await server.store.write { try $0.run("UPDATE person SET role = 2 WHERE key = ?1", key) }
    return admin
  }

  /// Does what the server does from time to time.
  func tidy() async throws {
    // What is in memory, however little time has passed.
    await server.store.tidy(server.rules, isLast: true, now: Int64(clock.now))
    await server.store.tidy(server.rules, now: Int64(clock.now))
  }

  /// The number of files whose content is stored, in the folder or in rows.
  func contentCount() async throws -> Int {
    let inRows: Int? = try await server.store.read {
      try $0.value("SELECT count(DISTINCT file) FROM file_chunk")
    }
    return folder.files(in: "files").count + (inRows ?? 0)
  }

  func addRoom(_ token: String, name: String = "A room") async throws {
    let room = try #require(NewRoom(token: token, name: name))
    let now = Int64(clock.now)
    let isAdded = try await server.store.write { try $0.add(room, now: now) }
    try #require(isAdded)
  }

}

/// Somebody with an id on a server.
struct Member: Sendable {
  let account: Account
  let identity: CommunityIdentity

  init(_ account: Account, on server: [UInt8], _ scheme: CommunityIdentity.Scheme) throws {
    self.account = account
    identity = try CommunityIdentity(of: account, on: server, scheme: scheme)
  }

  /// The same account with another id.
  func with(_ scheme: CommunityIdentity.Scheme) throws -> Member {
    try Member(account, on: identity.server, scheme)
  }

  /// The id that others see.
  var id: String { identity.author.description }

  /// The headers that sign a request; `now` is in milliseconds.
  func headers(
    _ method: String, _ path: String, _ body: [UInt8] = [], at now: UInt64, nonce: [UInt8]? = nil
  ) throws -> [(String, String)] {
    let nonce = try nonce ?? SecretBytes.random(count: 16).reveal()
    let time = try MessageTime(milliseconds: now)
    let signature = try identity.sign(
      CommunityIdentity.Request(method, path, body: body, nonce: nonce, at: time))
    return [
      ("X-SOGS-Pubkey", identity.signer.description), ("X-SOGS-Timestamp", "\(time.seconds)"),
      ("X-SOGS-Nonce", nonce.base64), ("X-SOGS-Signature", signature.base64),
    ]
  }

  /// A post with a padded text and its signature.
  func post(_ text: String, _ others: [JSONValue.Member] = []) throws -> JSONValue {
    try post(data: bytes(text) + [0x80] + [UInt8](repeating: 0, count: 7), others)
  }

  func post(data: [UInt8], _ others: [JSONValue.Member] = []) throws -> JSONValue {
    let signature = try identity.sign(post: data)
    return .object(
      [.init("data", .string(data.base64)), .init("signature", .string(signature.base64))] + others)
  }

  /// The text of a message without its padding; nil for a deletion or a reaction.
  static func text(_ message: JSONValue) -> String? {
    guard let data = message["data"]?.string, let bytes = try? [UInt8](base64: data.utf8),
      let end = bytes.lastIndex(of: 0x80)
    else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}

extension JSONValue {
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var names: [String] { if case .object(let members) = self { members.map(\.name) } else { [] } }
  var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .decimal(let number): number
    default: nil
    }
  }
}

/// Begins a community server and a client, and stops them in the end.
func withCommunity(
  in folder: TemporaryFolder? = nil, clock: TestClock = TestClock(),
  _ change: (inout CommunityServer.Options) -> Void = { _ in }, body: (CommunitySite) async throws -> Void
) async throws {
  let folder = try folder ?? TemporaryFolder()
  var options = CommunityServer.Options(folder: folder.path, addresses: [try loopback()])
  if let databases = TestDatabases.current {
    options.database = try databases.address(for: folder.path)
    if !databases.haveFiles { options.files = folder.path + "/files" }
  }
  options.upkeepInterval = .seconds(100_000)
  options.wallClock = { clock.now }
  // The clock stands still while tests ask.
  options.requests.perPerson = 1e6
  options.requests.burst = 1e6
  options.requests.anonymous = 1e6
  options.requests.perAddress = 1e6
  options.requests.newcomersPerMinute = 1e6
  options.requests.changesPerMinute = 1e6
  change(&options)
  _ = try CommunityServer.prepare(folder: options.folder, database: options.database)
  let server = try CommunityServer(options)
  var clientOptions = HTTPClient.Options()
  clientOptions.connectTimeout = .seconds(600)
  let client = try HTTPClient(options: clientOptions)
  let site = CommunitySite(server: server, folder: folder, clock: clock, client: client)
  let outcome: Result<Void, any Error>
  do {
    let now = Int64(clock.now)
    if let lobby = NewRoom(token: "lobby", name: "Lobby") {
      _ = try await server.store.write { try $0.add(lobby, now: now) }
    }
    outcome = .success(try await body(site))
  } catch {
    outcome = .failure(error)
  }
  await client.stop()
  await server.stop(grace: .zero)
  try outcome.get()
}
