import Foundation
import SessionBase
import SessionCore
import SessionEndpoint
import SessionHTTP
import SessionNode
import SessionNodeCore
import Testing

/// A small network, and a client that asks its nodes without onions.
final class Playground: Sendable {
  let net: Devnet
  private let way: Way
  private let client: NetworkEndpoint
  private let web: WebClient?

  init(nodes: Int = 3, swarms: Int = 1, way: Way = .quic, _ change: (inout NodeOptions) -> Void = { _ in })
    async throws
  {
    var options = Devnet.Options(folder: freshPath())
    options.nodes = nodes
    options.swarms = swarms
    options.hasHTTPS = way.needsHTTPS
    self.way = way
    web = way.needsHTTPS ? try WebClient() : nil
    // The machine may be slow; who is dead shows without that.
    options.node.handshakeTimeout = .seconds(8)
    options.node.memberTimeout = .seconds(60)
    options.node.slowMemberTimeout = .seconds(60)
    options.node.lateTimeout = .seconds(60)
    // Nodes do their periodic work only when a test triggers it.
    options.node.replicationInterval = .seconds(100_000)
    options.node.testInterval = .seconds(100_000)
    change(&options.node)
    net = try await Devnet.start(options)
    client = try patientClient()
  }

  func stop() async {
    await client.stop()
    await web?.client.stop()
    await net.stop()
  }

  var records: [NodeRecord] { net.file.nodes }

  /// A node of the account's swarm, or not of it.
  func node(serving account: Account, _ isMember: Bool = true) throws -> NodeRecord {
    let swarm = SwarmSpace(records.map(\.swarm)).swarm(of: account.bytes)
    return try #require(records.first { ($0.swarm == swarm) == isMember })
  }

  /// Asks in JSON, in the way of this playground.
  func call(_ method: String, _ parameters: [String: Any], at node: NodeRecord? = nil) async throws -> Answer
  {
    guard way != .quic else {
      return try await call(
        method, body: Array(try JSONSerialization.data(withJSONObject: parameters)), at: node)
    }
    let message: [String: Any] = ["method": method, "params": parameters]
    return try await call(
      call: Array(try JSONSerialization.data(withJSONObject: message)), at: node ?? records[0])
  }

  private func call(call: [UInt8], at node: NodeRecord) async throws -> Answer {
    guard way != .https else {
      let reply = try await #require(web).post(call, "/storage_rpc/v1", at: node)
      return Answer(code: reply.status, bytes: reply.body, isList: false)
    }
    let onion = try OnionCall(call, for: node)
    let sealed: [UInt8]
    if let web {
      let reply = try await web.post(onion.bytes, "/onion_req/v2", at: node)
      try #require(reply.status == 200)
      sealed = reply.body
    } else {
      sealed = try await client.request("onion_req", body: onion.bytes, to: node.peer, timeout: .seconds(60))
    }
    let (code, body) = try onion.open(sealed)
    return Answer(code: code, bytes: body, isList: false)
  }

  func call(_ method: String, body: [UInt8], at node: NodeRecord? = nil) async throws -> Answer {
    try await Answer.of {
      try await client.request(method, body: body, to: (node ?? records[0]).peer, timeout: .seconds(60))
    }
  }
}

/// A client that waits also for a slow machine.
func patientClient() throws -> NetworkEndpoint {
  var options = NetworkEndpoint.Options()
  options.handshakeTimeout = .seconds(60)
  options.requestTimeout = .seconds(60)
  return try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
}

func freshPath() -> String {
  FileManager.default.temporaryDirectory.appending(path: "node-\(UUID().uuidString)").path
}

/// The reply of a node.
struct Answer {
  let code: Int
  let bytes: [UInt8]
  /// True if the body is in a list with the code, as over QUIC.
  var isList = true

  /// Returns the reply to a request over QUIC.
  static func of(_ request: () async throws -> [UInt8]) async throws -> Answer {
    do {
      return Answer(code: 200, bytes: try await request())
    } catch let error as SessionError {
      let refusal = try #require(error.refusal, "\(error)")
      let text = String(decoding: refusal.body, as: UTF8.self)
      let body = text.range(of: "\n\n").map { text[$0.upperBound...] } ?? ""
      return Answer(code: Int(refusal.code), bytes: Array(body.utf8))
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The body, without the code.
  var json: [String: Any] {
    get throws {
      guard isList else {
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
      }
      let list = try JSONSerialization.jsonObject(with: Data(bytes)) as? [Any]
      #expect(list?.first as? Int == code)
      return try #require(list?.last as? [String: Any])
    }
  }

  /// The reply of each member of the swarm, by its key.
  var swarm: [String: [String: Any]] {
    get throws { try #require(try json["swarm"] as? [String: [String: Any]]) }
  }

  var messages: [[String: Any]] { get throws { try #require(try json["messages"] as? [[String: Any]]) } }
}

/// Somebody who has an account, or a group, and signs.
struct Account {
  let keys: NodeKeys
  let prefix: UInt8

  init(_ number: UInt8, prefix: UInt8 = 0x05) throws {
    keys = try NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: number, count: 32)))
    self.prefix = prefix
  }

  var bytes: [UInt8] { [prefix] + (prefix == 0x05 ? keys.exchangeKey : keys.publicKey) }
  var hex: String { bytes.hex }

  func sign(_ text: String) throws -> String { try keys.sign(text.utf8).base64 }

  /// Parameters with what proves that the owner asks.
  func signed(_ text: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    var all = parameters
    all["pubkey"] = hex
    all["signature"] = try sign(text)
    if prefix == 0x05 { all["pubkey_ed25519"] = keys.publicKey.hex }
    return all
  }

  /// Returns the parameters of a request that stores a message.
  func storing(
    _ data: [UInt8], in namespace: Int16 = 0, at time: UInt64 = wall, ttl: UInt64 = 86_400_000
  ) throws -> [String: Any] {
    let number = namespace == 0 ? "" : "\(namespace)"
    return try signed(
      "store\(number)\(time)",
      ["namespace": Int(namespace), "timestamp": time, "ttl": ttl, "data": data.base64])
  }

  func retrieving(
    from namespace: Int16 = 0, after hash: String = "", _ more: [String: Any] = [:]
  ) throws -> [String: Any] {
    let time = wall
    let number = namespace == 0 ? "" : "\(namespace)"
    return try signed(
      "retrieve\(number)\(time)",
      ["namespace": Int(namespace), "timestamp": time, "last_hash": hash].merging(more) { $1 })
  }

  func hash(_ data: [UInt8], in namespace: Int16 = 0) -> String {
    StoredMessage.hash(of: data, account: bytes, namespace: namespace)
  }
}

var wall: UInt64 { MachineClock.wallMilliseconds }
