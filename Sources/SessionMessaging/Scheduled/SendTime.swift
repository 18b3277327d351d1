/// When a message is to be sent.
public struct SendTime: Hashable, Sendable, Codable {
  /// Milliseconds since 1970, by the network's time.
  public let at: Int64
  /// The name of the time zone in which the user gave it.
  public let zone: String
  /// How much later it may be sent if nothing ran when it was due, in milliseconds.
  public let late: Int64

  /// The least and the most time ahead, in milliseconds.
  public static let leastDelay: Int64 = 10_000
  public static let mostDelay: Int64 = 366 * 24 * 3_600_000
  /// The default of ``late``: an hour.
  public static let usualLateness: Int64 = 3_600_000
  /// The longest name of a time zone, in bytes.
  static let maxZone = 64

  public init(_ at: Int64, zone: String = "UTC", late: Int64 = usualLateness) {
    self.at = at
    self.zone = zone
    self.late = late
  }

  /// Throws `notAllowed` for a time that is too near, too far or impossible.
  func check(at now: Int64) throws(MessengerError) {
    let (ahead, isOver) = at.subtractingReportingOverflow(now)
    guard !isOver, ahead >= Self.leastDelay else {
      throw MessengerError(.notAllowed, "a message can be scheduled from ten seconds ahead on")
    }
    guard ahead <= Self.mostDelay else {
      throw MessengerError(.notAllowed, "a message can be scheduled up to a year ahead")
    }
    guard (0...Self.mostDelay).contains(late) else {
      throw MessengerError(.notAllowed, "a message may be sent up to a year late")
    }
    guard !zone.isEmpty, zone.utf8.count <= Self.maxZone, zone.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
      throw MessengerError(.notAllowed, "this is not the name of a time zone")
    }
  }
}
