/// A config message from a swarm.
public struct ConfigMessage: Sendable {
  /// Its hash in the swarm.
  public let hash: String
  public let stored: [UInt8]
  /// When the swarm stored it. Group keys expire by this time, never by our own clock.
  public let storedAt: MessageTime

  public init(hash: String, stored: [UInt8], storedAt: MessageTime) {
    self.hash = hash
    self.stored = stored
    self.storedAt = storedAt
  }
}

/// The effect of a merge on a config, in ascending order.
public enum ConfigEffect: UInt32, Sendable, Comparable {
  case kept
  /// It took over the content of one message.
  case adopted
  /// It is a merge of several revisions, and must be pushed.
  case resolved
  /// The content of one message, or a merge of several revisions, with those edits of this device repeated that others
  /// missed or that merging reverted, unless they conflict with later ones. It must be pushed.
  case redone

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
