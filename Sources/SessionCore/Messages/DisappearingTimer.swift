internal import CSessionCore

/// The disappearing timer of a message.
public struct DisappearingTimer: Hashable, Sendable, Codable {
  public enum Mode: UInt32, CoreEnum, Sendable, CaseIterable, Codable {
    typealias Core = sc_timer_mode
    case afterRead = 1
    case afterSend
    /// The sender did not say; the message's place decides.
    case unspecified
  }

  public let mode: Mode
  public let seconds: UInt32

  public init(_ mode: Mode, seconds: UInt32) throws(SessionError) {
    try MessageRule.timerZero.require(seconds > 0)
    self.mode = mode
    self.seconds = seconds
  }

  /// The durations offered to the user, in seconds, and the default.
  public static func choices(_ mode: Mode) -> (seconds: [UInt32], standard: UInt32) {
    let minute: UInt32 = 60
    let hour = 60 * minute
    let day = 24 * hour
    let long = [12 * hour, day, 7 * day, 14 * day]
    return mode == .afterSend ? (long, day) : ([5 * minute, hour] + long, 12 * hour)
  }

  public var milliseconds: UInt64 { UInt64(seconds) * 1000 }

  /// The start of the timer in a conversation: only between two people can it start on reading.
  public func mode(in place: MessagePlace, isNoteToSelf: Bool = false) -> Mode? {
    Mode(rawValue: sc_message_timer_mode(core, isNoteToSelf ? SC_PLACE_OWN_DEVICES : place.core).rawValue)
  }
}

extension DisappearingTimer {
  /// Nil if the timer is off.
  init?(_ timer: sc_message_timer) throws(SessionError) {
    guard let mode = Mode(rawValue: timer.mode.rawValue) else { return nil }
    try self.init(mode, seconds: timer.seconds)
  }

  var core: sc_message_timer { sc_message_timer(mode: mode.core, seconds: seconds) }
}
