/// A message of a config as a swarm gives it.
public struct ConfigMessage: Sendable {
  /// The name the swarm has for it.
  public let hash: String
  public let stored: [UInt8]
  /// When the swarm stored it: group keys expire by these times, and by no clock of ours.
  public let storedAt: MessageTime

  public init(hash: String, stored: [UInt8], storedAt: MessageTime) {
    self.hash = hash
    self.stored = stored
    self.storedAt = storedAt
  }
}

/// What came of merging messages.
public struct ConfigMerge: Sendable {
  /// Messages that were not understood, and why; they stay where they are stored.
  public let rejected: [Rejection]
  /// What is another now, in ascending order of where it stands.
  public let changes: [ConfigChange]
  /// Whether an admin has to rekey the group, see ``GroupConfigs/rekey()``.
  public let needsRekey: Bool

  public struct Rejection: Sendable {
    public let hash: String
    public let error: SessionError
  }
}
