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

  /// A node's information about itself.
  public struct NodeInfo: Hashable, Sendable {
    public let version: ServiceNode.Version
    /// The time of its clock.
    public let time: MessageTime
    public let fork: Network.Fork?
  }
}

extension Storage.Reading {
  var fork: Network.Fork? {
    let clock = reply.pointee.clock
    return clock.has_fork ? Network.Fork(clock.fork.0, clock.fork.1) : nil
  }
}
