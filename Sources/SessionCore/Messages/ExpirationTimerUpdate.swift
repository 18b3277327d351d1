/// Tells that the timer of a conversation was changed. The new one, or none, is that of the message itself.
public struct ExpirationTimerUpdate: Equatable, Sendable {
  public private(set) var profile: MessageProfile?
  /// In a copy for own devices: whose conversation the message belongs to.
  public private(set) var syncTarget: SessionID?

  public init(profile: MessageProfile? = nil, syncTarget: SessionID? = nil) {
    self.profile = profile
    self.syncTarget = syncTarget
  }

  /// The same, for the own devices: it tells the conversation, and no profile.
  func copy(forOwnDevicesIn conversation: SessionID) -> ExpirationTimerUpdate {
    ExpirationTimerUpdate(syncTarget: conversation)
  }
}
