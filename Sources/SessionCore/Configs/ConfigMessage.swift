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

/// What merging messages made of a config; more comes after less.
public enum ConfigEffect: UInt32, Sendable, Comparable {
  /// It is what it was.
  case kept
  /// It is what one of the messages says.
  case adopted
  /// It is made of several revisions, and has to be pushed.
  case resolved
  /// The content of one message, or a merge of several revisions, with those edits of this device repeated that others
  /// missed or that merging reverted, unless they conflict with later ones. It must be pushed.
  case redone

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
