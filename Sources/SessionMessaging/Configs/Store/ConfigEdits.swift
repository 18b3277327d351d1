import SessionCore

/// What it takes to make edits of a config again that others may never have seen.
struct ConfigEdits {
  private enum Base {
    /// The config as others have it.
    case since(ConfigMark)
    /// The config as it was when it was made from a dump: what it was before its last revision is not known.
    case sinceDump(ConfigMark)
  }

  private var base: Base
  /// The config as the last merge made it, or as it was handed out to be stored, if that was later than the base.
  private var start: ConfigMark?
  /// The newest edits that were never handed out, each between two merges.
  private var overtaken: [(from: ConfigMark, to: ConfigMark)] = []
  private static let mostOvertaken = 8

  init(of config: borrowing ConfigHandle) {
    let mark = ConfigMark(of: config)
    base = config.isClean ? .since(mark) : .sinceDump(mark)
  }

  /// Forgets edits that others have seen: those of a config that is clean.
  mutating func settle(_ config: borrowing ConfigHandle) {
    if config.isClean { (base, start, overtaken) = (.since(ConfigMark(of: config)), nil, []) }
  }

  /// The config is handed out to be stored. Whatever others make of it from now on they may have seen.
  mutating func handOut(_ config: borrowing ConfigHandle) {
    (start, overtaken) = (ConfigMark(of: config), [])
  }

  /// Makes them again in the config, which is what others have made of it. Whether that changed anything.
  mutating func redo(upTo unpushed: ConfigMark, in config: borrowing ConfigHandle) throws(SessionError)
    -> Bool
  {
    let others = ConfigMark(of: config)
    defer { (base, start, overtaken) = (.since(others), nil, []) }
    switch base {
    case .since(let mark):
      return try ConfigMark.redo(from: mark, to: unpushed, in: config)
    case .sinceDump(let mark):
      let before = try ConfigMark.redo(from: nil, to: mark, in: config)
      return try ConfigMark.redo(from: mark, to: unpushed, in: config) || before
    }
  }

  /// Repeats edits that were never handed out and that a merge reverted without a conflict: the result of a merge restates
  /// the whole config, and may be ordered after an edit that followed it. Returns true if that changed anything.
  ///
  /// Without edits, `unpushed` is nil.
  mutating func redoOvertaken(
    upTo unpushed: ConfigMark?, in config: borrowing ConfigHandle
  ) throws(SessionError) -> Bool {
    let others = ConfigMark(of: config)
    if let unpushed {
      let before =
        switch base {
        case .since(let mark), .sinceDump(let mark): start ?? mark
        }
      overtaken = overtaken.suffix(Self.mostOvertaken - 1) + [(before, unpushed)]
    }
    start = others
    var changed = false
    for edits in overtaken {
      changed = try ConfigMark.redo(from: edits.from, to: edits.to, in: config) || changed
    }
    return changed
  }
}
