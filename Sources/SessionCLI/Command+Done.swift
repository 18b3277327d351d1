extension Command {
  /// Those whose output is no data for programs to take apart (files, texts for people, what servers tell), or is JSON
  /// anyway.
  static let withoutJSON: Set<String> = [
    "seal", "message write", "attachment seal", "node run", "node registry run", "node registry list",
    "server file run", "server community run", "rpc", "ui", "daemon schema", "completion", "manual", "help",
    "archive show",
  ]

  /// A command that writes an object of type "done" with --json.
  var tellingPrograms: Command {
    guard !Self.withoutJSON.contains(name), !options.contains(where: { $0.name == "json" }) else {
      return self
    }
    return Command(
      name: name, summary: summary, discussion: discussion, arguments: arguments, options: options + [.json],
      examples: examples, needsSettings: needsSettings, isOnlyDone: true, rpc: rpc
    ) { invocation, io in
      var output = try await run(invocation, io)
      if invocation.has("json") { output.data = CommandOutput(json: ["type": .string("done")]).data }
      return output
    }
  }
}

extension JSONForm {
  static let done = JSONForm(
    name: "done",
    summary: "that a command was done which has nothing else to say, or whose message is no longer here",
    commands: CommandTable.session.commands.filter(\.isOnlyDone).map(\.name) + ["send"],
    members: [.type("done")])
}
