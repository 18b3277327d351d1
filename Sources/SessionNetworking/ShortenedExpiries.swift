public import SessionCore

/// The result of shortening the expiry of messages in a swarm.
public struct ShortenedExpiries: Hashable, Sendable {
  /// The expiry of the messages that members of the swarm store: the earliest, if members differ.
  public let expiries: [String: MessageTime]
  /// True if every member of the swarm has signed it.
  public let isSignedByAll: Bool

  public init(_ expiries: [String: MessageTime], isSignedByAll: Bool) {
    self.expiries = expiries
    self.isSignedByAll = isSignedByAll
  }
}
