public import SessionCore

/// What is to be stored of one config.
public struct ConfigPush: Sendable {
  public let name: ConfigName
  public let namespace: StorageNamespace
  /// Which revision it is; confirmed with it. 0 for the keys of a group, which have none.
  public let sequenceNumber: Int64
  /// One message, or the parts of a large one.
  public let messages: [[UInt8]]
}

extension ConfigPush {
  init(keys messages: [[UInt8]], of name: ConfigName, in namespace: StorageNamespace) {
    self.init(name: name, namespace: namespace, sequenceNumber: 0, messages: messages)
  }
}

/// What is to be done in one swarm: the pushes in this order, and only then the deletions.
public struct ConfigBatch: Sendable {
  /// A config that has something to be stored, which cannot be.
  public struct Withheld: Sendable {
    public let name: ConfigName
    /// ``SessionError/Code/configKeyless`` before there is a key, ``SessionError/Code/tooLarge`` for more than a swarm
    /// takes, which only the person can change, and why its dump could not be read before it was merged.
    public let error: SessionError
  }

  /// The account or the group.
  public let owner: SessionID
  public let pushes: [ConfigPush]
  /// Hashes of obsolete messages. They are offered with every batch until
  /// ``ConfigStore/confirmDeletion(of:in:)``.
  public let obsolete: [String]
  public let withheld: [Withheld]

  /// True if there is nothing to do in the swarm.
  public var isEmpty: Bool { pushes.isEmpty && obsolete.isEmpty }
}

extension ConfigBatch {
  /// A batch in which there is nothing to do.
  public init(nothingIn owner: SessionID) {
    self.init(owner: owner, pushes: [], obsolete: [], withheld: [])
  }

  /// The same, with more hashes to be deleted.
  public func adding(obsolete more: [String]) -> ConfigBatch {
    ConfigBatch(
      owner: owner, pushes: pushes, obsolete: Set(obsolete + more).sorted(), withheld: withheld)
  }
}
