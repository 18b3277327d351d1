public import SessionCore

/// What one poll of a swarm brought, by config.
public struct ConfigPoll: Sendable {
  /// The account or the group.
  public let owner: SessionID
  private(set) var messages: [ConfigKind: [ConfigMessage]] = [:]

  public init(of owner: SessionID) {
    self.owner = owner
  }

  /// Adds what was found in a namespace, also when that is nothing; namespaces that hold no configs are passed over.
  public mutating func add(_ found: [ConfigMessage], from namespace: StorageNamespace) {
    guard let kind = ConfigKind(namespace) else { return }
    messages[kind, default: []] += found
  }
}

/// What an edit, or a poll, made another, and what has to be done about it.
public struct ConfigOutcome: Sendable {
  /// What is another now, config by config.
  public let changes: [ConfigChange]
  /// To be kept, in one transaction with what is made of the changes.
  public let dumps: [ConfigDump]
  /// The account and the groups in whose swarms something is to be stored.
  public let needsPush: [SessionID]
}

/// What came of a poll.
public struct ConfigPollOutcome: Sendable {
  /// By config; one that was not retrieved is not in it.
  public let merges: [ConfigName: ConfigMerge]
  /// Configs whose messages could not be merged. They are to be retrieved again.
  public let failures: [ConfigName: SessionError]
  /// Configs whose messages could not be opened before, and may open with keys that are here now: forget which messages
  /// of theirs were seen, and likewise of the messages of the group.
  public let retrieveAgain: [ConfigName]
  public let outcome: ConfigOutcome

  /// True if an admin has to rekey the group, see ``GroupConfigs/rekey()``.
  public var needsRekey: Bool { merges.values.contains(where: \.needsRekey) }
}
