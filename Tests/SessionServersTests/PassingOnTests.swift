import CSessionCore
import Foundation
import SessionCore
import SessionEndpoint
import SessionHTTP
import SessionNode
import SessionNodeCore
import Testing

@testable import SessionServers

/// Nodes forward requests to servers: over three hops, and from a node called directly.
@Suite(.timeLimit(.minutes(5))) struct PassingOnTests {
  private func withDevnet(
    nodes: Int = 6, _ change: (inout Devnet.Options) -> Void = { _ in }, body: (Devnet) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    var options = Devnet.Options(folder: folder.path + "/net")
    options.nodes = nodes
    options.swarms = 1
    options.servers = [.fileServer]
    // The machine may be slow; who is dead shows without that.
    options.node.handshakeTimeout = .seconds(8)
    change(&options)
    let net = try await Devnet.start(options)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(net)) } catch { outcome = .failure(error) }
    await net.stop()
    try outcome.get()
  }

  private func withClient(of net: Devnet, _ body: (Network, OnionServer) async throws -> Void) async throws {
    let network = try Network(Network.Options(net.file))
    try await network.start()
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await body(network, try #require(net.file.services["file"]).server))
    } catch {
      outcome = .failure(error)
    }
    await network.stop()
    try outcome.get()
  }

  private var patient: Network.Delivery {
    var delivery = Network.Delivery()
    delivery.category = .file
    delivery.timeout = .seconds(120)
    return delivery
  }

  private func upload(_ content: [UInt8]) -> ServerRequest {
    ServerRequest(
      .post, "/file", headers: [.init("Content-Type", "application/octet-stream")], body: content)
  }

  @Test func aFileGoesThroughThreeHopsAndComesBack() async throws {
    try await withDevnet { (net) async throws in
      try await withClient(of: net) { (network, server) async throws in
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let sent = try await network.send(upload(content), to: server, patient)
        #expect(sent.status == 200)
        #expect(sent.bodyKind == .json)
        let id = FileName.of(content)
        #expect(String(decoding: sent.body, as: UTF8.self).contains(id))
        let found = try await network.send(ServerRequest(.get, "/file/\(id)"), to: server, patient)
        #expect(found.body == content)
        #expect(found.bodyKind == .bytes)
        #expect(found[header: "expires"]?.hasSuffix(" GMT") == true)
        let missing = try await network.send(ServerRequest(.get, "/file/1"), to: server, patient)
        #expect(missing.status == 404)
        #expect(missing.body == bytes(#"{"status_code":404}"#))
      }
      let status = try #require(await net.status().servers.first)
      #expect(status.name == "file" && status.summary == "1 files, 300000 bytes")
    }
  }

  /// The largest file that fits a request between nodes, with all its layers, and back.
  @Test func theLargestFileThatFitsPasses() async throws {
    try await withDevnet(nodes: 4) { (net) async throws in
      try await withClient(of: net) { (network, server) async throws in
        let content = [UInt8](repeating: 7, count: ServerRequest.maxBody)
        let sent = try await network.send(upload(content), to: server, patient)
        #expect(sent.status == 200)
        let found = try await network.send(
          ServerRequest(.get, "/file/\(FileName.of(content))"), to: server, patient)
        #expect(found.body == content)
      }
    }
  }

  @Test func serversAreWhereTheyWere() async throws {
    let folder = try TemporaryFolder()
    var options = Devnet.Options(folder: folder.path + "/net", isTemporary: false)
    options.nodes = 1
    options.swarms = 1
    options.servers = [.fileServer]
    let first = try await Devnet.start(options)
    let service = try #require(first.file.services["file"])
    let read = try NetworkFile(parsing: Array(Data(contentsOf: URL(filePath: first.networkFile))))
    #expect(read.services == ["file": service])
    await first.stop()
    let second = try await Devnet.start(options)
    #expect(second.file.services == ["file": service])
    await second.stop()
  }

  // MARK: - Refusals

  private enum Outcome: Equatable {
    /// The reply of the server.
    case passed
    /// The reply of the last hop, which only the client can read.
    case refused(String)
    /// The node's own error, which any hop can read: code and text.
    case failed(Int, String)

    /// The code of the node's own error; nil if there is none.
    var code: Int? { if case .failed(let code, _) = self { code } else { nil } }
  }

  /// The result of a request to a server through one node called directly.
  private func call(
    _ record: NodeRecord, host: String, port: Int, protocol name: String = "http",
    target: String = "/oxen/v4/lsrpc", server: [UInt8]
  ) async throws -> Outcome {
    let client = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"))
    let call = try ExitCall(
      route: #""host":"\#(host)","port":\#(port),"protocol":"\#(name)","target":"\#(target)""#, by: record,
      for: server)
    let outcome: Outcome
    do throws(SessionError) {
      let reply = try await client.request(
        "onion_req", body: call.bytes, to: record.peer, timeout: .seconds(60))
      outcome = call.refusal(in: reply).map { .refused($0) } ?? .passed
    } catch {
      let refusal = try #require(error.refusal)
      let words = String(decoding: refusal.body, as: UTF8.self).split(separator: "\n\n").last ?? ""
      outcome = .failed(Int(refusal.code), String(words))
    }
    await client.stop()
    return outcome
  }

  @Test func requestsToForbiddenHostsAreRefused() async throws {
    let refused = Outcome.refused(#"{"status":400,"body":"Invalid url"}"#)
    try await withDevnet(nodes: 1) { (net) async throws in
      let service = try #require(net.file.services["file"])
      let record = net.file.nodes[0]
      let server = try service.server
      let port = Int(try #require(server.port))
      for host in [
        "127.0.0.1", "localhost", "[::1]", "files.example", "2130706433", "10.0.0.1", "169.254.169.254",
        "[::ffff:127.0.0.1]", "", "a/b", "a@b", "a b",
      ] {
        #expect(try await call(record, host: host, port: port, server: server.key) == refused, "\(host)")
      }
      for wrong in [port - 1, 0, 65_536, -1] {
        #expect(
          try await call(record, host: server.host, port: wrong, server: server.key) == refused, "\(wrong)")
      }
      for target in [
        "/metrics", "/oxen/v4/lsrpc?x", "/oxen/v4/lsrpc/", "/file/lsrpc", "//oxen/lsrpc", "oxen/lsrpc",
      ] {
        let outcome = try await call(
          record, host: server.host, port: port, target: target, server: server.key)
        #expect(outcome == refused, "\(target)")
      }
      for name in ["ftp", "file", "HTTP", ""] {
        let outcome = try await call(
          record, host: server.host, port: port, protocol: name, server: server.key)
        #expect(outcome == refused, "\(name)")
      }
      // It is allowed, and finds no TLS server.
      let secure = try await call(
        record, host: server.host, port: port, protocol: "https", server: server.key)
      #expect(secure.code == 502)
      #expect(try await call(record, host: server.host, port: port, server: server.key) == .passed)
    }
  }

  @Test func aNodeWithoutServersPassesNothingOn() async throws {
    let node = try StorageNode(keys: .random(), at: loopback(), store: .inMemory())
    let address = try #require(node.address)
    let record = NodeRecord(
      key: node.keys.publicKey, exchangeKey: node.keys.exchangeKey, host: address.hostBytes,
      quicPort: address.port, version: NodeOptions.version, swarm: 0)
    try node.learn(NetworkFile(name: "one", height: 1, nodes: [record], operatorKeys: .random()))
    let outcome = try await call(record, host: "files.example", port: 80, server: record.exchangeKey)
    #expect(outcome == .refused(#"{"status":400,"body":"Invalid url"}"#))
    await node.stop()
  }

  @Test func faultsOfServersAreReported() async throws {
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    let slow = try HTTPServer(at: loopback()) { _ in
      for await _ in ends {}
      return .text(200, "")
    }
    let odd = try HTTPServer(at: loopback()) { _ in .text(503, "busy") }
    let huge = try HTTPServer(at: loopback()) { _ in
      HTTPResponse(200, body: .bytes([UInt8](repeating: 0, count: WebGateway.maxReply + 1)))
    }
    var options = WebGateway.Options(hosts: [HostRule("127.0.0.1")!])
    options.reachesPrivateAddresses = true
    options.timeout = .seconds(2)
    let gateway = try WebGateway(options)
    try await withDevnet(nodes: 1) {
      $0.node.gateway = gateway
    } body: { (net) async throws in
      let record = net.file.nodes[0]
      let key = record.exchangeKey
      func answer(_ port: UInt16) async throws -> Outcome {
        try await call(record, host: "127.0.0.1", port: Int(port), server: key)
      }
      #expect(try await answer(slow.address.port) == .failed(504, "the server took too long"))
      #expect(try await answer(odd.address.port) == .failed(503, "busy"))
      #expect(try await answer(huge.address.port) == .failed(502, "the reply of the server is too large"))
      let free = try HTTPServer(at: loopback()) { _ in .text(200, "") }
      let port = free.address.port
      await free.stop()
      #expect(try await answer(port).code == 502)
    }
    ending.finish()
    await gateway.stop()
    for server in [slow, odd, huge] { await server.stop(grace: .zero) }
  }
}

/// A request to a server, in one layer for the node that passes it on, with any route.
struct ExitCall {
  let bytes: [UInt8]
  private let pair: sc_x25519_pair
  private let node: [UInt8]

  init(route: String, by record: NodeRecord, for server: [UInt8]) throws {
    let inner = try SealedExchange("GET", "/file/1", for: server).bytes
    // The node forwards all that the server reads: the length, the bytes, and the key of the sender.
    let length = inner[..<4].enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    let control = String(decoding: inner[(4 + length)...].dropFirst(), as: UTF8.self)
    let block = inner[..<(4 + length)] + SessionServersTests.bytes("{\(route),\(control)")
    var pair = sc_x25519_pair()
    sc_x25519_pair_generate(&pair, nil)
    var sealed = sc_buffer()
    defer { sc_buffer_free(&sealed) }
    let status = Array(block).withUnsafeBufferPointer {
      sc_hop_seal(
        &sealed, nil, SC_HOP_XCHACHA20, SC_HOP_CLIENT, &pair, record.exchangeKey,
        sc_bytes(ptr: $0.baseAddress, len: $0.count))
    }
    try #require(status == SC_OK)
    let count = UInt32(sealed.len)
    let key = withUnsafeBytes(of: pair.public_key) { Array($0) }.hex
    bytes =
      withUnsafeBytes(of: count.littleEndian) { Array($0) }
      + Array(UnsafeBufferPointer(start: sealed.ptr, count: sealed.len))
      + SessionServersTests.bytes(#"{"ephemeral_key":"\#(key)","enc_type":"xchacha20"}"#)
    self.pair = pair
    node = record.exchangeKey
  }

  /// Returns the refusal that the forwarding node sealed for the client; nil if it did not seal the reply.
  func refusal(in reply: [UInt8]) -> String? {
    guard let sealed = try? [UInt8](base64: reply) else { return nil }
    var opened = sc_buffer()
    defer { sc_buffer_free(&opened) }
    let status = withUnsafePointer(to: pair) { pair in
      sealed.withUnsafeBufferPointer {
        sc_hop_open(
          &opened, SC_HOP_XCHACHA20, SC_HOP_CLIENT, pair, node, sc_bytes(ptr: $0.baseAddress, len: $0.count))
      }
    }
    guard status == SC_OK else { return nil }
    return String(decoding: UnsafeBufferPointer(start: opened.ptr, count: opened.len), as: UTF8.self)
  }
}
