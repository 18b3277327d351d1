/// The state of a registry, for its operator.
public struct RegistryStatus: Codable, Hashable, Sendable {
  public struct Node: Codable, Hashable, Sendable {
    public enum State: String, Codable, CaseIterable, Sendable {
      case serving
      /// Silent, or not reached by most others.
      case absent
      case leaving
    }

    public let key: String
    public let address: String
    /// `NodeRecord.noSwarm` for none.
    public let swarm: UInt64
    public let state: State
    /// Seconds since its last announcement.
    public let silentSeconds: Int
    /// The number of nodes that report it as unreachable.
    public let reportedBy: Int
  }

  public let name: String
  public let operatorKey: String
  public let address: String
  public let networkFile: String
  public let height: UInt64
  /// Nodes that may join.
  public let allowed: Int
  /// True if a list of allowed nodes that lacks most nodes waits for confirmation.
  public let awaitsConfirmation: Bool
  public let uptimeSeconds: Int
  public let nodes: [Node]
}
