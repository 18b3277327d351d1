public import SessionCore

/// Nodes that tell by themselves of what is new for an account.
public protocol SwarmWatch: Sendable {
  /// Subscribes to a node's notifications for an hour; call again to renew.
  func begin(
    as signer: Storage.Signer, _ namespaces: [StorageNamespace], at node: [UInt8]
  ) async throws(NetworkFailure)

  /// Notifications about an account, for one reader. Subscriptions end with the reader.
  func notices(of account: SessionID) -> AsyncStream<SwarmNotice>
}

/// What a node that watches an account tells.
public enum SwarmNotice: Hashable, Sendable {
  /// There is something new.
  case news
  /// It tells no more: the account has gone elsewhere, or the way to the node is cut.
  case ended
}
