import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let chat = Command(
    name: "chat",
    summary: "open a conversation and type messages",
    discussion: """
      Shows earlier and new messages above the line that you type. Enter sends it, Alt-Enter starts a new line of the same
      message. Pasted text is one message, which Enter sends. A line that starts with / is a command: /help lists them,
      and /attach FILE sends a file. Ctrl-D and Ctrl-C leave; unsent text is kept as a draft. Messages that are shown are
      marked as read.

      If standard input is not a terminal, each line is sent as text, whatever it starts with, and the command ends when
      all lines are stored; it stops at the first line that cannot be sent. With --commands, piped lines that start with /
      are commands: use it only for input that you trust.
      """,
    arguments: [.recipient],
    options: [
      .init(
        name: "limit", value: "N", summary: "number of messages to show first, at most 500; 20 by default"),
      .init(name: "commands", summary: "treat piped lines that start with / as commands"),
      .timeout, .account, .json,
    ],
    examples: [
      .init(line: "session chat alice", summary: "open the conversation at the newest messages"),
      .init(line: "tail -f log | session chat me --limit 1", summary: "send each line to Note to Self"),
    ],
    rpc: .none(.isClient)
  ) { invocation, io in
    let (limit, timeout) = (try invocation.limit(20), try invocation.timeout())
    let (place, seats) = (ChatSession.Place(), Kept<ChatSeat>())
    return try await ChatSeat.leaving(seats) {
      try await invocation.working(io, staying: true) { opened in
        let other = try await Directory(of: opened.messenger).conversation(invocation.arguments[0], io)
        let seat = try await seats.obtain { try await ChatSeat(io, isJSON: invocation.has("json")) }
        var asking = io
        asking.tell = { [terminal = seat.terminal] line in terminal.tell(line) }
        let session = ChatSession(
          messenger: opened.messenger, other: other, terminal: seat.terminal, inputs: seat.inputs,
          isJSON: invocation.has("json"), isForgiving: seat.isEdited,
          takesCommands: seat.isEdited || invocation.has("commands"), history: limit,
          home: io.environment["HOME"], timeout: timeout, place: place,
          isElsewhere: opened.isElsewhere, previews: LinkPreviews(io: asking))
        let result: Result<Void, any Error>
        do { result = .success(try await session.run()) } catch { result = .failure(error) }
        // The chat continues with the next program that holds the account.
        if opened.isOrphaned { throw HolderGone() }
        seats.value = nil
        let unsent = await seat.terminal.close()
        if seat.isEdited {
          // A text whose question had no answer was not sent either.
          let parts = [place.unanswered ?? "", unsent].filter { !$0.isEmpty }
          await opened.messenger.keepDraft(parts.joined(separator: "\n"), in: other)
        }
        try result.get()
        return CommandOutput()
      }
    }
  }
}
