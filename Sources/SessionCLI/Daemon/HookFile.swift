import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionService
import SessionStorage

/// The file of a hook, `hooks.d/NAME.toml` in the folder of the user's settings.
struct HookFile: Sendable {
  static let keys: [ConfigKey] = [
    .init(
      name: "exec", kind: .texts, summary: "the absolute path of a program, and its arguments; no shell",
      isRequired: true),
    .init(name: "accounts", kind: .texts, summary: "names of accounts; all by default"),
    .init(name: "kinds", kind: .texts, summary: "kinds of events; [\"messageReceived\"] by default"),
    .init(name: "chats", kind: .texts, summary: "ids of conversations; all by default"),
    .init(name: "incoming", kind: .boolean, summary: "only what others wrote; true by default"),
    .init(name: "requests", kind: .boolean, summary: "also messages of strangers; false by default"),
    .init(
      name: "concurrency", kind: .integer(1...Hook.maxConcurrency),
      summary: "how many programs run at a time; 1 by default, and always 1 in a conversation"),
    .init(name: "timeout", kind: .text, summary: "how long a program may run; \"30s\" by default"),
    .init(name: "tries", kind: .integer(1...100), summary: "how often an event is tried; 3 by default"),
    .init(
      name: "delay", kind: .text,
      summary: "the time before the second try, which doubles with each further one; \"10s\" by default"),
    .init(
      name: "on_failure", kind: .choice(Hook.Failing.allCases.map(\.rawValue)),
      summary:
        "what follows the last try: dead (keep the event for 'readers retry', the default), skip, or stop"),
    .init(
      name: "reply", kind: .boolean,
      summary: "send what the program writes as an answer, at most 10 a minute; false by default"),
    .init(name: "folder", kind: .text, summary: "the working folder; \"/\" by default"),
    .init(name: "environment", kind: .texts, summary: "variables, as in [\"NAME=VALUE\"]"),
  ]

  /// The longest time, in seconds.
  private static let maxTime: Int64 = 86_400

  let name: String
  let path: String

  private static func folder(in roots: StorageRoots) -> String { roots.config + "/hooks.d" }

  static func path(of name: String, in roots: StorageRoots) -> String { "\(folder(in: roots))/\(name).toml" }

  /// The files of a user, by name.
  static func all(_ roots: StorageRoots) throws(CommandFailure) -> [HookFile] {
    let folder = folder(in: roots)
    let names: [String]
    do throws(FileError) { names = try Folder.names(in: folder) } catch {
      throw CommandFailure(status: .configuration, message: error.message)
    }
    var files: [HookFile] = []
    for file in names.sorted() where file.hasSuffix(".toml") && !file.hasPrefix(".") {
      let name = String(file.dropLast(5))
      guard Hook.isName(name) else {
        throw CommandFailure(
          status: .configuration, message: "\(folder)/\(file): the name of a hook has a-z, 0-9, and . _ -")
      }
      files.append(HookFile(name: name, path: "\(folder)/\(file)"))
    }
    guard files.count <= Hook.maxCount else {
      throw CommandFailure(
        status: .configuration, message: "\(folder) has more than \(Hook.maxCount) hooks")
    }
    return files
  }

  func hook(_ io: CommandIO) throws -> Hook {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = try Configuration.own(path, keys: Self.keys, topic: Topic.hooks.name, io: io)
    else { throw CommandFailure(status: .configuration, message: "\(path) is not a file") }
    guard let command = file.texts("exec"), command.first?.hasPrefix("/") == true else {
      throw file.mistake("exec", "an absolute path and arguments, as in [\"/home/me/bot\", \"-v\"]")
    }
    var hook = Hook(name, command)
    hook.accounts = file.texts("accounts").map(Set.init)
    if let names = file.texts("kinds") { hook.kinds = Set(try names.map { try kind($0, file) }) }
    if let texts = file.texts("chats") { hook.conversations = Set(try texts.map { try chat($0, file) }) }
    hook.isIncoming = file.boolean("incoming") ?? hook.isIncoming
    hook.includesRequests = file.boolean("requests") ?? hook.includesRequests
    hook.concurrency = file.integer("concurrency") ?? hook.concurrency
    hook.timeout = try time("timeout", file) ?? hook.timeout
    hook.tries = file.integer("tries") ?? hook.tries
    hook.delay = try time("delay", file) ?? hook.delay
    hook.failing = file.text("on_failure").flatMap(Hook.Failing.init) ?? hook.failing
    hook.replies = file.boolean("reply") ?? hook.replies
    hook.folder = file.text("folder") ?? hook.folder
    guard hook.folder.hasPrefix("/") else { throw file.mistake("folder", "a path that begins with /") }
    for text in file.texts("environment") ?? [] {
      guard let sign = text.firstIndex(of: "="), sign > text.startIndex, !text.contains("\0") else {
        throw file.mistake("environment", "texts such as \"NAME=VALUE\"")
      }
      hook.environment[String(text[..<sign])] = String(text[text.index(after: sign)...])
    }
    return hook
  }

  private func kind(_ name: String, _ file: Configuration) throws -> MessengerEvent.Kind {
    guard let kind = MessengerEvent.Kind(rawValue: name), kind != .gap else {
      let nearest = nearestName(to: name, among: MessengerEvent.Kind.allCases.map(\.rawValue))
      throw file.mistake(
        "kinds", "not \"\(name.prefix(64))\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    return kind
  }

  private func chat(_ text: String, _ file: Configuration) throws -> Conversation.ID {
    guard let id = Conversation.ID(text) else { throw file.mistake("chats", "ids of conversations") }
    return id
  }

  private func time(_ name: String, _ file: Configuration) throws -> Duration? {
    guard let text = file.text(name) else { return nil }
    guard let span = TimeSpan(text), (1...Self.maxTime).contains(span.seconds) else {
      throw file.mistake(name, "a time of at most 24h, such as \"10s\" or \"2m\"")
    }
    return .seconds(span.seconds)
  }
}

extension Hook {
  /// The hook of `--exec PROGRAM`.
  init(running program: String) throws(CommandFailure) {
    do throws(HookProgram.Refusal) { _ = try HookProgram(checking: program) } catch {
      throw CommandFailure(status: .permission, message: "\(error)")
    }
    self.init("exec", [program])
  }
}

extension Hooks.Setting {
  init(_ io: CommandIO, logs: String, socket: String?) {
    self.init(environment: io.environment, socket: socket, logs: logs, tell: io.tell) {
      delivered, messenger in
      try await delivered.text(of: messenger)
    }
  }
}

extension Topic {
  static let hooks = Topic(
    name: "hooks",
    summary: "programs that 'session daemon' runs for events",
    discussion: """
      The file hooks.d/NAME.toml in the folder of 'session config path' has the daemon run a program for each new message of
      others, or for other events. The program reads the event, one line of JSON as of 'receive --json', from standard input.
      The variables SESSION_EVENT, SESSION_CURSOR, SESSION_ACCOUNT, SESSION_CHAT, SESSION_PERSON, SESSION_MESSAGE_ID,
      SESSION_KEY and SESSION_SOCKET have only numbers, ids and names of yours: what others wrote is on standard input alone.

      Exit code 0 means that the event is handled, and 75 that the program wants it again later. Any other end is a failure.
      Standard error goes to log/hook-NAME.log in the folder of the state. The program and all folders above it must be
      writable by you and root alone. 'session daemon reload', or SIGHUP, makes a running daemon read the files again: hooks
      that are the same go on, and programs of the others get a short time to end.

      Give bots an account of their own, and never put the text of a message into a shell command. To run a program that you
      do not trust, begin exec with /usr/bin/systemd-run or bwrap.
      """,
    rows: HookFile.keys.map { ($0.name, $0.summary) },
    examples: [
      .init(line: "session hooks test answer", summary: "run the program of a hook for the newest message"),
      .init(line: "session daemon --exec ~/bin/bot", summary: "run a program for each message of others"),
    ])
}
