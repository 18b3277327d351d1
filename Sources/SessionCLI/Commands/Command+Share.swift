import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionTerminal

extension Command {
  static let share = Command(
    name: "share",
    summary: "send files or a text to a conversation that you choose",
    discussion: """
      Menus of file managers and browsers call it. Without --to it lists your conversations, the most recently active
      first: typing narrows the list, Up and Down choose, Enter sends, Esc leaves. With --to it asks before it sends, unless
      --yes says that you agree. Nothing is sent without one of these choices. The text is that of --text, or else standard
      input if that is no terminal; without a text and files, it asks for a text.
      """,
    arguments: [
      .init(
        name: "FILE", summary: "a file or a picture to send; 32 at most", isOptional: true, isRepeated: true)
    ],
    options: [
      .init(name: "to", value: "CHAT", summary: "the conversation; you choose one by default"),
      .init(
        name: "text", value: "TEXT", summary: "the text; standard input by default, if it is no terminal"),
      .init(name: "yes", summary: "do not ask; only with --to"),
      .init(
        name: "timeout", value: "TIME",
        summary: "how long to wait for the network; 30s by default, 10m with files"),
      .account, .json,
    ],
    examples: [
      .init(line: "session share beach.jpg map.pdf", summary: "choose who gets two files"),
      .init(
        line: "session share --to bob --text https://example.org", summary: "send a link, after a question"),
    ],
    rpc: .none(.isClient)
  ) { invocation, io in
    guard !invocation.has("yes") || invocation["to"] != nil else {
      throw invocation.misuse("--yes needs --to: it agrees to one conversation")
    }
    let things = try SharedThings(text: try await invocation.sharedText(io), paths: invocation.arguments)
    var quiet = io
    // Warnings about a recipient are part of the question.
    quiet.tell = { _ in }
    let sending = Sending(
      io: quiet, previews: LinkPreviews(io: quiet, isInteractive: false), wait: .sent,
      timeout: try invocation.timeout(usual: things.files.isEmpty ? .seconds(30) : .seconds(600)))
    let (letters, choices, isJSON) = (Kept<OutgoingLetter>(), Kept<RecipientChoice>(), invocation.has("json"))
    return try await invocation.working(io) { opened in
      let letter = try await letters.obtain {
        let recipient = try await invocation.chosenRecipient(of: things, choices, opened.messenger, io)
        let text = OutgoingText(things.text)
        return OutgoingLetter(
          to: recipient.description, .init(text: text, files: things.files), text, at: nil, key: nil,
          isJSON: isJSON)
      }
      return try await letter.send(sending, opened)
    }
  }
}

extension Invocation {
  fileprivate func sharedText(_ io: CommandIO) async throws -> String {
    if let text = self["text"] { return text }
    guard io.isInputTerminal else { return try io.text(from: nil) }
    // A menu may start it without a file.
    return arguments.isEmpty ? try await io.askLine("Text to send: ") ?? "" : ""
  }

  /// The conversation that the person has chosen in this run.
  fileprivate func chosenRecipient(
    of things: SharedThings, _ choices: Kept<RecipientChoice>, _ messenger: Messenger, _ io: CommandIO
  ) async throws -> Conversation.ID {
    guard let word = self["to"] else {
      return try await chooseRecipient(of: things, choices, messenger, io)
    }
    let directory = try await Directory(of: messenger)
    let recipient = try directory.conversation(word, io)
    if let warning = directory.warning(beforeWritingTo: recipient) { io.tell(warning) }
    guard !has("yes") else { return recipient }
    let question = things.question(to: directory.name(recipient))
    guard let answer = try await io.askLine(question) else {
      throw CommandFailure.usage(
        "there is no terminal to ask on", advice: "--yes sends without a question.")
    }
    guard ["y", "yes"].contains(answer.lowercased()) else { throw Self.nothingSent }
    return recipient
  }

  private static let nothingSent = CommandFailure(status: .interrupted, message: "nothing was sent")

  /// The rows, and what the person has typed, stay when the program that holds the account ends: the next Enter chooses what
  /// the person sees.
  private func chooseRecipient(
    of things: SharedThings, _ choices: Kept<RecipientChoice>, _ messenger: Messenger, _ io: CommandIO
  ) async throws -> Conversation.ID {
    var choice = try await choices.obtain { try await RecipientChoice(of: things, messenger) }
    // Standard input may be the text.
    let file = open("/dev/tty", O_RDWR | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, let capabilities = TerminalCapabilities(environment: io.environment),
      let terminal = RawTerminal(input: file, output: file)
    else {
      throw CommandFailure.usage(
        "there is no terminal to choose on",
        advice: "--to names the conversation; --yes sends without a question.")
    }
    let source = try WakingInput.reading(file)
    let resizing = SignalListener(SIGWINCH) { source.wake() }
    defer { resizing.stop() }
    let screen = ChoiceScreen(terminal, source, capabilities)
    let place = await screen.choose(from: &choice.list)
    choices.value = choice
    guard let place else {
      try Task.checkCancellation()
      throw Self.nothingSent
    }
    return choice.recipients[place]
  }
}

/// The conversations among which a person chooses, and what they have typed.
struct RecipientChoice: Sendable {
  /// One for each row of the list.
  let recipients: [Conversation.ID]
  var list: ListChoice

  fileprivate init(of things: SharedThings, _ messenger: Messenger) async throws {
    let views = try await messenger.conversations().filter { !$0.isBlocked }
      .sorted { ($0.last?.sentAt ?? 0) > ($1.last?.sentAt ?? 0) }
    guard !views.isEmpty else {
      throw CommandFailure(
        status: .noUser, message: "there is no conversation to choose yet", advice: "--to names a person.")
    }
    let directory = try await Directory(of: messenger, showing: views.map(\.id))
    recipients = views.map(\.id)
    list = ListChoice(
      ["share \(things.name) with"] + (things.shownText.map { ["text: \($0)"] } ?? []),
      rows: views.map { view in
        ListChoice.Row(
          left: Self.name(of: view.id, view.name, in: directory),
          right: view.kind == .group ? "group" : view.kind == .community ? "room" : "")
      })
  }

  /// The name of a row. Strangers name rooms: their address stands behind it, and no room looks like `me` or a contact.
  static func name(of id: Conversation.ID, _ name: String, in directory: Directory) -> String {
    guard case .room = id else { return directory.name(id) }
    return "\(OpenedLink.quoted(name)) \(directory.name(id))"
  }
}

extension SharedThings {
  /// `Send beach.jpg (2.1 MB) to Alice? [y/N] `, with the text above it.
  func question(to name: String) -> String {
    (shownText.map { "text: \($0)\n" } ?? "") + "Send \(self.name) to \(name)? [y/N] "
  }
}
