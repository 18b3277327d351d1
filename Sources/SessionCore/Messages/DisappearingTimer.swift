internal import CSessionCore

/// When a message disappears, as it says itself.
public struct DisappearingTimer: Hashable, Sendable {
  public enum Mode: UInt32, Sendable, CaseIterable {
    case afterRead = 1
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
    Mode(rawValue: sc_message_timer_mode(core, isNoteToSelf ? SC_PLACE_OWN_DEVICES : place.core).rawValue)
  }
}

extension DisappearingTimer.Mode: CoreEnum { typealias Core = sc_timer_mode }

extension DisappearingTimer {
  /// Nil when the timer is off.
  init?(_ timer: sc_message_timer) throws(SessionError) {
    guard let mode = Mode(rawValue: timer.mode.rawValue) else { return nil }
    try self.init(mode, seconds: timer.seconds)
  }

  var core: sc_message_timer { sc_message_timer(mode: mode.core, seconds: seconds) }
}
