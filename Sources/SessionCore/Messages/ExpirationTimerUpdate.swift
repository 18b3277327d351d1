/// Reports a change of the conversation's timer. The new timer, or none, is that of the message itself.
public struct ExpirationTimerUpdate: Equatable, Sendable {
  public private(set) var profile: MessageProfile?
  /// In a copy for own devices: the recipient of the original message.
  public private(set) var syncTarget: SessionID?

  public init(profile: MessageProfile? = nil, syncTarget: SessionID? = nil) {
    self.profile = profile
    self.syncTarget = syncTarget
  }

  /// Returns the copy for own devices, with the conversation and without the profile.
  func copy(forOwnDevicesIn conversation: SessionID) -> ExpirationTimerUpdate {
    ExpirationTimerUpdate(syncTarget: conversation)
  }
}
