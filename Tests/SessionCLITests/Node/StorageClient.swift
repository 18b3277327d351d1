import Foundation
import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore
import Synchronization
import Testing

/// Somebody who stores and retrieves messages at nodes of other processes, and listens there.
final class StorageClient: Sendable {
  let keys: NodeKeys
  private let endpoint: NetworkEndpoint
  private let told: AsyncStream<Void>

  init(_ number: UInt8) throws {
    keys = try NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: number, count: 32)))
    let (told, telling) = AsyncStream.makeStream(of: Void.self)
    self.told = told
    var options = NetworkEndpoint.Options(
      identity: try .random(),
      handlers: [
        "notify": { _ in
          telling.yield()
          return []
        }
      ])
    options.handshakeTimeout = .seconds(60)
    options.requestTimeout = .seconds(60)
    endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
  }

  func stop() async { await endpoint.stop() }

  var account: [UInt8] { [0x05] + keys.exchangeKey }

  /// Stores a message; how many members of the swarm have it.
  func store(_ data: [UInt8], at peer: NetworkPeer) async throws -> Int {
    let time = MachineClock.wallMilliseconds
    let reply = try await call(
      "store", ["timestamp": time, "ttl": 86_400_000, "data": data.base64], signing: "store\(time)", at: peer)
    let members = try #require(reply["swarm"] as? [String: [String: Any]])
    return members.values.filter { $0["failed"] == nil }.count
  }

  /// The messages that a node has.
  func messages(at peer: NetworkPeer) async throws -> [[UInt8]] {
    let time = MachineClock.wallMilliseconds
    let reply = try await call("retrieve", ["timestamp": time], signing: "retrieve\(time)", at: peer)
    let messages = try #require(reply["messages"] as? [[String: Any]])
    return try messages.map { try [UInt8](base64: try #require($0["data"] as? String).utf8) }
  }

  /// The messages that a node has, as soon as there are so many.
  func messages(_ count: Int, at peer: NetworkPeer) async throws -> [[UInt8]] {
    try await listen(at: peer)
    var news = told.makeAsyncIterator()
    while true {
      let found = try await messages(at: peer)
      if found.count >= count { return found }
      _ = try #require(await news.next(), "the endpoint has stopped")
    }
  }

  private func listen(at peer: NetworkPeer) async throws {
    let time = MachineClock.wallMilliseconds / 1000
    let signature = try keys.sign("MONITOR\(account.hex)\(time)00".utf8)
    let body =
      Array("d1:P32:".utf8) + keys.publicKey + Array("1:di0e1:nli0ee1:s64:".utf8) + signature
      + Array("1:ti\(time)ee".utf8)
    let reply = try await endpoint.request("monitor", body: body, to: peer)
    #expect(String(decoding: reply, as: UTF8.self) == "d7:successi1ee")
  }

  private func call(
    _ method: String, _ parameters: [String: Any], signing text: String, at peer: NetworkPeer
  ) async throws -> [String: Any] {
    var all = parameters
    all["pubkey"] = account.hex
    all["pubkey_ed25519"] = keys.publicKey.hex
    all["signature"] = try keys.sign(text.utf8).base64
    let body = Array(try JSONSerialization.data(withJSONObject: all))
    let reply = try await endpoint.request(method, body: body, to: peer)
    let list = try #require(try JSONSerialization.jsonObject(with: Data(reply)) as? [Any])
    return try #require(list.last as? [String: Any])
  }
}
