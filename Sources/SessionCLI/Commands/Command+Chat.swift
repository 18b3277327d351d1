extension Command {
  static let chat = Command(
    name: "chat",
    summary: "talk with somebody",
    discussion: """
      Shows what was said, and then what comes, above the line that you type; Enter sends it. A line that begins
      with / is a command: /help lists them, and /attach FILE sends a file. Ctrl-D and Ctrl-C leave. What you see is
      marked as read.

      Where standard input is no terminal, each line of it is sent as text, whatever it begins with, and the command ends
      when all of them are stored; a line that cannot be sent ends it at once. With --commands lines that begin with / are
      commands there too: give it only where you know who writes the lines.
      """,
    arguments: [.recipient],
    options: [
      .init(
        name: "limit", value: "N", summary: "how many messages to show first, 500 at most; 20 by default"),
      .init(name: "commands", summary: "take lines of a pipe that begin with / for commands"),
      .timeout, .account, .json,
    ],
    examples: [
      .init(line: "session chat alice", summary: "begins with the newest messages"),
      .init(line: "tail -f log | session chat me --limit 1", summary: "each line as a note to yourself"),
    ]
  ) { invocation, io in
    let (limit, patience) = (try invocation.limit(20), try invocation.patience())
    return try await invocation.working(io) { opened in
      let other = try await People(of: opened.messenger).person(invocation.arguments[0], io)
      let isJSON = invocation.has("json")
      let edited = isJSON ? nil : try await EditedChat(io)
      let terminal: any ChatTerminal = try edited ?? PipedChat(io)
      let session = ChatSession(
        messenger: opened.messenger, other: other, terminal: terminal, isJSON: isJSON,
        isForgiving: edited != nil, takesCommands: edited != nil || invocation.has("commands"),
        history: limit, home: io.environment["HOME"], patience: patience)
      let result: Result<Void, any Error>
      do { result = .success(try await session.run()) } catch { result = .failure(error) }
      await terminal.close()
      try result.get()
      return CommandOutput()
    }
  }
}
