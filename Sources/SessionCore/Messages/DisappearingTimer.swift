internal import CSessionCore

/// When a message disappears, as it says itself.
public struct DisappearingTimer: Hashable, Sendable {
  public enum Mode: String, Sendable, CaseIterable {
    case afterRead
    case afterSend
    /// The sender did not tell; where the message was found decides.
    case unspecified
  }

  public let mode: Mode
  /// How long the timer runs.
  public let seconds: UInt32

  public init(_ mode: Mode, seconds: UInt32) throws(SessionError) {
    try MessageRule.timerZero.require(seconds > 0)
    self.mode = mode
    self.seconds = seconds
  }

  /// What people choose from, in seconds, and what is offered first.
  public static func choices(_ mode: Mode) -> (seconds: [UInt32], standard: UInt32) {
    let minute: UInt32 = 60
    let hour = 60 * minute
    let day = 24 * hour
    let long = [12 * hour, day, 7 * day, 14 * day]
    return mode == .afterSend ? (long, day) : ([5 * minute, hour] + long, 12 * hour)
  }

  public var milliseconds: UInt64 { UInt64(seconds) * 1000 }

  /// What the timer counts from in a conversation: only between two people can that be the reading.
  public func mode(in place: MessagePlace, isNoteToSelf: Bool = false) -> Mode? {
    switch place {
    case .community, .inbox: nil
    case .group: .afterSend
    case .contact where isNoteToSelf: .afterSend
    case .contact: mode == .unspecified ? .afterRead : mode
    }
  }
}

extension DisappearingTimer {
  /// Nil when the timer is off.
  init?(_ fields: Sc__Content) throws(SessionError) {
    guard fields.has_expiration_timer != 0, fields.expiration_timer > 0 else { return nil }
    let mode: Mode =
      switch fields.expiration_type {
      case SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_READ: .afterRead
      case SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_SEND: .afterSend
      default: .unspecified
      }
    try self.init(mode, seconds: fields.expiration_timer)
  }

  func write(to fields: UnsafeMutablePointer<Sc__Content>) {
    fields.pointee.has_expiration_type = 1
    fields.pointee.expiration_type =
      switch mode {
      case .afterRead: SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_READ
      case .afterSend: SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_SEND
      case .unspecified: SC__CONTENT__EXPIRATION_TYPE__UNKNOWN
      }
    fields.pointee.has_expiration_timer = 1
    fields.pointee.expiration_timer = seconds
  }
}
