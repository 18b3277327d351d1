internal import CSessionCore

/// The two clocks of this machine.
public enum MachineClock {
  /// Milliseconds since 1970, as the machine believes. It may jump.
  public static var wallMilliseconds: UInt64 { sc_clock_wall_ms() }
  /// Nanoseconds since some moment in the past. They never go back.
  public static var nanoseconds: UInt64 { sc_clock_now() }
  /// No machine with this program has a right clock that shows an earlier time: milliseconds since 1970.
  public static let earliest: UInt64 = 1_767_225_600_000
}
