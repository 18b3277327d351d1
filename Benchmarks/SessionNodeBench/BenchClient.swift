import SessionBase
import SessionCore
import SessionEndpoint
import SessionNode
import SessionNodeCore

/// Somebody who asks a node in another process for many things at once: what that costs is not the node's.
enum BenchClient {
  static let storing = "--store"
  static let retrieving = "--retrieve"
  /// Requests that are under way at a time, so that commits are shared.
  private static let together = 256
  /// Bytes of a message.
  static let messageBytes = 200

  /// The account that all messages are of.
  static func account() throws -> NodeKeys {
    try NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
  }

  /// Runs the client if the arguments select it; false if they do not.
  static func run(_ arguments: [String]) async throws -> Bool {
    guard arguments.count == 5, [storing, retrieving].contains(arguments[1]), let count = Int(arguments[4])
    else { return false }
    let peer = try NetworkPeer(
      address: NetworkAddress(parsing: arguments[2]), key: [UInt8](hex: arguments[3].utf8))
    let endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"))
    let (method, keys) = (arguments[1] == storing ? "store" : "retrieve", try account())
    try await withThrowingTaskGroup { group in
      var begun = 0
      while begun < min(together, count) {
        group.addTask { try await ask(method, keys, peer, endpoint) }
        begun += 1
      }
      while try await group.next() != nil {
        guard begun < count else { continue }
        group.addTask { try await ask(method, keys, peer, endpoint) }
        begun += 1
      }
    }
    await endpoint.stop()
    return true
  }

  private static func ask(
    _ method: String, _ keys: NodeKeys, _ peer: NetworkPeer, _ endpoint: NetworkEndpoint
  ) async throws {
    _ = try await endpoint.request(method, body: try body(of: method, keys), to: peer, timeout: .seconds(120))
  }

  private static func body(of method: String, _ keys: NodeKeys) throws -> [UInt8] {
    let time = MachineClock.wallMilliseconds
    let account = [0x05] + keys.exchangeKey
    let signature = try keys.sign("\(method)2\(time)".utf8)
    var text = #"{"pubkey":"\#(account.hex)","pubkey_ed25519":"\#(keys.publicKey.hex)","namespace":2,"#
    text += #""timestamp":\#(time),"signature":"\#(signature.base64)""#
    if method == "store" {
      let data = try SecretBytes.random(count: messageBytes).reveal()
      text += #","ttl":86400000,"data":"\#(data.base64)""#
    } else {
      text += #","max_count":1"#
    }
    return Array((text + "}").utf8)
  }
}
