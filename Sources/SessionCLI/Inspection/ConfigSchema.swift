/// The name of a value in a config, the meaning of its number, and its fields.
struct ConfigSchema: Sendable {
  enum Form: Sendable {
    case plain
    /// Seconds since 1970.
    case seconds
    /// Milliseconds since 1970.
    case milliseconds
    /// A number with a word for each value.
    case words([String: String])
    /// A key, or a record with one: shown only on request.
    case secret
  }

  let name: String
  var form = Form.plain
  /// The fields below certain keys.
  var fields: [String: ConfigSchema] = [:]
  /// The fields below each key that is an id, an address or a room.
  var entry: [ConfigSchema] = []

  /// The schema of a key, if known.
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
