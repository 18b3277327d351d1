import SessionBase
public import SessionCore
public import SessionEndpoint
import SessionNodeCore

/// The registry of a network, as nodes and clients see it: an address, and the operator's key.
public struct RegistryRemote: Hashable, Sendable {
  public let peer: NetworkPeer

  public init(address: NetworkAddress, operatorKey: [UInt8]) throws(SessionError) {
    peer = try NetworkPeer(address: address, key: operatorKey)
  }

  /// The list of nodes as it is now.
  public func list(timeout: Duration = .seconds(10)) async throws -> NetworkFile {
    let endpoint = try NetworkEndpoint(at: .any(reaching: peer.address))
    let text = try await doing {
      try await endpoint.request(RegistryCommand.list, to: peer, timeout: timeout)
    } andThen: {
      await endpoint.stop()
    }
    return try NetworkFile(parsing: text, operatorKey: peer.key)
  }

  /// Fetches the list over the caller's endpoint; nil if it has this height.
  func list(
    unless height: UInt64, over endpoint: NetworkEndpoint, timeout: Duration
  ) async throws(SessionError) -> NetworkFile? {
    let text = try await endpoint.request(
      RegistryCommand.list, body: Array("\(height)".utf8), to: peer, timeout: timeout)
    return text.isEmpty ? nil : try NetworkFile(parsing: text, operatorKey: peer.key)
  }

  /// Announces a node over its own endpoint. Returns the list if it differs from the node's.
  func announce(
    _ announcement: NodeAnnouncement, by keys: NodeKeys, over endpoint: NetworkEndpoint, timeout: Duration
  ) async throws(SessionError) -> NetworkFile? {
    let answer = try await endpoint.request(
      RegistryCommand.announce, body: try announcement.signed(by: keys), to: peer, timeout: timeout)
    return answer.isEmpty ? nil : try NetworkFile(parsing: answer, operatorKey: peer.key)
  }
}
