import Foundation

/// How long the tests may take: a moment, or, with SOAK set in the environment, as long as they need.
enum Soak {
  static let isOn = ProcessInfo.processInfo.environment["SOAK"] != nil

  /// Those of random losses.
  static let seeds: Range<UInt64> = 0..<20
  /// How often a program does what it does.
  static let rounds: Int64 = isOn ? 6 : 2
  /// How often a process is killed.
  static let kills = isOn ? 300 : 10
}
