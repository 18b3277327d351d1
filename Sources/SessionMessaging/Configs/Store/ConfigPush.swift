public import SessionCore

/// The messages to store for one config.
public struct ConfigPush: Sendable {
  public let name: ConfigName
  public let namespace: StorageNamespace
  /// The revision, used to confirm the push. 0 for group keys, which have no revisions.
  public let sequenceNumber: Int64
  /// One message, or the parts of a large one.
  public let messages: [[UInt8]]
}

extension ConfigPush {
  init(keys messages: [[UInt8]], of name: ConfigName, in namespace: StorageNamespace) {
    self.init(name: name, namespace: namespace, sequenceNumber: 0, messages: messages)
  }
}

/// The work in one swarm: first the pushes in this order, then the deletions.
public struct ConfigBatch: Sendable {
  /// A changed config that cannot be stored.
  public struct Withheld: Sendable {
    public let name: ConfigName
    /// ``SessionError/Code/configKeyless`` while there is no key; ``SessionError/Code/tooLarge`` for a config larger
    /// than a swarm accepts, which only the user can fix; or the reason why its dump could not be read, until it was
    /// merged.
    public let error: SessionError
  }

  /// The account or the group.
  public let owner: SessionID
  public let pushes: [ConfigPush]
  /// The hashes of obsolete messages. Every batch includes them until ``ConfigStore/confirmDeletion(of:in:)``.
  public let obsolete: [String]
  public let withheld: [Withheld]

  /// True if there is nothing to do in the swarm.
  public var isEmpty: Bool { pushes.isEmpty && obsolete.isEmpty }
}

extension ConfigBatch {
  /// An empty batch.
  public init(nothingIn owner: SessionID) {
    self.init(owner: owner, pushes: [], obsolete: [], withheld: [])
  }

  /// Returns the batch with more hashes to delete.
  public func adding(obsolete more: [String]) -> ConfigBatch {
    ConfigBatch(
      owner: owner, pushes: pushes, obsolete: Set(obsolete + more).sorted(), withheld: withheld)
  }
}
