internal import CSessionCore

/// Settings of this device, which never leave it.
public struct LocalConfig: ~Copyable {
  /// The parts of a message that a notification shows.
  public enum Preview: UInt32, Sendable, CaseIterable {
    case nameAndText = 1
    case name
    case nothing
  }

  public enum Theme: UInt32, Sendable, CaseIterable {
    case classicDark = 1
    case classicLight
    case oceanDark
    case oceanLight
  }

  public enum Colour: UInt32, Sendable, CaseIterable {
    case green = 1
    case blue
    case yellow
    case pink
    case purple
    case orange
    case red
  }

  package let handle: ConfigHandle

  package init(dump: [UInt8]) throws(SessionError) {
    handle = try ConfigHandle(config: sc_local_config, free: sc_local_free) {
      (object) throws(SessionError) in try dump.lend { sc_local_new(object, nil, $0) }
    }
  }

  /// Nil if never chosen. The same holds for the theme.
  public var preview: Preview? { Preview(rawValue: sc_local_get_preview(handle.object).rawValue) }
  public var theme: Theme? { Theme(rawValue: sc_local_get_theme(handle.object).rawValue) }
  public var colour: Colour? { Colour(rawValue: sc_local_get_colour(handle.object).rawValue) }

  public mutating func set(_ preview: Preview?) throws(SessionError) {
    try SessionError.check(
      sc_local_set_preview(handle.object, sc_local_preview(rawValue: preview?.rawValue ?? 0)))
  }

  public mutating func set(_ theme: Theme?) throws(SessionError) {
    try SessionError.check(sc_local_set_theme(handle.object, sc_local_theme(rawValue: theme?.rawValue ?? 0)))
  }

  public mutating func set(_ colour: Colour?) throws(SessionError) {
    try SessionError.check(
      sc_local_set_colour(handle.object, sc_local_colour(rawValue: colour?.rawValue ?? 0)))
  }

  /// A setting by name: true, false, or nil if never set.
  public subscript(setting: String) -> Bool? {
    get throws(SessionError) {
      try setting.utf8.lend { (name) throws(SessionError) in
        var choice = SC_CONFIG_UNDECIDED
        try SessionError.check(sc_local_get_setting(&choice, handle.object, name))
        return Bool(choice)
      }
    }
  }

  public mutating func set(_ setting: String, to answer: Bool?) throws(SessionError) {
    try setting.utf8.lend { (name) throws(SessionError) in
      try SessionError.check(sc_local_set_setting(handle.object, name, sc_config_choice(answer)))
    }
  }
}
