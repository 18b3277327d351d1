public import SessionCore

/// The config messages from one poll of a swarm, by config.
public struct ConfigPoll: Sendable {
  /// The account or the group.
  public let owner: SessionID
  private(set) var messages: [ConfigKind: [ConfigMessage]] = [:]

  public init(of owner: SessionID) {
    self.owner = owner
  }

  /// Adds the messages of a namespace, even if there are none; ignores namespaces without configs.
  public mutating func add(_ found: [ConfigMessage], from namespace: StorageNamespace) {
    guard let kind = ConfigKind(namespace) else { return }
    messages[kind, default: []] += found
  }
}

/// The result of an edit or a poll: the changes, and the work that follows.
public struct ConfigOutcome: Sendable {
  /// The changes, config by config.
  public let changes: [ConfigChange]
  /// The dumps to save, in one transaction with the writes that follow from the changes.
  public let dumps: [ConfigDump]
  /// The account and the groups whose swarms need a push.
  public let needsPush: [SessionID]
}

/// The result of merging a poll.
public struct ConfigPollOutcome: Sendable {
  /// The merges by config; a config that was not retrieved has none.
  public let merges: [ConfigName: ConfigMerge]
  /// Configs whose messages could not be merged and must be retrieved again.
  public let failures: [ConfigName: SessionError]
  /// Configs with unopened messages that new keys may open: forget which of their messages, and of the group's
  /// messages, were seen.
  public let retrieveAgain: [ConfigName]
  public let outcome: ConfigOutcome

  /// True if an admin has to rekey the group, see ``GroupConfigs/rekey()``.
  public var needsRekey: Bool { merges.values.contains(where: \.needsRekey) }
}
