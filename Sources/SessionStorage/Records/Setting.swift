/// A setting or counter of one type, by its name. Declare each once, where it belongs.
public struct Setting<Value: DatabaseValue>: Sendable {
  public let name: String

  public init(_ name: String) { self.name = name }
}

private enum SettingStatements {
  static let found: SQL = "SELECT value FROM setting WHERE name = ?"
  static let change: SQL = "UPDATE setting SET value = ? WHERE name = ?"
  static let insertion: SQL = "INSERT INTO setting (value, name) VALUES (?, ?)"
  static let deletion: SQL = "DELETE FROM setting WHERE name = ?"
}

extension Reading where Self: ~Copyable {
  public func value<V>(of setting: Setting<V>) throws(StorageError) -> V? {
    try value(SettingStatements.found, setting.name)
  }
}

extension WriteTransaction {
  /// Keeps a setting; nil takes it away.
  public func set<V>(_ setting: Setting<V>, to value: V?) throws(StorageError) {
    if let value {
      try put(SettingStatements.change, or: SettingStatements.insertion, value, setting.name)
    } else {
      try run(SettingStatements.deletion, setting.name)
    }
    note(.updated, .setting(setting.name))
  }
}
