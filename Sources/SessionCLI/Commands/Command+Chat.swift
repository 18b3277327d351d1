import SessionCore
import SessionMessaging

extension Command {
  static let chat = Command(
    name: "chat",
    summary: "talk with somebody",
    discussion: """
      Shows what was said, and then what comes, above the line that you type; Enter sends it, Alt-Enter begins a new line
      of the same message. A pasted text is one message, which Enter sends. A line that begins with / is a command: /help
      lists them, and /attach FILE sends a file. Ctrl-D and Ctrl-C leave; what was not sent is there the next time. What
      you see is marked as read.

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
    return try await invocation.working(io, staying: true) { opened in
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
      let unsent = await terminal.close()
      if edited != nil { await opened.messenger.keepDraft(unsent, in: other) }
      try result.get()
      return CommandOutput()
    }
  }
}

extension Messenger {
  /// Keeps what was typed and not sent, also while the command is being ended.
  fileprivate nonisolated func keepDraft(_ text: String, in conversation: SessionID) async {
    let keeping = Task {
      let draft = try await self.conversation(conversation)?.draft
      guard draft ?? "" != text else { return }
      try await setDraft(text, in: conversation)
    }
    _ = await keeping.result
  }
}
