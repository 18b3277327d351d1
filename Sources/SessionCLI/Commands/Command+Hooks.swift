import SessionBase
import SessionDaemon
import SessionMessaging
import SessionStorage

extension Command {
  static let hooksList = Command(
    name: "hooks list",
    summary: "list hooks: programs that the daemon runs for events",
    discussion: "See 'session help hooks'.",
    options: [.json],
    rpc: .beside(.admin)
  ) { invocation, io in
    let hooks = try HookFile.all(try io.roots()).map { file in try file.hook(io) }
    guard !invocation.has("json") else { return CommandOutput(lines: hooks.map(\.json)) }
    guard !hooks.isEmpty else { return CommandOutput(notes: ["No hooks."]) }
    return CommandOutput(data: TextTable(head: Hook.columns, rows: hooks.map(\.row)).parts)
  }

  static let hooksTest = Command(
    name: "hooks test",
    summary: "run the program of a hook for one event",
    discussion: """
      Runs it for the event with this number, or the newest one that the hook is for, and shows what it writes. No answer is
      sent, and nothing is acknowledged.
      """,
    arguments: [
      .init(name: "NAME", summary: "the name of a hook"),
      .init(name: "CURSOR", summary: "the number of an event", isOptional: true),
    ],
    options: [.account, .json],
    examples: [.init(line: "session hooks test answer", summary: "run it for the newest message")],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let hook = try HookFile.hook(named: invocation.arguments[0], io)
    let cursor = try invocation.eventNumber()
    let (_, account) = try invocation.account(io)
    let trial = try await invocation.reading(io) { messenger in
      try await hook.tried(on: cursor, of: account.name, messenger, io)
    }
    return invocation.has("json") ? CommandOutput(json: trial.json) : CommandOutput(text: trial.output)
  }
}

extension OwnMethod {
  static let hooksTest = OwnMethod(
    name: "hooks.test", summary: Command.hooksTest.summary, scope: .admin,
    parameters: [
      .required("name", .text, "the name of a hook"),
      .optional("cursor", .number, "the number of an event; the newest one that the hook is for if omitted"),
      .account,
    ], form: "hook trial"
  ) { call, arguments, io in
    let hook = try HookFile.hook(named: try arguments.requiredText("name"), io)
    let cursor = try arguments.number("cursor", 1...1 << 53).map { MessengerEvent.Cursor(rawValue: $0) }
    let account = try await call.account()
    guard hook.accounts?.contains(account) ?? true else {
      throw CommandFailure(
        status: .data,
        message: "the hook \"\(DisplayText.line(hook.name))\" is not for the account \(account)",
        detail: .noEvent)
    }
    return try await hook.tried(on: cursor, of: account, try await call.messenger(), io).json
  }
}

extension HookFile {
  /// The hook with a name, as its file has it now.
  fileprivate static func hook(named name: String, _ io: CommandIO) throws -> Hook {
    guard let file = try all(try io.roots()).first(where: { $0.name == name }) else {
      throw CommandFailure(
        status: .noInput, message: "there is no hook \"\(DisplayText.line(name))\"",
        advice: "'session hooks list' shows them.", detail: .noHook)
    }
    return try file.hook(io)
  }
}

extension Hook {
  /// Runs its program for an event. Throws if there is none, or the program fails.
  fileprivate func tried(
    on cursor: MessengerEvent.Cursor?, of account: String, _ messenger: Messenger, _ io: CommandIO
  ) async throws -> HookTrial {
    let logs = "\(try io.roots().state)/log"
    try PrivateFolder.prepare(logs)
    let setting = Hooks.Setting(io, logs: logs, socket: nil)
    guard let trial = try await Hooks.test(self, on: cursor, of: account, messenger, setting) else {
      throw CommandFailure(
        status: .data, message: "there is no such event for this hook", detail: .noEvent)
    }
    guard let failure = trial.failure else { return trial }
    throw CommandFailure(
      status: .unavailable, message: "event \(trial.cursor.rawValue): \(failure)",
      advice: "What the program wrote to standard error is in \(trial.log)", detail: .hookFailed)
  }
}

extension HookTrial {
  fileprivate var json: JSONObject {
    [
      "type": .string("hook-trial"), "cursor": .integer(UInt64(clamping: cursor.rawValue)),
      "output": .string(output),
    ]
  }
}

extension Invocation {
  /// The event that the second argument means; nil for none.
  fileprivate func eventNumber() throws(CommandFailure) -> MessengerEvent.Cursor? {
    guard arguments.count > 1 else { return nil }
    guard let number = Int64(arguments[1]), number > 0 else {
      throw misuse("'\(arguments[1])' is not the number of an event")
    }
    return MessengerEvent.Cursor(rawValue: number)
  }
}

extension Hook {
  /// Why its program is not run; nil if it is.
  private var refusal: String? {
    do throws(HookProgram.Refusal) {
      _ = try HookProgram(checking: command[0])
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// For programs.
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("hook"), "name": .string(name), "exec": .strings(command),
      "kinds": .strings(kinds.map(\.rawValue).sorted()),
    ]
    object["accounts"] = accounts.map { .strings($0.sorted()) }
    object["failure"] = refusal.map { .string($0) }
    return object
  }

  fileprivate static let columns = ["hook", "program", "events", "accounts", "failure"]

  /// For eyes.
  fileprivate var row: [String] {
    [
      name, DisplayText.line(command[0]), kinds.map(\.rawValue).sorted().joined(separator: " "),
      accounts.map { $0.sorted().joined(separator: " ") } ?? "all",
      refusal.map { DisplayText.line($0) } ?? "",
    ]
  }
}
