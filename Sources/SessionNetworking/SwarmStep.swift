public import SessionCore

/// A step of a sequence in a swarm.
public enum SwarmStep: Hashable, Sendable {
  case store(SwarmItem)
  case delete([String])
  /// Deletes all messages of a namespace.
  case deleteAll(StorageNamespace)
  /// Restores the access of group members.
  case unrevoke([[UInt8]])
  /// Revokes the access of group members.
  case revoke([[UInt8]])

  /// The number of messages that one step deletes.
  public static let maxDeletions = 500

  /// The steps that delete messages, however many there are.
  public static func deleting(_ hashes: [String]) -> [SwarmStep] {
    stride(from: 0, to: hashes.count, by: maxDeletions).map { start in
      .delete(Array(hashes[start..<min(start + maxDeletions, hashes.count)]))
    }
  }
}

/// The result of a step.
public enum SwarmStepResult: Hashable, Sendable {
  /// The number of members of the swarm that succeeded, and of known members; for a store, its expiry.
  case done(members: Int, of: Int, until: MessageTime?)
  case failed(NetworkFailure)
  /// It was not tried, because an earlier step failed.
  case notDone

  public var isDone: Bool {
    guard case .done = self else { return false }
    return true
  }
}

extension Collection<SwarmStepResult> {
  /// Throws the reason why not all steps were done.
  public func check() throws(NetworkFailure) {
    for case .failed(let failure) in self { throw failure }
    guard allSatisfy(\.isDone) else {
      throw NetworkFailure(.transient, "the node did not carry out the whole request")
    }
  }
}
