public import SessionStorage

/// A history that goes wrong, made as short as it still does.
public struct Counterexample: CustomStringConvertible, Sendable {
  public let seed: UInt64
  public let events: [HistoryEvent]
  public let difference: String

  public var description: String {
    "seed \(seed): \(difference)\n" + events.map { "  \($0)" }.joined(separator: "\n")
  }
}

public enum Histories {
  /// Runs the histories of some seeds until one goes wrong, which is returned.
  public static func check(_ seeds: some Sequence<UInt64>, on database: Database) -> Counterexample? {
    for seed in seeds {
      let events = HistoryEvent.history(seed: seed)
      if let difference = difference(events, database) {
        return shrink(events, difference, seed: seed, database)
      }
    }
    return nil
  }

  private static func difference(_ events: [HistoryEvent], _ database: Database) -> String? {
    do {
      try HistoryRun.run(events, on: database)
      return nil
    } catch { return "\(error)" }
  }

  /// Leaves out what is not needed, first much at a time.
  private static func shrink(
    _ events: [HistoryEvent], _ difference: String, seed: UInt64, _ database: Database
  ) -> Counterexample {
    var events = events
    var found = difference
    var size = events.count / 2
    while size > 0 {
      var start = 0
      while start < events.count {
        var fewer = events
        fewer.removeSubrange(start..<min(start + size, events.count))
        if let still = self.difference(fewer, database) {
          (events, found) = (fewer, still)
        } else {
          start += size
        }
      }
      size /= 2
    }
    return Counterexample(seed: seed, events: events, difference: found)
  }
}
