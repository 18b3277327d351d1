import SessionCore

/// The edits of a config that others may not have seen, so that they can be repeated after a merge.
struct ConfigEdits {
  private enum Base {
    /// The config that others have.
    case since(ConfigMark)
    /// The config as restored from a dump: its state before the last revision is not known.
    case sinceDump(ConfigMark)
  }

  private var base: Base
  /// The config after the last merge or push, whichever came later, if that was after the base.
  private var start: ConfigMark?
  /// The newest edits that were never pushed, each made between two merges.
  private var overtaken: [(from: ConfigMark, to: ConfigMark)] = []
  private static let mostOvertaken = 8

  init(of config: borrowing ConfigHandle) {
    let mark = ConfigMark(of: config)
    base = config.isClean ? .since(mark) : .sinceDump(mark)
  }

  /// If the config is clean, forgets all edits: others have seen them.
  mutating func settle(_ config: borrowing ConfigHandle) {
    if config.isClean { (base, start, overtaken) = (.since(ConfigMark(of: config)), nil, []) }
  }

  /// Records that the config is being pushed. From now on, other devices may have seen it.
  mutating func handOut(_ config: borrowing ConfigHandle) {
    (start, overtaken) = (ConfigMark(of: config), [])
  }

  /// Repeats the edits in the config, which now has the state from other devices. Returns true if that changed
  /// anything.
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

  /// Repeats edits that were never pushed and that a merge reverted without a conflict: the result of a merge
  /// restates the whole config, and may be ordered after a later edit. Returns true if that changed anything.
  ///
  /// `unpushed` is nil if there are no edits.
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
