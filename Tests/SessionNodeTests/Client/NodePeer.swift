import SessionCore
import SessionEndpoint
import SessionNode
import SessionNodeCore
import Testing

/// Somebody who speaks to nodes as one of them.
final class NodePeer: Sendable {
  private let endpoint: NetworkEndpoint

  init(_ keys: NodeKeys) throws {
    var options = NetworkEndpoint.Options(identity: keys.identity)
    options.handshakeTimeout = .seconds(60)
    options.requestTimeout = .seconds(60)
    endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
  }

  /// Takes the place of a node, which dies.
  convenience init(insteadOf number: Int, in playground: Playground) async throws {
    let keys = try #require(await playground.net.places[number - 1].node).keys
    try await playground.net.kill(number)
    try self.init(keys)
  }

  func stop() async { await endpoint.stop() }

  func request(_ command: String, _ body: [UInt8], at node: NodeRecord) async throws -> [UInt8] {
    try await endpoint.request(command, body: body, to: node.peer)
  }

  /// Sends a command with these parts to a node, and returns its reply.
  func call(_ command: String, _ parts: [[UInt8]], at node: NodeRecord) async throws -> (
    code: Int, body: [UInt8]
  ) {
    try #require(MessageParts.readAnswer(try await request(command, MessageParts.pack(parts), at: node)))
  }
}
