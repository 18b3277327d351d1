import SessionBase
import SessionDesktop
import SessionService
import SessionStorage

/// The user's settings for all commands.
struct UserSettings: Sendable {
  enum Colour: String, CaseIterable, Sendable {
    /// On a terminal, unless NO_COLOR says otherwise.
    case auto
    case always
    case never
  }

  enum Times: String, CaseIterable, Sendable {
    case local
    case universal
  }

  enum Recipients: String, CaseIterable, Sendable {
    /// Ids, nicknames and names of contacts.
    case names
    /// Ids alone, for scripts.
    case ids
  }

  enum KeyStore: String, CaseIterable, Sendable {
    case open
    case passphrase
    case credential
    case secretService = "secret-service"
  }

  var account: String?
  var network: String?
  var colour = Colour.auto
  var times = Times.local
  var recipients = Recipients.names
  /// Where the keys of new accounts are kept; nil to ask.
  var keyStore: KeyStore?
  /// The programs that may print keys, as ``KeyProgram/text(of:)`` writes them.
  var keyCommands: [String] = []
  /// When notifications are held back every day.
  var quietTime: QuietTime.Schedule?
  /// The command that runs another one in a new terminal.
  var terminal: String?

  static let keys: [ConfigKey] = [
    .init(name: "account", kind: .text, summary: "the default account"),
    .init(
      name: "network", kind: .text,
      summary: "the network of new accounts: main, test, devnet or the path of a file"),
    .init(
      name: "colour", kind: .choice(Colour.allCases.map(\.rawValue)),
      summary: "when headings are coloured: auto (on terminals only, the default), always or never"),
    .init(
      name: "times", kind: .choice(Times.allCases.map(\.rawValue)),
      summary: "the time zone of displayed times: local, the default, or universal (UTC)"),
    .init(
      name: "recipients", kind: .choice(Recipients.allCases.map(\.rawValue)),
      summary: "how commands find people: by names and ids (names, the default), or only by ids, for scripts"),
    .init(
      name: "key_store", kind: .choice(KeyStore.allCases.map(\.rawValue)),
      summary: "what opens the messages of new accounts: open, passphrase, credential or secret-service"),
    .init(
      name: "key_commands", kind: .texts,
      summary: "the programs that may print keys; 'session key add command' adds one"),
    .init(
      name: "dnd_schedule", kind: .text,
      summary: "when notifications are held back every day, in local time, such as \"22:00-07:00\""),
    .init(
      name: "terminal", kind: .text,
      summary: "the command that opens a terminal, such as \"kitty -e\"; the desktop's own by default"),
  ]

  /// The default of a setting; nil for none.
  static func usual(_ name: String) -> String? {
    switch name {
    case "network": "main"
    case "colour": Colour.auto.rawValue
    case "times": Times.local.rawValue
    case "recipients": Recipients.names.rawValue
    default: nil
    }
  }
}

/// The user's settings file.
struct UserSettingsFile: Sendable {
  let path: String

  init(_ roots: StorageRoots) { path = roots.config + "/session.toml" }

  /// The settings in the file; empty if there is no file.
  func read(_ io: CommandIO) throws(CommandFailure) -> UserSettings {
    var settings = UserSettings()
    guard let file = try configuration(io) else { return settings }
    settings.account = file.text("account")
    settings.network = file.text("network")
    settings.colour = file.text("colour").flatMap(UserSettings.Colour.init) ?? .auto
    settings.times = file.text("times").flatMap(UserSettings.Times.init) ?? .local
    settings.recipients = file.text("recipients").flatMap(UserSettings.Recipients.init) ?? .names
    settings.keyStore = file.text("key_store").flatMap(UserSettings.KeyStore.init)
    settings.keyCommands = file.texts("key_commands") ?? []
    settings.quietTime = try Self.schedule(in: file)
    settings.terminal = file.text("terminal")
    return settings
  }

  private static func schedule(in file: Configuration) throws(CommandFailure) -> QuietTime.Schedule? {
    guard let text = file.text("dnd_schedule") else { return nil }
    guard let schedule = QuietTime.Schedule(text) else {
      throw CommandFailure(
        file.mistake("dnd_schedule", "two different times of the day, such as \"22:00-07:00\""))
    }
    return schedule
  }

  /// The value of a setting in the file; nil if the file does not set it.
  func value(_ name: String, _ io: CommandIO) throws(CommandFailure) -> String? {
    let file = try configuration(io)
    return file?.text(name) ?? file?.texts(name).map { $0.joined(separator: "; ") }
  }

  private func configuration(_ io: CommandIO) throws(CommandFailure) -> Configuration? {
    guard try Configuration.isOwn(path) else { return nil }
    return try configuration(of: try Configuration.text(of: path, io))
  }

  private func configuration(of text: String) throws(CommandFailure) -> Configuration {
    do throws(Configuration.Mistake) {
      return try Configuration(path, text: text, keys: UserSettings.keys, topic: Topic.configuration.name)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Sets a setting, or removes it for nil, and leaves all other lines alone. Replaces an invalid value. Any other mistake
  /// in the file is an error, and nothing changes.
  func set(_ name: String, to value: String?, _ io: CommandIO) throws(CommandFailure) {
    try set(name, to: value.map { .text($0) }, io)
  }

  /// Lets a program print keys.
  func allow(keyCommand words: [String], _ io: CommandIO) throws(CommandFailure) {
    let known = try configuration(io)?.texts("key_commands") ?? []
    let text = KeyProgram.text(of: words)
    guard !known.contains(text) else { return }
    try set("key_commands", to: .texts(known + [text]), io)
  }

  private func set(_ name: String, to value: ConfigText.Value?, _ io: CommandIO) throws(CommandFailure) {
    let text = try Configuration.isOwn(path) ? try Configuration.text(of: path, io) : ""
    let changed: String
    do throws(ConfigText.Mistake) {
      changed = try ConfigText.setting(name, to: value, in: text)
    } catch {
      throw CommandFailure(Configuration.failure(error, in: path, topic: Topic.configuration.name))
    }
    _ = try Self.schedule(in: try configuration(of: changed))
    guard changed != text else { return }
    guard changed.utf8.count <= Configuration.maxBytes else {
      throw .data("\(path) would be larger than \(Configuration.maxBytes) bytes")
    }
    try writeSettings(changed, to: path)
  }
}
