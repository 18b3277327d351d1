import SessionBase

/// What the log has of each part of the program.
struct LogLevels: Hashable, Sendable {
  /// That of all parts that have none of their own.
  private var usual = ClientLog.Level.info
  private var parts: [ClientLog.Part: ClientLog.Level] = [:]

  /// The names of all levels, for messages.
  static let names = ClientLog.Level.allCases.map(\.rawValue).joined(separator: ", ")

  init() {}

  init(_ level: ClientLog.Level) { usual = level }

  /// Reads levels as people write them: one for all, `PART=LEVEL` for a part; nil for anything else.
  init?(_ text: String) {
    var hasUsual = false
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard let level = ClientLog.Level(rawValue: sides.last ?? "") else { return nil }
      switch sides.count {
      case 1 where !hasUsual: (usual, hasUsual) = (level, true)
      case 2:
        guard let part = ClientLog.Part(rawValue: sides[0]), parts.updateValue(level, forKey: part) == nil
        else { return nil }
      default: return nil
      }
    }
  }

  func admit(_ event: ClientLog.Event) -> Bool { event.level <= parts[event.part] ?? usual }
}
