/// Reports a change of the conversation's timer. The new timer, or none, is that of the message itself.
public struct ExpirationTimerUpdate: SyncedContent, Equatable, Sendable {
  public internal(set) var profile: MessageProfile?
  /// In a copy for own devices: the recipient of the original message.
  public internal(set) var syncTarget: SessionID?

  public init(profile: MessageProfile? = nil, syncTarget: SessionID? = nil) {
    self.profile = profile
    self.syncTarget = syncTarget
  }
}
