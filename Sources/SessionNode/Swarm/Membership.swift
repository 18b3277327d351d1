import SessionCore
import SessionNodeCore

/// A node's knowledge of its network: the nodes, and its own swarm.
struct Membership: Sendable {
  let file: NetworkFile
  let ownKey: [UInt8]
  /// Nil without a swarm: it then only relays, and keeps its store.
  let ownSwarm: UInt64?
  let space: SwarmSpace
  private let byKey: [[UInt8]: NodeRecord]
  private let bySwarm: [UInt64: [NodeRecord]]

  /// Throws `notListed`, and `listWithoutSwarms` for a list that no network can live with.
  init(_ file: NetworkFile, ownKey: [UInt8]) throws(NodeFailure) {
    self.file = file
    self.ownKey = ownKey
    let funded = file.nodes.filter(\.isFunded)
    byKey = Dictionary(funded.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    bySwarm = Dictionary(grouping: byKey.values.filter { $0.swarm != NodeRecord.noSwarm }, by: \.swarm)
      .mapValues { $0.sorted { $0.key.lexicographicallyPrecedes($1.key) } }
    space = SwarmSpace(bySwarm.keys)
    guard let own = byKey[ownKey] else { throw .notListed }
    guard !bySwarm.isEmpty else { throw .listWithoutSwarms }
    ownSwarm = own.swarm == NodeRecord.noSwarm ? nil : own.swarm
  }

  /// The node with a key, whether it serves a swarm or not.
  func node(_ key: [UInt8]) -> NodeRecord? { byKey[key] }

  func members(of swarm: UInt64) -> [NodeRecord] { bySwarm[swarm] ?? [] }

  func swarm(of account: [UInt8]) -> StorageSwarm {
    guard let id = space.swarm(of: account) else { return StorageSwarm(id: NodeRecord.noSwarm, nodes: []) }
    return StorageSwarm(id: id, nodes: members(of: id))
  }

  /// True if this node stores the messages of an account.
  func isOurs(_ account: [UInt8]) -> Bool { ownSwarm != nil && space.swarm(of: account) == ownSwarm }

  /// The other members of this node's swarm.
  var peers: [NodeRecord] { ownSwarm.map { members(of: $0).filter { $0.key != ownKey } } ?? [] }

  /// The nodes that have a swarm.
  var activeNodes: [NodeRecord] { file.activeNodes }
}
