/// What is to be stored of one config.
public struct ConfigPush: Sendable {
  public let name: ConfigName
  public let namespace: StorageNamespace
  /// Which revision it is; confirmed with it.
  public let sequenceNumber: Int64
  /// One message, or the parts of a large one.
  public let messages: [[UInt8]]
}

/// What is to be done in one swarm: the pushes in this order, and only then the deletions.
public struct ConfigBatch: Sendable {
  /// The account or the group.
  public let owner: SessionID
  public let pushes: [ConfigPush]
  /// Hashes of what the pushes replace. They are offered with every batch until ``ConfigStore/confirmDeletion(of:in:)``.
  public let obsolete: [String]
}

/// The state of a config, to be kept and to make it from again. It holds secrets: keep it as one.
public struct ConfigDump: Sendable {
  public let name: ConfigName
  public let content: [UInt8]

  public init(_ name: ConfigName, content: [UInt8]) {
    self.name = name
    self.content = content
  }
}
