import FoundationEssentials
import SessionBase
import SessionService
import SessionStorage

extension Command {
  static let configPath = Command(
    name: "config path",
    summary: "show the path of your settings file",
    options: [.json],
    needsSettings: false,
    rpc: .none(.isPersonal)
  ) { invocation, io in
    let file = UserSettingsFile(try io.roots())
    guard !invocation.has("json") else { return CommandOutput(json: ["path": .string(file.path)]) }
    return CommandOutput(text: file.path + "\n")
  }

  static let configList = Command(
    name: "config list",
    summary: "list your settings for all commands",
    options: [.json],
    examples: [.init(line: "session config list", summary: "show values and defaults")],
    needsSettings: false,
    rpc: .none(.isPersonal)
  ) { invocation, io in
    let file = UserSettingsFile(try io.roots())
    let settings = try UserSettings.keys.map { key in
      UserSetting(key: key, value: try file.value(key.name, io))
    }
    guard !invocation.has("json") else { return CommandOutput(lines: settings.map(\.json)) }
    return CommandOutput(data: TextTable(head: UserSetting.columns, rows: settings.map(\.row)).parts)
  }

  static let configGet = Command(
    name: "config get",
    summary: "show one of your settings",
    arguments: [.userSetting],
    options: [.json],
    examples: [.init(line: "session config get colour", summary: "show when headings are coloured")],
    needsSettings: false,
    rpc: .none(.isPersonal)
  ) { invocation, io in
    let key = try invocation.userSetting()
    let file = UserSettingsFile(try io.roots())
    let setting = UserSetting(key: key, value: try file.value(key.name, io))
    guard !invocation.has("json") else { return CommandOutput(json: setting.json) }
    return CommandOutput(text: (setting.shown.isEmpty ? "" : DisplayText.line(setting.shown)) + "\n")
  }

  static let configSet = Command(
    name: "config set",
    summary: "change one of your settings",
    discussion:
      "Without VALUE the default applies again. The other lines of the file are kept.",
    arguments: [.userSetting, .init(name: "VALUE", summary: "a new value", isOptional: true)],
    examples: [
      .init(line: "session config set times universal", summary: "show times in UTC"),
      .init(line: "session config set times", summary: "show local times again"),
    ],
    needsSettings: false,
    rpc: .none(.isPersonal)
  ) { invocation, io in
    let key = try invocation.userSetting()
    let roots = try io.roots()
    let value = try invocation.arguments.dropFirst().first.map { text in
      try key.checked(text, folder: io.environment["PWD"], roots, io)
    }
    try await WorkerQueue("session.command").run {
      try UserSettingsFile(roots).set(key.name, to: value, io)
    }
    return CommandOutput()
  }
}

/// A setting, and what it is.
private struct UserSetting {
  let key: ConfigKey
  /// Nil where it is not in the file.
  let value: String?

  var shown: String { value ?? UserSettings.usual(key.name) ?? "" }

  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("setting"), "name": .string(key.name), "set": .boolean(value != nil),
    ]
    object["value"] = (value ?? UserSettings.usual(key.name)).map { .string($0) }
    return object
  }

  static let columns = ["name", "value", "", "what it is for"]
  var row: [String] { [key.name, DisplayText.line(shown), value == nil ? "default" : "set", key.summary] }
}

extension ConfigKey {
  /// A valid value, or a failure.
  fileprivate func checked(
    _ text: String, folder: String?, _ roots: StorageRoots, _ io: CommandIO
  ) throws -> String {
    guard kind.allows(.text(text)) else {
      throw CommandFailure.usage(
        "\(name) is \(kind.words), not \(text)", advice: "'session help configuration' explains it.")
    }
    switch name {
    case "account":
      guard AccountFolder.isName(text), try AccountFolder(text, in: roots).exists else {
        throw CommandFailure(
          status: .configuration, message: "there is no account \(text) on this machine",
          advice: "'session account list' lists the accounts.")
      }
      return text
    case "network":
      let network = AccountNetwork(text, folder: folder)
      if case .file = network { _ = try network.reach(io: io) }
      return network.text
    default: return text
    }
  }
}

extension Command.Argument {
  fileprivate static let userSetting = Self(
    name: "CONFIG", summary: "the name of a setting, as 'session config list' prints it")
}

extension Invocation {
  fileprivate func userSetting() throws(CommandFailure) -> ConfigKey {
    let keys = UserSettings.keys
    if let key = keys.first(where: { $0.name == arguments[0] }) { return key }
    let hint = nearestName(to: arguments[0], among: keys.map(\.name)).map { "; did you mean \($0)?" } ?? ""
    throw .usage(
      "\(command.name): there is no setting \(arguments[0])\(hint)",
      advice: "Available: \(keys.map(\.name).joined(separator: ", "))")
  }
}
