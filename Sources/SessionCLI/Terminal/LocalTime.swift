import Glibc

/// Times as people near this machine write them.
enum LocalTime {
  /// `2026-03-01 14:05`, from milliseconds since 1970.
  static func text(_ milliseconds: Int64) -> String { text(milliseconds, "%Y-%m-%d %H:%M") }

  /// `2026-03-01T13:05:09Z`, for programs.
  static func universal(_ milliseconds: Int64) -> String {
    var (seconds, parts) = (time_t(milliseconds / 1000), tm())
    gmtime_r(&seconds, &parts)
    return text(parts, "%Y-%m-%dT%H:%M:%SZ")
  }

  private static func text(_ milliseconds: Int64, _ format: String) -> String {
    var (seconds, parts) = (time_t(milliseconds / 1000), tm())
    localtime_r(&seconds, &parts)
    return text(parts, format)
  }

  private static func text(_ parts: tm, _ format: String) -> String {
    var parts = parts
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let base = buffer.baseAddress, strftime(base, buffer.count, format, &parts) > 0 else { return "" }
      return String(cString: base)
    }
  }
}
