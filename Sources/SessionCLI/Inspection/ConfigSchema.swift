/// What a value of a config is called, what its number means, and what is below it.
struct ConfigSchema: Sendable {
  enum Form: Sendable {
    case plain
    /// Seconds since 1970.
    case seconds
    /// Milliseconds since 1970.
    case milliseconds
    /// A number that stands for a word.
    case words([String: String])
    /// A key, or what holds one: shown only when asked for.
    case secret
  }

  let name: String
  var form = Form.plain
  /// What is below certain keys.
  var fields: [String: ConfigSchema] = [:]
  /// What is below each key that is an id, an address or a room.
  var entry: [ConfigSchema] = []

  /// What stands at a key, where that is known.
  subscript(key: String) -> ConfigSchema? { fields[key] ?? entry.first }

  /// Keys that some kind of config keeps a secret under.
  static let secretKeys: Set = ["q", "Q", "K", "k", "s"]
}

extension ConfigSchema {
  static func record(_ name: String, _ fields: [String: ConfigSchema]) -> ConfigSchema {
    ConfigSchema(name: name, fields: fields)
  }

  static func each(_ name: String, _ entry: ConfigSchema) -> ConfigSchema {
    ConfigSchema(name: name, entry: [entry])
  }
}

extension ConfigSchema: ExpressibleByStringLiteral {
  init(stringLiteral name: String) {
    self.init(name: name)
  }

  static func secret(_ name: String) -> ConfigSchema { ConfigSchema(name: name, form: .secret) }
  static func seconds(_ name: String) -> ConfigSchema { ConfigSchema(name: name, form: .seconds) }
  static func milliseconds(_ name: String) -> ConfigSchema { ConfigSchema(name: name, form: .milliseconds) }

  static func words(_ name: String, _ words: [String: String]) -> ConfigSchema {
    ConfigSchema(name: name, form: .words(words))
  }

  static func flag(_ name: String) -> ConfigSchema { words(name, ["0": "no", "1": "yes"]) }
}
