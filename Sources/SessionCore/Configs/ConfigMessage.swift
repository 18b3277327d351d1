internal import CSessionCore

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

/// What came of merging messages into one config.
public struct ConfigMerge: Sendable {
  /// What became of the config; more comes after less.
  public enum Effect: Int, Sendable, Comparable {
    /// It is what it was.
    case kept
    /// It is what one of the messages says.
    case adopted
    /// It is made of several revisions, and has to be pushed.
    case resolved
    /// The content of one message, or a merge of several revisions, with those edits of this device repeated that others
    /// missed or that merging reverted, unless they conflict with later ones. It must be pushed.
    case redone

    init(_ effect: sc_config_effect) {
      self = effect == SC_CONFIG_RESOLVED ? .resolved : effect == SC_CONFIG_ADOPTED ? .adopted : .kept
    }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  public let effect: Effect
  /// Messages that were not understood, and why; they stay where they are stored.
  public let rejected: [Rejection]
  /// What is another now, in ascending order of where it stands.
  public let changes: [ConfigChange]
  /// True if an admin has to rekey the group, see ``GroupConfigs/rekey()``.
  public let needsRekey: Bool

  public struct Rejection: Sendable {
    public let hash: String
    public let error: SessionError
  }
}
