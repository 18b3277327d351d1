import SessionBase
import SessionCore
import SessionNodeCore
import SessionService

/// The state of a node, for its operator.
public struct NodeStatus: Codable, Hashable, Sendable {
  public struct Member: Codable, Hashable, Sendable {
    public let key: String
    public let address: String
    /// True if it replied to the last call; nil before the first.
    public let isReachable: Bool?
  }

  public let key: String
  public let address: String
  /// The address where it listens for HTTPS, if it does.
  public let httpsAddress: String?
  public let version: String
  /// Why it is of no use now; nil when it is.
  public let unreadiness: String?
  /// Nil for none.
  public let swarm: UInt64?
  /// The other members of the swarm.
  public let members: [Member]
  /// The height of its list; 0 for none.
  public let height: UInt64
  public let listedNodes: Int
  public let messages: Int
  public let subscriptions: Int
  /// Requests that other members are owed.
  public let debts: Int
  /// Nodes that the store is being handed over to.
  public let transfers: Int
  /// The number of requests it has replied to.
  public let requests: UInt64
  /// Bytes of the process.
  public let memory: Int
  public let uptimeSeconds: Int

  public var isReady: Bool { unreadiness == nil }
}

extension StorageNode {
  /// The state of the node.
  public func status() async -> NodeStatus {
    let membership = membership
    // If the store cannot be read, report zero.
    let owed = (try? await store.owed()) ?? (debts: 0, transfers: 0)
    return NodeStatus(
      key: keys.publicKey.hex, address: address.map { "\($0)" } ?? "",
      httpsAddress: httpsAddress.map { "\($0)" },
      version: NodeOptions.version.map(String.init).joined(separator: "."), unreadiness: unreadiness,
      swarm: membership?.ownSwarm,
      members: (membership?.peers ?? []).map { peer in
        NodeStatus.Member(
          key: peer.key.hex, address: "\(peer.address)", isReachable: reachability.isReachable(peer.key))
      },
      height: height, listedNodes: membership?.file.nodes.count ?? 0,
      messages: (try? await store.count()) ?? 0, subscriptions: subscriptions.count, debts: owed.debts,
      transfers: owed.transfers, requests: metrics.requests.total,
      memory: MemoryUse.now, uptimeSeconds: Int((max(now, began) - began) / 1000))
  }
}
