import SessionNetworking

/// The repetition of a deletion, a shorter lifetime or a change of access that some members of a swarm have not signed: after
/// a minute, then each time after as long as it has lasted, and the last time after a day.
enum UnsignedChange {
  /// The delay before the first repetition, in milliseconds.
  static let firstDelay: Int64 = 60_000
  /// How long a change is repeated, in milliseconds.
  static let timeLimit: Int64 = 24 * 3_600_000
  /// The number of messages of a repetition that may become one with others. A larger one takes no more, so that no
  /// payload grows without limit.
  static let maxMerged = 10
  /// The random part of a delay, so that accounts cannot be told by their rhythm.
  private static let jitter = 0.25

  /// Returns the time of the next attempt of a change that was first requested at `start`; nil if the time is over. If the
  /// clock was set back since, the change counts as new. `chance` is from 0 to 1.
  static func nextAttempt(ofChangeAt start: Int64, now: Int64, chance: Double) -> Int64? {
    let (age, overflows) = max(now, start).subtractingReportingOverflow(start)
    guard !overflows, age < timeLimit else { return nil }
    let longest = max(firstDelay, age)
    let delay = longest - Int64(Double(longest) * jitter * min(max(chance, 0), 1))
    return now.saturatingAdd(min(delay, timeLimit - age))
  }
}

extension AccountContext {
  /// Returns the time of the next attempt of an unsigned change that was first requested at `start`; nil if it is not
  /// repeated any more.
  func nextAttempt(ofChangeAt start: Int64) -> Int64? {
    UnsignedChange.nextAttempt(ofChangeAt: start, now: jobTime, chance: environment.chance())
  }
}

extension SwarmStepResult {
  /// True if every member of the swarm did it.
  var isDoneByAll: Bool {
    guard case .done(let members, let all, _) = self else { return false }
    return members >= all
  }
}
