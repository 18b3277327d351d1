public import SessionCore

/// Notifications by nodes about new messages of an account.
public protocol SwarmWatch: Sendable {
  /// Subscribes to a node's notifications for an hour; call again to renew.
  func begin(
    as signer: Storage.Signer, _ namespaces: [StorageNamespace], at node: [UInt8]
  ) async throws(NetworkFailure)

  /// Notifications about an account, for one reader. Subscriptions end with the reader.
  func notices(of account: SessionID) -> AsyncStream<SwarmNotice>
}

/// A notification of a node.
public enum SwarmNotice: Hashable, Sendable {
  /// New messages arrived.
  case news
  /// The subscription ended: the account moved to another swarm, or the connection is gone.
  case ended
}
