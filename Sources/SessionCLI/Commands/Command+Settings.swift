import SessionBase
import SessionDaemon
import SessionMessaging

extension Command {
  static let settingsList = Command(
    name: "settings list",
    summary: "list the settings of an account",
    options: [.account, .json],
    examples: [
      .init(line: "session settings list", summary: "show the value of each setting and what it does")
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let settings = try await invocation.reading(io) { messenger in try await messenger.settings() }
    guard !invocation.has("json") else {
      return CommandOutput(lines: AccountSetting.all.map { $0.json(settings) })
    }
    var table = TextTable(head: ["name", "value", "what it is for"])
    table.rows = AccountSetting.all.map { [$0.name, $0.word(settings), $0.summary] }
    return CommandOutput(data: table.parts)
  }

  static let settingsGet = Command(
    name: "settings get",
    summary: "show a setting of an account",
    discussion: "Prints its value, or undecided if the setting was never changed on any device.",
    arguments: [.setting],
    options: [.account, .json],
    examples: [.init(line: "session settings get read-receipts", summary: "print on or off")],
    rpc: .method(.read)
  ) { invocation, io in
    let setting = try invocation.setting()
    let settings = try await invocation.reading(io) { messenger in try await messenger.settings() }
    guard !invocation.has("json") else { return CommandOutput(json: setting.json(settings)) }
    return CommandOutput(text: setting.word(settings) + "\n")
  }

  static let settingsSet = Command(
    name: "settings set",
    summary: "change a setting of an account",
    arguments: [
      .setting,
      .init(
        name: "VALUE",
        summary: "the new value, such as on; for a wrong one, the error names the choices",
        isRepeated: true),
    ],
    options: [.timeout, .account],
    examples: [
      .init(line: "session settings set read-receipts on", summary: "turn on read receipts on this device"),
      .init(
        line: "session settings set default-timer after-read 1d",
        summary: "have messages of conversations that you begin disappear a day after reading"),
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let setting = try invocation.setting()
    let value = invocation.arguments.dropFirst().joined(separator: " ")
    guard setting.accepts(value) else {
      throw invocation.misuse("'\(value)' is none of: \(setting.choices)")
    }
    guard setting.isShared else {
      try await invocation.editing(io) { messenger in try await setting.set(messenger, value) }
      return CommandOutput()
    }
    return try await invocation.changing(io) { messenger in
      try await setting.set(messenger, value)
      return CommandOutput()
    }
  }
}

extension Command.Argument {
  fileprivate static let setting = Self(
    name: "SETTING", summary: "the name of a setting, as 'session settings list' prints it")
}

extension Invocation {
  fileprivate func setting() throws(CommandFailure) -> AccountSetting {
    if let setting = AccountSetting.all.first(where: { $0.name == arguments[0] }) { return setting }
    let names = AccountSetting.all.map(\.name)
    let hint = nearestName(to: arguments[0], among: names).map { "; did you mean \($0)?" } ?? ""
    throw .usage(
      "\(command.name): there is no setting \(arguments[0])\(hint)",
      advice: "Available: \(names.joined(separator: ", "))")
  }

  /// True if an argument is `on`, false if it is `off`.
  func isOn(at index: Int) throws(CommandFailure) -> Bool {
    switch arguments[index] {
    case "on": return true
    case "off": return false
    default: throw misuse("'\(arguments[index])' is neither on nor off")
    }
  }
}
