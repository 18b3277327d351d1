import CSessionCore
import Foundation
import SessionCore
import SessionHTTP
import SessionNode
import Testing

@testable import SessionServers

/// Nodes pass requests on to servers: through three hops, and from one that is asked directly.
@Suite struct PassingOnTests {
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

  /// What a node that is asked directly answers to a request to a server: the code, and the words.
  private func ask(
    _ record: NodeRecord, host: String, port: UInt16, isHTTP: Bool = true, server: [UInt8]
  ) async throws -> (code: Int, text: String) {
    let client = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"))
    let onion = try ExitCall(host: host, port: port, isHTTP: isHTTP, by: record, for: server)
    var outcome = (code: 200, text: "")
    do throws(SessionError) {
      outcome.text = String(
        decoding: try await client.request(
          "onion_req", body: onion.bytes, to: record.peer, timeout: .seconds(60)),
        as: UTF8.self)
    } catch {
      let refusal = try #require(error.refusal)
      outcome.code = Int(refusal.code)
      outcome.text = String(decoding: refusal.body, as: UTF8.self)
    }
    await client.stop()
    return outcome
  }

  @Test func whereNoRequestMayGoIsRefused() async throws {
    try await withDevnet(nodes: 1) { (net) async throws in
      let service = try #require(net.file.services["file"])
      let port = try #require(service.server.port)
      let record = net.file.nodes[0]
      let key = try service.server.key
      for host in ["127.0.0.1", "localhost", "[::1]", "files.example", "2130706433", "10.0.0.1"] {
        #expect(try await ask(record, host: host, port: port, server: key).code == 400, "\(host)")
      }
      let host = try service.server.host
      #expect(try await ask(record, host: host, port: port &+ 1, server: key).code == 400)
      // With TLS where there is none: it may go there, and finds nobody who speaks it.
      #expect(try await ask(record, host: host, port: port, isHTTP: false, server: key).code == 502)
      #expect(try await ask(record, host: host, port: port, server: key).code == 200)
    }
  }

  @Test func whatServersDoWrongIsSaid() async throws {
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
      func answer(_ port: UInt16) async throws -> (code: Int, text: String) {
        try await ask(record, host: "127.0.0.1", port: port, server: key)
      }
      #expect(try await answer(slow.address.port).code == 504)
      let busy = try await answer(odd.address.port)
      #expect(busy.code == 503 && busy.text.hasSuffix("\n\nbusy"))
      #expect(try await answer(huge.address.port).code == 502)
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

/// A request to a server, in one layer for the node that passes it on.
struct ExitCall {
  let bytes: [UInt8]

  init(host: String, port: UInt16, isHTTP: Bool, by node: NodeRecord, for server: [UInt8]) throws {
    var hop = sc_onion_node()
    withUnsafeMutableBytes(of: &hop.ed25519) { $0.copyBytes(from: node.key) }
    withUnsafeMutableBytes(of: &hop.x25519) { $0.copyBytes(from: node.exchangeKey) }
    var destination = sc_onion_destination()
    destination.kind = SC_ONION_TO_SERVER
    withUnsafeMutableBytes(of: &destination.server.x25519) { $0.copyBytes(from: server) }
    let payload = SessionServersTests.bytes(#"l49:{"method":"GET","endpoint":"/file/1","headers":{}}e"#)
    var (out, key) = (sc_buffer(), sc_onion_key())
    let (host, target) = (Array(host.utf8), Array("/oxen/v4/lsrpc".utf8))
    let status = host.withUnsafeBufferPointer { host in
      target.withUnsafeBufferPointer { target in
        payload.withUnsafeBufferPointer { payload in
          destination.server.url = sc_onion_url(
            host: sc_bytes(ptr: host.baseAddress, len: host.count),
            target: sc_bytes(ptr: target.baseAddress, len: target.count), is_http: isHTTP, port: port)
          return sc_onion_build(
            &out, &key, nil, SC_HOP_XCHACHA20, &hop, 1, &destination,
            sc_bytes(ptr: payload.baseAddress, len: payload.count))
        }
      }
    }
    defer { sc_buffer_free(&out) }
    try #require(status == SC_OK)
    bytes = Array(UnsafeBufferPointer(start: out.ptr, count: out.len))
  }
}
