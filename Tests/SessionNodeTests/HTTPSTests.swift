import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import SessionNodeCore
import SessionService
import Testing

@testable import SessionNode

/// The parts of requests that only HTTPS has: paths, headers and lengths.
@Suite(.timeLimit(.minutes(5))) struct HTTPSTests {
  private let alice = try! Account(1)
  private let client: WebClient
  private let playground: Playground

  init() async throws {
    client = try WebClient()
    playground = try await Playground(nodes: 1, way: .https)
  }

  private func stop() async {
    await client.client.stop()
    await playground.stop()
  }

  private var node: NodeRecord { playground.records[0] }

  @Test func aNodeSaysWhoItIs() async throws {
    let ping = try await client.post([], "/ping_test/v1", at: node)
    #expect(ping.status == 200)
    #expect(ping.headers["X-Oxen-Snode-Pubkey"] == node.legacyKey.base64)
    let stats = try await client.send(.get, "/get_stats/v1", at: node)
    #expect(stats.status == 200)
    #expect(String(decoding: stats.body, as: UTF8.self) == #"{"version":"2.11.0"}"#)
    await stop()
  }

  @Test func unknownPathsAndOldClientsAreTurnedAway() async throws {
    for (method, path) in [
      (HTTPMethod.get, "/"), (.get, "/storage_rpc/v1"), (.post, "/storage_rpc/v2"), (.post, "/onion_req/v1"),
      (.post, "/storage_rpc/v1/x"), (.get, "/metrics"),
    ] {
      let body: [UInt8]? = method == .post ? [1] : nil
      #expect(try await client.send(method, path, body: body, at: node).status == 404, "\(path)")
    }
    let old = try await client.send(
      .post, "/storage_rpc/v1", headers: ["X-Loki-Long-Poll": "1"], body: [1], at: node)
    #expect(old.status == 410)
    await stop()
  }

  @Test(
    arguments: [
      ("", "invalid json"), ("{", "invalid json"), ("{}", "invalid json: no `method` field"),
      (#"{"method":5}"#, "invalid json: no `method` field"),
      (#"{"method":"info"}"#, "invalid json: no `params` field"),
      (#"{"method":"info","params":[]}"#, "invalid json: no `params` field"),
      (#"{"method":"nonsense","params":{}}"#, "no method nonsense"),
      ("d6:method4:infoe", "invalid json"),
    ])
  func aCallThatIsNoneIsRefusedWithWords(body: String, words: String) async throws {
    let reply = try await client.post(Array(body.utf8), "/storage_rpc/v1", at: node)
    #expect(reply.status == 400)
    #expect(String(decoding: reply.body, as: UTF8.self) == words)
    await stop()
  }

  @Test func aBodyMayHaveTenMebibytesAndNoMore() async throws {
    let limit = 10 * 1024 * 1024
    let space = [UInt8](repeating: UInt8(ascii: " "), count: limit)
    let call = Array(#"{"method":"info","params":{}}"#.utf8)
    let most = call + space.prefix(limit - call.count)
    #expect(try await client.post(most, "/storage_rpc/v1", at: node).status == 200)
    #expect(try await client.post(most + [32], "/storage_rpc/v1", at: node).status == 413)
    await stop()
  }

  @Test func onionsThatDoNotOpenAreRefusedInPlainText() async throws {
    let call = try OnionCall(Array(#"{"method":"info","params":{}}"#.utf8), for: node)
    var broken = call.bytes
    broken[20] ^= 1
    let reply = try await client.post(broken, "/onion_req/v2", at: node)
    #expect(reply.status == 400)
    #expect(String(decoding: reply.body, as: UTF8.self) == "Invalid ciphertext")
    for bytes in [[], [1, 2, 3], Array(call.bytes.dropLast())] as [[UInt8]] {
      let reply = try await client.post(bytes, "/onion_req/v2", at: node)
      #expect(reply.status == 400)
      #expect(String(decoding: reply.body, as: UTF8.self).hasPrefix("Error parsing onion request: "))
    }
    await stop()
  }

  @Test func aNodeWithoutANetworkIsNotReady() async throws {
    let lone = try StorageNode(
      keys: .random(), at: NetworkAddress(parsing: "127.0.0.1:0"), store: .inMemory())
    try lone.listenForHTTPS(
      at: NetworkAddress(parsing: "127.0.0.1:0"), as: .selfSigned(for: ["127.0.0.1"]))
    let record = try NodeRecord(
      key: lone.keys.publicKey, address: try #require(lone.address),
      httpsPort: try #require(lone.httpsAddress).port, version: [0, 0, 0], swarm: 0)
    let call = Array(#"{"method":"info","params":{}}"#.utf8)
    for (path, body) in [
      ("/storage_rpc/v1", call), ("/onion_req/v2", try OnionCall(call, for: record).bytes),
    ] {
      let reply = try await client.post(body, path, at: record)
      #expect(reply.status == 503)
      #expect(
        String(decoding: reply.body, as: UTF8.self) == "Service node is not ready: not done syncing\n")
    }
    await lone.stop()
    await stop()
  }

  @Test func aClientThatAsksTooOftenHasToWait() async throws {
    let strict = try await Playground(nodes: 1, way: .https) { $0.exemptsLoopback = false }
    let node = try #require(await strict.net.places[0].node)
    let call = Array(#"{"method":"info","params":{}}"#.utf8)
    let host = try NetworkAddress(parsing: "127.0.0.1:1").hostBytes
    var reply = try await client.post(call, "/storage_rpc/v1", at: strict.records[0])
    #expect(reply.status == 200)
    // As if many had come at once.
    let time = MachineClock.nanoseconds + 3_600_000_000_000
    while node.limiter.admits(host, isNode: false, now: time) {}
    reply = try await client.post(call, "/storage_rpc/v1", at: strict.records[0])
    #expect(reply.status == 429)
    #expect(String(decoding: reply.body, as: UTF8.self) == "Too many requests, try again later")
    await strict.stop()
    await stop()
  }

  @Test func nodesAreCalledOverHTTPSToo() async throws {
    let pair = try await Playground(nodes: 2, way: .https)
    let first = try #require(await pair.net.places[0].node)
    #expect(await first.answersHTTPS(pair.records[1]))
    var other = pair.records[1]
    other.legacyKey = pair.records[0].key
    #expect(await !first.answersHTTPS(other))
    try await pair.net.kill(2)
    #expect(await !first.answersHTTPS(pair.records[1]))
    other.httpsPort = 0
    #expect(await first.answersHTTPS(other))
    await pair.stop()
    await stop()
  }

  @Test func aCertificateIsKept() throws {
    let folder = freshPath()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let files = CertificateFiles(certificate: folder + "/https.crt", key: folder + "/https.key")
    let address = try NetworkAddress(parsing: "127.0.0.1:5")
    let first = try files.identity(for: address)
    #expect(try files.identity(for: address).certificate == first.certificate)
    let mode = try FileManager.default.attributesOfItem(atPath: files.key)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func prometheusIsToldOnLoopbackAlone() async throws {
    let node = try #require(await playground.net.places[0].node)
    #expect(throws: HTTPError.self) {
      try MetricsServer(node, at: NetworkAddress(parsing: "192.0.2.1:0"))
    }
    let server = try MetricsServer(node, at: NetworkAddress(parsing: "127.0.0.1:0"))
    let reply = try await client.client.send(HTTPClient.Request(.get, "http://\(server.address)/metrics"))
    #expect(reply.status == 200)
    #expect(reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(String(decoding: reply.body, as: UTF8.self).contains("session_node_ready 1\n"))
    #expect(
      try await client.client.send(HTTPClient.Request(.get, "http://\(server.address)/")).status == 404)
    await server.stop()
    await stop()
  }
}
