/// How a registry is, for its operator.
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
    /// Since it last announced itself.
    public let silentSeconds: Int
    /// How many others do not reach it.
    public let reportedBy: Int
  }

  public let name: String
  public let operatorKey: String
  public let address: String
  public let networkFile: String
  public let height: UInt64
  /// Nodes that may join.
  public let allowed: Int
  /// Whether a list of allowed nodes lies there that lacks most nodes, and is not believed until that is confirmed.
  public let awaitsConfirmation: Bool
  public let uptimeSeconds: Int
  public let nodes: [Node]
}
