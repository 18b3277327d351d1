public import SessionCore

/// Nodes that tell by themselves of what is new for an account.
public protocol SwarmWatch: Sendable {
  /// Has a node tell of what is new from now on, for an hour; asking it again before that goes on with it.
  func begin(
    as signer: Storage.Signer, _ namespaces: [StorageNamespace], at node: [UInt8]
  ) async throws(NetworkFailure)

  /// What nodes tell of an account, for one reader. When nobody reads any more, they are left.
  func notices(of account: SessionID) -> AsyncStream<SwarmNotice>
}

/// What a node that watches an account tells.
public enum SwarmNotice: Hashable, Sendable {
  /// There is something new.
  case news
  /// It tells no more: the account has gone elsewhere, or the way to the node is cut.
  case ended
}
