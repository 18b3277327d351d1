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
        let clock = reading.reply.pointee.clock
        return NodeInfo(
          version: ServiceNode.Version(info.version), time: try MessageTime(stored: info.timestamp),
          fork: clock.has_fork ? Network.Fork(clock.fork.0, clock.fork.1) : nil)
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
