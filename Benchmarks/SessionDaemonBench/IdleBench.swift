import Glibc
import Household
import Measuring

/// Measures the memory and the processor time of a daemon that has nothing to do.
enum IdleBench {
  /// Long enough for what follows the start to be done.
  private static let calming: UInt32 = 20
  private static let watching: UInt32 = 40
  private static let more = 10
  /// As many accounts as there are at most beside the first one.
  static let most = 99
  private static let mostShareOfAll = 0.05
  private static let mostWakeups = 2.0
  private static let (mostKilobytes, mostFurther) = (20 * 1024, 1024)
  private static let mostShare = 0.0005

  private struct State {
    let kilobytes: Int
    let share: Double
    /// How often a thread of it was woken, a second.
    let wakeups: Double
  }

  static func report(_ home: Household) {
    let one = state(of: home, serving: ["alice"])
    let all = state(of: home, serving: ["alice"] + (0..<more).map { "a\($0)" })
    let empty = Program.empty.memory([])
    print(
      "daemon/idle, one account: \(one.kilobytes) KiB; an empty program \(empty) KiB, ratio "
        + "\((Double(one.kilobytes) / Double(empty)).rounded(to: 1)); target \(mostKilobytes) KiB: "
        + "\(judged(one.kilobytes <= mostKilobytes)); \((one.share * 100).rounded(to: 3)) % of a core; "
        + "\(one.wakeups.rounded(to: 1)) wakeups a second, target \(mostWakeups.rounded(to: 0)): "
        + "\(judged(one.wakeups <= mostWakeups))")
    let further = (all.kilobytes - one.kilobytes) / more
    let share = (all.share - one.share) / Double(more)
    print(
      "daemon/idle, each further account: \(further) KiB, target \(mostFurther) KiB: "
        + "\(judged(further <= mostFurther)); \((share * 100).rounded(to: 3)) % of a core, target "
        + "\((mostShare * 100).rounded(to: 2)) %: \(judged(share <= mostShare)); the first one "
        + "\(one.kilobytes) KiB, \((one.share * 100).rounded(to: 3)) %")
    let many = state(of: home, serving: ["alice"] + (0..<most).map { "a\($0)" })
    print(
      "daemon/idle, \(most + 1) accounts: \(many.kilobytes) KiB, \((many.share * 100).rounded(to: 2)) % of a core, "
        + "target \((mostShareOfAll * 100).rounded(to: 0)) %: \(judged(many.share <= mostShareOfAll)); "
        + "ratio to one account \((many.share / max(one.share, 0.00001)).rounded(to: 1)); "
        + "\(many.wakeups.rounded(to: 1)) wakeups a second")
  }

  private static func state(of home: Household, serving accounts: [String]) -> State {
    let daemon = RunningDaemon(in: home, serving: accounts)
    sleep(calming)
    let (before, woken) = (daemon.computedSeconds, daemon.wakeups)
    sleep(watching)
    let share = (daemon.computedSeconds - before) / Double(watching)
    let wakeups = Double(daemon.wakeups - woken) / Double(watching)
    let kilobytes = daemon.memory
    daemon.stop()
    return State(kilobytes: kilobytes, share: share, wakeups: wakeups)
  }
}
