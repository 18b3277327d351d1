extension Command {
  static let help: Command = Command(
    name: "help",
    summary: "explain a command, or list all",
    arguments: [.init(name: "COMMAND", summary: "the command's words", isOptional: true, isRepeated: true)],
    examples: [
      .init(line: "session help seal", summary: "the same as 'session seal --help'")
    ]
  ) { invocation, _ in
    let words = invocation.arguments
    let table = CommandTable.session
    let help = Help(table: table)
    if words.isEmpty { return CommandOutput(data: help.overview()) }
    if let command = table.command(calledBy: words) { return CommandOutput(data: help.page(of: command)) }
    let group = table.commands(under: words)
    guard !group.isEmpty else { throw SessionTool.unknownCommand(words, in: table) }
    return CommandOutput(text: help.list(of: group))
  }

  static let version = Command(
    name: "version",
    summary: "show the version of this program"
  ) { _, _ in
    CommandOutput(text: "session \(SessionTool.version)\n")
  }
}
