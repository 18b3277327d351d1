import SessionBase
import SessionCore
import SessionDesktop
import SessionHTTP
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
  /// True if accounts that a passphrase protects are locked with the screen.
  var locksWithScreen = false
  /// The command that runs another one in a new terminal.
  var terminal: String?
  /// The programs for sound, where they are not the usual ones.
  var soundPrograms: [SoundPrograms.Purpose: String] = [:]
  /// The proxy for requests over HTTPS.
  var proxy = ProxySetting.none
  /// Hosts that are not asked for previews of links.
  var previewBlocked: [String] = []
  /// Community servers to contact directly over HTTPS, such as `https://example.org`.
  var directServers: Set<String> = []

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
      name: "lock_on_screen_lock", kind: .choice(["on", "off"]),
      summary: "whether accounts with a passphrase are locked with the screen; off by default"),
    .init(
      name: "terminal", kind: .text,
      summary: "the command that opens a terminal, such as \"kitty -e\"; the desktop's own by default"),
    .init(
      name: SoundPrograms.Purpose.convert.rawValue, kind: .text,
      summary:
        "the command that makes voice messages of other files, with INPUT and OUTPUT; ffmpeg by default"),
    .init(
      name: SoundPrograms.Purpose.record.rawValue, kind: .text,
      summary: "the command that records into the WAV file OUTPUT; pw-record, parecord or arecord by default"),
    .init(
      name: SoundPrograms.Purpose.play.rawValue, kind: .text,
      summary: "the command that plays a recording from standard input; mpv or ffplay by default"),
    .init(
      name: "proxy", kind: .text,
      summary: "the proxy for HTTPS, such as socks5h://127.0.0.1:9050, or environment; messages do not use it"
    ),
    .init(
      name: "preview_blocked", kind: .text,
      summary: "sites that are never asked for previews of links, separated by blanks"),
    .init(
      name: "direct_servers", kind: .text,
      summary:
        "community servers to contact directly; they see your address: https://HOST, separated by blanks"
    ),
  ]

  /// The default of a setting; nil for none.
  static func usual(_ name: String) -> String? {
    switch name {
    case "network": "main"
    case "colour": Colour.auto.rawValue
    case "times": Times.local.rawValue
    case "recipients": Recipients.names.rawValue
    case "lock_on_screen_lock": "off"
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
    settings.locksWithScreen = file.text("lock_on_screen_lock") == "on"
    settings.terminal = file.text("terminal")
    for purpose in SoundPrograms.Purpose.allCases {
      settings.soundPrograms[purpose] = file.text(purpose.rawValue)
    }
    settings.proxy = try Self.proxy(in: file)
    settings.previewBlocked = try Self.blockedHosts(in: file)
    settings.directServers = try Self.directServers(in: file)
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

  private static func proxy(in file: Configuration) throws(CommandFailure) -> ProxySetting {
    guard let text = file.text("proxy") else { return .none }
    do throws(HTTPProxy.Mistake) { return try ProxySetting(text) } catch {
      throw CommandFailure(file.mistake("proxy", ProxySetting.expected(after: error)))
    }
  }

  private static func blockedHosts(in file: Configuration) throws(CommandFailure) -> [String] {
    guard let hosts = LinkRules.blockedHosts(in: file.text("preview_blocked") ?? "") else {
      throw CommandFailure(file.mistake("preview_blocked", LinkRules.expectedHosts))
    }
    return hosts
  }

  private static func directServers(in file: Configuration) throws(CommandFailure) -> Set<String> {
    let words = (file.text("direct_servers") ?? "").split(separator: " ")
    var servers: Set<String> = []
    for word in words {
      // Any name of a room leads to the normal form of its server.
      guard let place = try? Community.Place(server: String(word), room: "room"),
        place.server.hasPrefix("https://")
      else {
        throw CommandFailure(
          file.mistake(
            "direct_servers", "addresses of servers such as https://example.org, separated by blanks"))
      }
      servers.insert(place.server)
    }
    return servers
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
    let file = try configuration(of: changed)
    _ = try Self.schedule(in: file)
    _ = try Self.proxy(in: file)
    _ = try Self.blockedHosts(in: file)
    _ = try Self.directServers(in: file)
    guard changed != text else { return }
    guard changed.utf8.count <= Configuration.maxBytes else {
      throw .data("\(path) would be larger than \(Configuration.maxBytes) bytes")
    }
    try writeSettings(changed, to: path)
  }
}
