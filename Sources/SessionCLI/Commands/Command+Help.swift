extension Command {
  static let help: Command = Command(
    name: "help",
    summary: "show help for a command or a topic, or list all",
    arguments: [
      .init(
        name: "COMMAND", summary: "the command or the topic", isOptional: true,
        isRepeated: true)
    ],
    examples: [
      .init(line: "session help seal", summary: "show the same as 'session seal --help'"),
      .init(line: "session help exit-codes", summary: "explain the exit codes"),
    ],
    needsSettings: false,
    rpc: .none(.isLocal)
  ) { invocation, _ in
    // "account new" may come as one argument.
    let words = invocation.arguments.flatMap { $0.split(separator: " ").map(String.init) }
    let table = CommandTable.session
    let help = Help(table: table)
    if words.isEmpty { return CommandOutput(data: help.overview()) }
    if let command = table.command(calledBy: words) { return CommandOutput(data: help.page(of: command)) }
    if let topic = table.topics.first(where: { [$0.name] == words }) {
      return CommandOutput(data: help.page(of: topic))
    }
    let group = table.commands(under: words)
    guard !group.isEmpty else { throw SessionTool.unknownCommand(words, in: table) }
    return CommandOutput(text: help.list(of: group))
  }

  static let version = Command(
    name: "version",
    summary: "show the version of this program",
    options: [.init(name: "sha256", summary: "also show the SHA-256 sum of the program that runs"), .json],
    needsSettings: false,
    rpc: .none(.hasOwnMethod)
  ) { invocation, _ in
    let sum = invocation.has("sha256") ? try FileSum.ofThisProgram() : nil
    guard !invocation.has("json") else {
      var object: JSONObject = ["version": .string(SessionTool.version)]
      object["digest"] = sum.map { .string($0) }
      return CommandOutput(json: object)
    }
    return CommandOutput(
      text: "session \(SessionTool.version)\n" + (sum.map { "sha256  \($0)\n" } ?? ""))
  }
}
