import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

/// The methods that derive from commands: their names, parameters and results are those of the command line.
enum CommandMethods {
  /// The commands that are methods, by what a client needs to call them.
  static let names: [RPCScope: [String]] = [
    .read: [
      "attachment list", "chats", "contacts list", "group list", "group members", "group show", "jobs list",
      "profile show", "requests list", "search", "settings get", "settings list", "show",
    ],
    .send: ["delete", "react", "read", "resend", "send"],
    .manage: [
      "contacts block", "contacts delete", "contacts downloads", "contacts nickname", "contacts unblock",
      "group accept", "group clear", "group create", "group decline", "group delete", "group describe",
      "group invite", "group leave", "group picture", "group promote", "group remove", "group rename", "hide",
      "jobs cancel", "jobs retry", "mute", "pin", "profile set", "requests accept", "requests block",
      "requests decline", "settings set", "timer", "unhide", "unmute", "unpin", "unread",
    ],
  ]

  static var all: [RPCMethod] {
    let commands = Dictionary(
      uniqueKeysWithValues: CommandTable.session.commands.map { ($0.name, $0) })
    return names.flatMap { scope, names in
      names.compactMap { commands[$0] }.map { method(of: $0, needs: scope) }
    }
  }

  /// The methods of a server that need an account.
  static var served: [RPCMethod] {
    all
      + RPCMethod.events { event, message, messenger in
        let conversations = [event.conversation].compactMap(\.self)
        return event.json(message, try await Directory(of: messenger, showing: conversations)).text
      }
  }

  /// `contacts list` is `contacts.list`, `account export-phrase` is `account.export_phrase`.
  static func name(of command: Command) -> String { parameter(command.words.joined(separator: ".")) }

  private static func parameter(_ name: String) -> String {
    String(name.lowercased().prefix { $0 != "|" }).replacing("-", with: "_")
  }

  private static func method(of command: Command, needs scope: RPCScope) -> RPCMethod {
    RPCMethod(name(of: command), needs: scope) { call in
      let words = try words(of: command, call.params, call.access)
      let messenger = try await call.messenger()
      do {
        let output = try await command.run(
          Invocation(of: command, from: words), .serving(messenger))
        return result(of: output)
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw RPCError(CommandFailure(error))
      }
    }
  }

  /// The words of a command line with these parameters.
  private static func words(
    of command: Command, _ params: JSONValue, _ access: RPCAccess
  ) throws(RPCError) -> [String] {
    guard case .object(let members) = params else { return [] }
    let options = command.options.filter { $0.name != "json" }
    let known =
      command.arguments.map { parameter($0.name) } + options.map { parameter($0.name) + timeSuffix($0) }
      + ["account"]
    for member in members where !known.contains(member.name) {
      var error = RPCError(-32602, "invalid-params", "there is no parameter \"\(member.name.prefix(64))\"")
      error.details = [.init("member", .string(String(member.name.prefix(64))))]
      if let nearest = nearestName(to: member.name, among: known) {
        error.details.append(.init("nearest", .string(nearest)))
      }
      throw error
    }
    var words: [String] = []
    for option in options where option.name != "account" {
      let name = parameter(option.name) + timeSuffix(option)
      guard let value = params[name] else { continue }
      guard option.value != nil else {
        guard let isSet = value.boolean else { throw wrong(name, "true or false") }
        if isSet { words.append("--" + option.name) }
        continue
      }
      let texts = try texts(of: value, name, areMany: option.isRepeated)
      if isPath(option.value) { try check(texts, of: name, access) }
      words += texts.map { "--\(option.name)=\(timeSuffix(option).isEmpty ? $0 : seconds($0))" }
    }
    if command.options.contains(where: { $0.name == "json" }) { words.append("--json") }
    words.append("--")
    for argument in command.arguments {
      let name = parameter(argument.name)
      guard let value = params[name] else {
        guard argument.isOptional else { throw wrong(name, "given") }
        continue
      }
      let texts = try texts(of: value, name, areMany: argument.isRepeated)
      if isPath(argument.name) { try check(texts, of: name, access) }
      words += texts
    }
    return words
  }

  /// True for `FILE`, also among others.
  private static func isPath(_ placeholder: String?) -> Bool {
    placeholder?.split(separator: "|").contains { $0 == "FILE" || $0 == "FOLDER" } ?? false
  }

  /// Refuses paths of a client that may not name any file, and paths that begin in the client's folder.
  private static func check(_ paths: [String], of name: String, _ access: RPCAccess) throws(RPCError) {
    try access.require(.admin, for: "a path in \"\(name)\"")
    guard paths.allSatisfy({ $0.hasPrefix("/") }) else { throw wrong(name, "a path that begins with /") }
  }

  /// Spans of time are numbers of milliseconds.
  private static func timeSuffix(_ option: Command.Option) -> String { option.value == "TIME" ? "_ms" : "" }

  private static func seconds(_ milliseconds: String) -> String {
    Int64(milliseconds).map { "\(max(1, $0 / 1000 + ($0 % 1000 > 0 ? 1 : 0)))s" } ?? milliseconds
  }

  private static func texts(of value: JSONValue, _ name: String, areMany: Bool) throws(RPCError) -> [String] {
    switch value {
    case .string(let text): return [text]
    case .integer(let number): return ["\(number)"]
    case .boolean(let isOn): return [isOn ? "on" : "off"]
    case .array(let elements) where areMany:
      var texts: [String] = []
      for element in elements { texts += try self.texts(of: element, name, areMany: false) }
      return texts
    default: throw wrong(name, areMany ? "a text, a number, or an array of them" : "a text or a number")
    }
  }

  private static func wrong(_ name: String, _ expected: String) -> RPCError {
    var error = RPCError(-32602, "invalid-params", "\"\(name)\" must be \(expected)")
    error.details = [.init("member", .string(name))]
    return error
  }

  /// An object as it is, a list as the member `items` of one.
  private static func result(of output: CommandOutput) -> String {
    let lines = output.json.split(separator: "\n")
    if output.isList { return "{\"items\":[\(lines.joined(separator: ","))]}" }
    return lines.first.map(String.init) ?? "{\"done\":true}"
  }
}

extension RPCError {
  /// The failure of a command.
  init(_ failure: CommandFailure) {
    self.init(Int(failure.status.rawValue), failure.kind, failure.message, advice: failure.advice)
    if let id = failure.messageID { details = [.init("message_id", .integer(id))] }
  }
}

extension CommandOutput {
  /// Its data without what cannot be JSON.
  fileprivate var json: String {
    data.map { part in
      switch part {
      case .text(let text), .heading(let text), .indented(let text): text
      case .bytes, .secret: ""
      }
    }.joined()
  }
}

extension CommandIO {
  /// The environment of a served command: it has no streams, and people are given by id.
  static func serving(_ messenger: Messenger) -> CommandIO {
    var io = CommandIO(
      read: { (path, limit) throws(SessionError) in
        try SessionError.files { () throws(FileError) in
          guard let path, path.hasPrefix("/") else {
            throw FileError(.unreadable, "give a file by a path that begins with /")
          }
          // Opening a FIFO would wait for its writer.
          guard try OpenFile.mode(ofReadable: path) & S_IFMT == S_IFREG else {
            throw FileError(.unreadable, "\(path) is not a regular file")
          }
          return try OpenFile(reading: path).readAll(upTo: limit)
        }
      },
      create: { (path, _) throws(SessionError) in
        throw SessionError(FileError(.uncreatable, "cannot create \(path)"))
      },
      write: { _ in }, tell: { _ in }, askSecret: { _ in nil }, environment: [:],
      now: { MachineClock.wallMilliseconds }, isTerminal: false)
    io.settings.recipients = .ids
    io.served = messenger
    return io
  }
}
