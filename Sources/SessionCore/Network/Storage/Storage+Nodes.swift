internal import CSessionCore

extension Storage {
  /// Asks a node about itself.
  public struct Info: Request {
    public init() {}

    public var call: Call<NodeInfo> {
      Call { _, _ in
        sc_storage_request(SC_STORAGE_INFO)
      } read: { (reading) throws(SessionError) in
        let info = reading.reply.pointee.of.info
        return NodeInfo(
          version: ServiceNode.Version(info.version), time: try MessageTime(stored: info.timestamp),
          fork: reading.fork)
      }
    }
  }

  /// What a node says about itself.
  public struct NodeInfo: Hashable, Sendable {
    public let version: ServiceNode.Version
    /// What its clock shows.
    public let time: MessageTime
    public let fork: Network.Fork?
  }

  /// Asks a node which nodes keep what is stored for an account. See ``Network/swarm(of:)`` for what is known here.
  public struct Swarm: Request {
    public let account: SessionID

    public init(of account: SessionID) {
      self.account = account
    }

    public var call: Call<SwarmNodes> {
      Call { _, _ in
        sc_storage_request(SC_STORAGE_GET_SWARM, account)
      } read: { reading in
        SwarmNodes(reading.reply.pointee.of.swarm)
      }
    }
  }

  /// A swarm as a node names it.
  public struct SwarmNodes: Hashable, Sendable {
    /// Nil when there is none.
    public let id: UInt64?
    public let nodes: [NodeRecord]
  }

  /// Asks a node for all nodes, in short: the reply does not say their X25519 and legacy keys.
  public struct ActiveNodes: Request {
    public init() {}

    public var call: Call<[NodeRecord]> {
      Call { _, _ in
        sc_storage_request(SC_STORAGE_ACTIVE_NODES)
      } read: { reading in
        NodeRecord.all(reading.reply.pointee.of.active_nodes)
      }
    }
  }

  /// Asks a node for all nodes, as its daemon has them.
  public struct ServiceNodes: Request {
    public let activeOnly: Bool
    /// How many at most.
    public let limit: Int?
    /// What the last list said, so that none comes if nothing has changed.
    public let lastBlock: String?

    public init(activeOnly: Bool = true, limit: Int? = nil, since lastBlock: String? = nil) {
      self.activeOnly = activeOnly
      self.limit = limit
      self.lastBlock = lastBlock
    }

    /// Nil when nothing has changed since the last block.
    public var call: Call<NodeList?> {
      Call { loan, _ in
        var request = sc_storage_request(SC_STORAGE_SERVICE_NODES)
        request.of.service_nodes = sc_storage_service_nodes_request(
          active_only: activeOnly, limit: UInt64(clamping: limit ?? 0),
          poll_block_hash: loan.text(lastBlock ?? ""), fields: 0)
        return request
      } read: { reading in
        let list = reading.reply.pointee.of.service_nodes
        guard !list.unchanged else { return nil }
        return NodeList(
          height: list.height, block: list.block_hash.string, nodes: NodeRecord.all(list.nodes))
      }
    }
  }

  /// All nodes, as of a block of the chain.
  public struct NodeList: Hashable, Sendable {
    public let height: UInt64
    /// The hash of the block.
    public let block: String
    public let nodes: [NodeRecord]
  }
}

extension Storage.Reading {
  var fork: Network.Fork? {
    let clock = reply.pointee.clock
    return clock.has_fork ? Network.Fork(clock.fork.0, clock.fork.1) : nil
  }
}

extension Storage.SwarmNodes {
  init(_ core: sc_storage_swarm) {
    id = core.id == NodeRecord.noSwarm ? nil : core.id
    nodes = NodeRecord.all(core.nodes)
  }
}

extension NodeRecord {
  fileprivate static func all(_ list: sc_storage_node_list) -> [NodeRecord] {
    UnsafeBufferPointer(start: list.list, count: list.count).map { NodeRecord($0) }
  }
}
