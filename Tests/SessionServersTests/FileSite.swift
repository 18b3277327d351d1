import Foundation
import SessionCore
import SessionHTTP
import Synchronization
import Testing

@testable import SessionServers

/// The two ways to ask a server.
enum Way: CaseIterable, Sendable {
  case plain
  case onion
}

/// A clock that tests set.
final class TestClock: Sendable {
  private let time: Mutex<UInt64>

  init(now: UInt64 = 1_800_000_000_000) { time = Mutex(now) }

  var now: UInt64 { time.withLock { $0 } }

  func advance(_ duration: Duration) { time.withLock { $0 += UInt64(duration.components.seconds) * 1000 } }

  func goBack(_ duration: Duration) { time.withLock { $0 -= UInt64(duration.components.seconds) * 1000 } }
}

/// A file server on loopback, and a client that asks it.
struct FileSite: Sendable {
  typealias Answer = SealedExchange.Answer

  let server: FileServer
  let folder: TemporaryFolder
  let clock: TestClock
  let client: HTTPClient

  func call(
    _ method: String, _ path: String, over way: Way = .plain, headers: [(String, String)] = [],
    body: [UInt8]? = nil
  ) async throws -> Answer {
    switch way {
    case .plain:
      var fields = HTTPHeaders()
      for (name, value) in headers { fields.append(name, value) }
      let reply = try await post(HTTPMethod(rawValue: method), path, headers: fields, body: body)
      return Answer(status: reply.status, headers: reply.headers, body: reply.body)
    case .onion:
      let sealed = try SealedExchange(method, path, headers: headers, body: body, for: server.exchangeKey)
      let reply = try await post(.post, OnionHTTPServer.onionPath, body: sealed.bytes)
      try #require(reply.status == 200)
      return try sealed.open(reply.body)
    }
  }

  func post(
    _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8]?
  ) async throws -> HTTPClient.Reply {
    let address = try #require(server.address)
    var request = HTTPClient.Request(method, "http://\(address)\(path)", headers: headers, body: body)
    request.timeout = .seconds(600)
    request.maxReply = 32 * 1024 * 1024
    return try await client.send(request)
  }

  /// Sends a file; the name it has from now on.
  func upload(_ content: [UInt8], over way: Way = .plain, ttl: String? = nil) async throws -> String {
    let headers = ttl.map { [("X-FS-TTL", $0)] } ?? []
    let answer = try await call("POST", "/file", over: way, headers: headers, body: content)
    try #require(answer.status == 200, "\(answer.status)")
    return try #require(try answer.json["id"] as? String)
  }

  func expiry(of id: String) async throws -> Double {
    try #require(try await call("GET", "/file/\(id)/info").json["expires"] as? Double)
  }
}

extension SealedExchange.Answer {
  var json: [String: Any] {
    get throws { try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) }
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Begins a file server and a client, and stops them in the end.
func withFileSite(
  in folder: TemporaryFolder? = nil, clock: TestClock = TestClock(),
  _ change: (inout FileServer.Options) -> Void = { _ in }, body: (FileSite) async throws -> Void
) async throws {
  let folder = try folder ?? TemporaryFolder()
  var options = FileServer.Options(folder: folder.path, address: try loopback())
  options.sweepInterval = .seconds(100_000)
  options.wallClock = { clock.now }
  change(&options)
  let server = try FileServer(options)
  var clientOptions = HTTPClient.Options()
  clientOptions.connectTimeout = .seconds(600)
  let client = try HTTPClient(options: clientOptions)
  let outcome: Result<Void, any Error>
  do {
    outcome = .success(try await body(FileSite(server: server, folder: folder, clock: clock, client: client)))
  } catch {
    outcome = .failure(error)
  }
  await client.stop()
  await server.stop(grace: .zero)
  try outcome.get()
}

func loopback() throws -> NetworkAddress { try NetworkAddress(parsing: "127.0.0.1:0") }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
