import SessionCore
import SessionMessaging

extension Command {
  static let send = Command(
    name: "send",
    summary: "send a message",
    discussion: """
      The words behind the recipient are the text; without any, and without files, it is read from standard input.
      The command ends when the network keeps the message for its recipient, and prints the number the message has
      here. What JPEG, PNG, WebP and GIF images say beside the image, such as where they were taken, is taken out; other
      files go as they are.

      A message that cannot be stored in time is not lost: it is sent when the account is used the next time, and
      the command ends with 75. One that can never be sent has failed, and the command says why.
      """,
    arguments: [
      .recipient,
      .init(
        name: "TEXT", summary: "the text; read from standard input by default", isOptional: true,
        isRepeated: true),
    ],
    options: [
      .init(
        name: "attach", value: "FILE", summary: "a file or a picture to send along; 32 at most",
        isRepeated: true),
      .init(
        name: "caption", value: "TEXT", summary: "what is said about a file: the first about the first one",
        isRepeated: true),
      .init(name: "reply-to", value: "ID", summary: "the number of the message that this answers"),
      .init(
        name: "wait", value: "stored|sent",
        summary: "until the network keeps it, the usual; or until own devices can see it too"),
      .init(
        name: "timeout", value: "TIME",
        summary: "how long to wait for the network; 30s by default, 10m with files"),
      .account, .json,
    ],
    examples: [
      .init(line: "session send alice See you at eight", summary: "to a contact"),
      .init(line: "uptime | session send me", summary: "what another program says, as a note to oneself"),
      .init(line: "session send bob --reply-to 12 Yes.", summary: "answers a message"),
      .init(
        line: "session send bob From the beach --attach beach.jpg --attach map.pdf",
        summary: "two files in one message"),
    ]
  ) { invocation, io in
    let files = try invocation.captionedFiles()
    let text = try invocation.text(io, mayBeMissing: !files.isEmpty)
    let wait = try invocation.wait()
    let patience = try invocation.patience(usual: files.isEmpty ? .seconds(30) : .seconds(600))
    let answered = try invocation.messageNumber("reply-to")
    let recipient = invocation.arguments[0]
    return try await invocation.working(io) { opened in
      let messenger = opened.messenger
      let people = try await People(of: messenger)
      let person = try people.person(recipient, io)
      if !invocation.has("json"), let warning = people.warning(beforeWritingTo: person) { io.tell(warning) }
      let sending = Sending(io: io, messenger: messenger, patience: patience, isWaitingForDevices: wait)
      let message = try await sending.send(OutgoingText(text, answering: answered), files, to: person)
      guard invocation.has("json") else { return CommandOutput(text: "\(message.id.rawValue)\n") }
      return CommandOutput(json: message.json(try await People(of: messenger)))
    }
  }
}

extension Invocation {
  /// The files to send, with what is said about them in their order.
  fileprivate func captionedFiles() throws(CommandFailure) -> [OutgoingFile] {
    var files: [OutgoingFile] = []
    for path in all("attach") { files.append(try OutgoingFile(existing: path)) }
    let captions = all("caption")
    guard captions.count <= files.count else {
      throw misuse("there are \(captions.count) captions for \(files.count) files")
    }
    for (number, caption) in captions.enumerated() { files[number].caption = caption }
    return files
  }
}

/// A message on its way, and how long to look after it.
private struct Sending: Sendable {
  let io: CommandIO
  let messenger: Messenger
  let patience: Duration
  let isWaitingForDevices: Bool

  func send(
    _ text: OutgoingText, _ files: [OutgoingFile], to person: SessionID
  ) async throws -> MessageView {
    let before = try await messenger.lastEvent()
    let transfers = messenger.transfers()
    let id = try await messenger.send(text, attachments: files, to: person)
    let progress = TransferProgress("sending", of: try await messenger.attachments(of: id), io)
    let message: MessageView?
    do {
      message = try await progress.following(transfers) {
        try await withinTime(patience) {
          let message = try await messenger.settled(id, since: before)
          if isWaitingForDevices { try await messenger.waitUntilSettled() }
          return message
        }
      }
    } catch is CancellationError {
      throw CommandFailure(
        status: .interrupted, message: "interrupted; message \(id.rawValue) is kept",
        advice: "It is sent when the account is used the next time; 'session jobs list' shows it.")
    }
    guard let message else {
      throw CommandFailure(
        status: .temporary, message: "message \(id.rawValue) could not be stored in time",
        advice:
          "It is kept, and is sent when the account is used the next time; 'session doctor' looks for what is in the way."
      )
    }
    if case .failed(let why) = message.state {
      throw CommandFailure(status: .unavailable, message: "message \(id.rawValue) was not sent: \(why)")
    }
    return message
  }
}

extension Messenger {
  /// A message, once it is known what became of it.
  fileprivate nonisolated func settled(
    _ id: MessageView.ID, since before: MessengerEvent.Cursor
  ) async throws -> MessageView {
    for try await event in events(from: before) where event.message == id {
      guard let message = try await message(id) else { break }
      guard message.state == .sending else { return message }
    }
    try Task.checkCancellation()
    throw CommandFailure.data("message \(id.rawValue) was deleted before it was sent")
  }
}

extension Command.Argument {
  static let recipient = Self(
    name: "TO", summary: "an id, a nickname or a name, or the beginning of one; 'me' for a note to yourself")
  static let message = Self(name: "ID", summary: "the number of a message, as 'session show' tells it")
}

extension Invocation {
  fileprivate func text(_ io: CommandIO, mayBeMissing: Bool) throws -> String {
    guard arguments.count > 1 || !mayBeMissing else { return "" }
    let text = arguments.count > 1 ? arguments.dropFirst().joined(separator: " ") : try io.text(from: nil)
    guard !text.isEmpty else { throw CommandFailure.data("there is nothing to send: the text is empty") }
    return text
  }

  /// Whether to wait until own devices know of it.
  fileprivate func wait() throws(CommandFailure) -> Bool {
    switch self["wait"] {
    case nil, "stored": return false
    case "sent": return true
    default: throw misuse("--wait is stored or sent")
    }
  }

  /// The number of a message that an option gives.
  func messageNumber(_ option: String) throws(CommandFailure) -> MessageView.ID? {
    guard let text = self[option] else { return nil }
    guard let id = Self.messageNumber(text) else {
      throw misuse("--\(option) is the number of a message, as 'session show' tells it")
    }
    return id
  }

  /// The number of a message that an argument gives.
  func messageNumber(at index: Int) throws(CommandFailure) -> MessageView.ID {
    guard let id = Self.messageNumber(arguments[index]) else {
      throw misuse("'\(arguments[index])' is no number of a message: 'session show' tells them")
    }
    return id
  }

  /// The number of a message as people write it: `12` or `#12`.
  static func messageNumber(_ text: String) -> MessageView.ID? {
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    return Int64(digits).flatMap { $0 > 0 ? MessageView.ID(rawValue: $0) : nil }
  }
}
