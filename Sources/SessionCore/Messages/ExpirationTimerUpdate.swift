internal import CSessionCore

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

extension ExpirationTimerUpdate {
  static let flag = UInt32(SC__DATA_MESSAGE__FLAGS__EXPIRATION_TIMER_UPDATE.rawValue)

  init(_ fields: Sc__DataMessage) throws(SessionError) {
    let frame = try DataMessageFrame(fields)
    self.init(profile: frame.profile, syncTarget: frame.syncTarget)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__DataMessage> {
    let fields = DataMessageFrame(profile: profile, syncTarget: syncTarget).write(to: arena)
    fields.pointee.has_flags = 1
    fields.pointee.flags = Self.flag
    return fields
  }
}
