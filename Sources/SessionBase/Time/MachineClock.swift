import Glibc

/// The two clocks of this machine.
public enum MachineClock {
  /// Milliseconds since 1970, as the machine believes. It may jump.
  public static var wallMilliseconds: UInt64 {
    let time = time(CLOCK_REALTIME)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
  /// Nanoseconds since some moment in the past. They never go back.
  public static var nanoseconds: UInt64 {
    let time = time(CLOCK_MONOTONIC)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
  /// No machine with this program has a right clock that shows an earlier time: milliseconds since 1970.
  public static let earliest: UInt64 = 1_767_225_600_000

  private static func time(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
