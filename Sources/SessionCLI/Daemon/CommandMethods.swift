import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionStorage

/// The methods that derive from commands: their names, parameters and results are those of the command line.
enum CommandMethods {
  /// True for a command whose change can settle an event.
  static func settles(_ command: Command) -> Bool {
    command.rpc == .method(.send) || command.rpc == .method(.manage)
  }

  /// The commands that are methods.
  static var commands: [Command] {
    CommandTable.session.commands.filter { if case .none = $0.rpc { false } else { true } }
  }

  /// The methods of the commands; `io` is the environment of the server.
  static func all(
    _ io: CommandIO, settling table: SubscriptionTable, _ files: ClientFiles
  ) -> [RPCMethod] {
    commands.compactMap { command in
      switch command.rpc {
      case .method(let scope): method(of: command, needs: scope, settling: table, files, io)
      case .beside(let scope): method(of: command, needs: scope, beside: io)
      case .alone(let scope): method(of: command, needs: scope, alone: io)
      case .secret(let scope): method(of: command, needs: scope, knowing: io)
      case .none: nil
      }
    }
  }

  /// The methods of a server that need an account; `io` is its environment.
  static func served(_ io: CommandIO, _ files: ClientFiles) -> [RPCMethod] {
    let table = SubscriptionTable()
    var methods = all(io, settling: table, files)
    methods += RPCMethod.files(files.uploads)
    methods += OwnMethod.all.map { $0.method(in: io) }
    methods.append(RPCMethod("rpc.discover", needs: .read, takes: []) { _ in OpenRPC.document.description })
    methods += RPCMethod.events(table) { delivered, messenger in try await delivered.text(of: messenger) }
    return methods
  }

  /// `contacts list` is `contacts.list`, `account export-phrase` is `account.export_phrase`.
  static func name(of command: Command) -> String { parameter(command.words.joined(separator: ".")) }

  private static func parameter(_ name: String) -> String {
    String(name.lowercased().prefix { $0 != "|" }).replacing("-", with: "_")
  }

  /// A method that uses the account as the server has it open.
  private static func method(
    of command: Command, needs scope: RPCScope, settling table: SubscriptionTable, _ files: ClientFiles,
    _ io: CommandIO
  ) -> RPCMethod {
    RPCMethod(name(of: command), needs: scope) { call in
      let event = try settles(command) ? call.settledEvent() : nil
      let (params, attached) = try await AttachedFiles.taken(from: call, files)
      // Some of the files are open for as long as this.
      defer { withExtendedLifetime(attached) {} }
      let words = try words(of: command, params, call.access, attached)
      @Sendable func result() async throws -> String {
        let messenger = try await call.messenger()
        let output = try await output(of: command, words, messenger, attached, settling: event, in: io)
        if let event { try await table.settled(event, of: call.account(), messenger) }
        return text(of: output)
      }
      do { return try await result() } catch let error as RPCError {
        // The account was closed meanwhile. A change may have been made; what only reads begins again.
        guard error.kind == RPCError.outcomeUnknown.kind, scope == .read else { throw error }
        return try await result()
      }
    }
  }

  /// A method that uses the account's folder, as the command does.
  private static func method(
    of command: Command, needs scope: RPCScope, beside io: CommandIO
  ) -> RPCMethod {
    RPCMethod(name(of: command), needs: scope) { call in
      let words = try words(of: command, call.params, call.access)
      guard command.options.contains(where: { $0.name == "account" }) else {
        return try await result(of: command, words, io)
      }
      let account = try await call.account()
      // What the user has allowed meanwhile counts.
      return try await result(
        of: command, ["--account=\(account)"] + words, (try? io.withSettings()) ?? io)
    }
  }

  /// A method that uses the account's folder while the server has the account closed.
  private static func method(
    of command: Command, needs scope: RPCScope, alone io: CommandIO
  ) -> RPCMethod {
    RPCMethod(name(of: command), needs: scope) { call in
      let words = try words(of: command, call.params, call.access)
      let account = try await call.account()
      var io = io
      io.isAlone = true
      return try await call.alone(with: account) { [io] in
        try await result(of: command, ["--account=\(account)"] + words, io)
      }
    }
  }

  /// Likewise, with the secrets that come with the call. The account is closed only where something changes.
  private static func method(
    of command: Command, needs scope: RPCScope, knowing io: CommandIO
  ) -> RPCMethod {
    RPCMethod(name(of: command), needs: scope) { call in
      let words = try words(of: command, call.params, call.access)
      let account = try await call.account()
      var io = try io.withSettings()
      try checkProgram(of: command, words, call.access, io)
      io.given = try GivenSecrets(call, of: command)
      io.isAlone = true
      let line = ["--account=\(account)"] + words
      guard command.name != Command.keyTest.name else { return try await result(of: command, line, io) }
      return try await call.alone(with: account) { [io] in try await result(of: command, line, io) }
    }
  }

  /// Throws `permission` if a client that may be another user would have the daemon run a program that prints a key, unless
  /// the settings have it already.
  private static func checkProgram(
    of command: Command, _ words: [String], _ access: RPCAccess, _ io: CommandIO
  ) throws(RPCError) {
    guard !access.isOwn, [Command.keyAdd, Command.keyMove].contains(where: { $0.name == command.name }) else {
      return
    }
    let arguments = words.drop { $0 != "--" }.dropFirst()
    guard arguments.first == KeySlot.Kind.command.rawValue,
      !io.settings.keyCommands.contains(KeyProgram.text(of: Array(arguments.dropFirst())))
    else { return }
    throw RPCError(
      77, "permission", "this client may not have another program run that prints a key",
      advice: "Add it to key_commands of your settings, or call this over the daemon's own socket.")
  }

  /// The result of a command that uses an account's folder.
  private static func result(
    of command: Command, _ words: [String], _ io: CommandIO
  ) async throws -> String {
    let written = Written()
    var result = try await output(of: command, words, .beside(io, written))
    result.data = [.text(written.text)] + result.data
    result.isList =
      result.isList
      || [Command.doctor, Command.keyList, Command.keyTest].contains { $0.name == command.name }
    return text(of: result)
  }

  /// The output of a command whose changes settle an event.
  private static func output(
    of command: Command, _ words: [String], _ messenger: Messenger, _ attached: AttachedFiles,
    settling event: EventAcknowledgement?, in host: CommandIO
  ) async throws -> CommandOutput {
    var io = CommandIO.serving(messenger, attached, settling: event)
    io.previews = host.previews
    io.servedSites = { () throws(CommandFailure) in try host.withSettings().siteAccess() }
    // A message is written in one transaction, which settles the event by itself.
    guard let event, command.name != Command.send.name else {
      return try await output(of: command, words, io)
    }
    do {
      return try await messenger.settling(event) { [io] in try await output(of: command, words, io) }
    } catch let error as MessengerError {
      throw RPCError(failureOf: error)
    }
  }

  private static func output(
    of command: Command, _ words: [String], _ io: CommandIO
  ) async throws -> CommandOutput {
    do {
      return try await command.run(Invocation(of: command, from: words), io)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RPCError(failureOf: error)
    }
  }

  /// The words of a command line with these parameters.
  private static func words(
    of command: Command, _ params: JSONValue, _ access: RPCAccess, _ attached: AttachedFiles = AttachedFiles()
  ) throws(RPCError) -> [String] {
    let secrets = GivenSecrets.parameters(of: command).map(\.name)
    let options = command.options.filter { $0.name != "json" && !secrets.contains($0.name) }
    var known = command.arguments.map(parameter(of:)) + options.map(parameter(of:)) + ["account"] + secrets
    if settles(command) { known.append("ack") }
    _ = try MethodArguments(params, known: known)
    var words: [String] = []
    for option in options where option.name != "account" {
      let name = parameter(of: option)
      guard let value = params[name] else { continue }
      guard option.value != nil else {
        guard let isSet = value.boolean else { throw .wrongParameter(name, "true or false") }
        if isSet { words.append("--" + option.name) }
        continue
      }
      let texts = try texts(of: value, name, areMany: option.isRepeated)
      let paths = texts.filter { attached.files[$0] == nil && isPath($0, option.value) }
      if !paths.isEmpty { try check(paths, of: name, access) }
      words += texts.map { "--\(option.name)=\(isTime(option.value) ? seconds($0) : $0)" }
    }
    if command.options.contains(where: { $0.name == "json" }) { words.append("--json") }
    words.append("--")
    for argument in command.arguments {
      let name = parameter(of: argument)
      guard let value = params[name] else {
        guard argument.isOptional else { throw .wrongParameter(name, "given") }
        continue
      }
      let texts = try texts(of: value, name, areMany: argument.isRepeated)
      let paths = texts.filter { isPath($0, argument.name) }
      if !paths.isEmpty { try check(paths, of: name, access) }
      words += texts.map { isTime(argument.name) ? seconds($0) : $0 }
    }
    return words
  }

  /// True for any value of `FILE`, also among others, and for a value of `PATH` that begins with /.
  private static func isPath(_ value: String, _ placeholder: String?) -> Bool {
    let words = placeholder?.split(separator: "|") ?? []
    return words.contains { $0 == "FILE" || $0 == "FOLDER" }
      || (value.hasPrefix("/") && words.contains("PATH"))
  }

  /// Refuses paths of a client that may not name any file, and paths that begin in the client's folder.
  private static func check(_ paths: [String], of name: String, _ access: RPCAccess) throws(RPCError) {
    try access.require(.admin, for: "a path in \"\(name)\"")
    guard paths.allSatisfy({ $0.hasPrefix("/") }) else {
      throw .wrongParameter(name, "a path that begins with /")
    }
  }

  /// `CHAT` is `chat`, `FILE|-` is `file`, `TIME` is `time_ms`.
  static func parameter(of argument: Command.Argument) -> String {
    argument.parameter ?? parameter(argument.name) + (isTime(argument.name) ? "_ms" : "")
  }

  /// `--reply-to` is `reply_to`, `--timeout TIME` is `timeout_ms`.
  static func parameter(of option: Command.Option) -> String {
    parameter(option.name) + (isTime(option.value) ? "_ms" : "")
  }

  /// Spans of time are numbers of milliseconds.
  private static func isTime(_ placeholder: String?) -> Bool { placeholder == "TIME" }

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
    default:
      throw .wrongParameter(name, areMany ? "a text, a number, or an array of them" : "a text or a number")
    }
  }

  /// An object as it is, a list as the member `items` of one.
  private static func text(of output: CommandOutput) -> String {
    // Bytes are compared faster than characters, and a line end is no part of another one.
    let lines = output.json.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
    guard output.isList else { return lines.first.map(String.init) ?? "{\"done\":true}" }
    let next = output.next.map { ",\"next\":\($0)" } ?? ""
    return "{\"items\":[\(lines.joined(separator: ","))],\"more\":\(output.hasMore)\(next)}"
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

extension DeliveredEvent {
  /// Its JSON, for a reader.
  func text(of messenger: Messenger) async throws -> String {
    let conversations = [event.conversation].compactMap(\.self)
    var object = event.json(message, try await Directory(of: messenger, showing: conversations))
    object["account"] = .string(account)
    object["tries"] = tries.map { .integer(UInt64($0)) }
    return object.text
  }
}
