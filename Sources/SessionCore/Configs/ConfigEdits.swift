/// What it takes to make edits of a config again that others may never have seen.
enum ConfigEdits {
  /// The config as others have it.
  case since(ConfigMark)
  /// The config as it was when it was made from a dump: what it was before its last revision is not known.
  case sinceDump(ConfigMark)

  init(of config: borrowing ConfigHandle) {
    let mark = ConfigMark(of: config)
    self = config.isClean ? .since(mark) : .sinceDump(mark)
  }

  /// Forgets edits that others have seen: those of a config that is clean.
  mutating func settle(_ config: borrowing ConfigHandle) {
    if config.isClean { self = .since(ConfigMark(of: config)) }
  }

  /// Makes them again in the config, which is what others have made of it. Whether that changed anything.
  mutating func redo(upTo unpushed: ConfigMark, in config: borrowing ConfigHandle) throws(SessionError)
    -> Bool
  {
    let others = ConfigMark(of: config)
    defer { self = .since(others) }
    switch self {
    case .since(let mark):
      return try ConfigMark.redo(from: mark, to: unpushed, in: config)
    case .sinceDump(let mark):
      let before = try ConfigMark.redo(from: nil, to: mark, in: config)
      return try ConfigMark.redo(from: mark, to: unpushed, in: config) || before
    }
  }
}
