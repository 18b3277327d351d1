import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let send = Command(
    name: "send",
    summary: "send a message",
    discussion: """
      The arguments after the recipient are the text; without any, and without files, it is read from standard input.
      The command ends when the network keeps the message for its recipient and for your other devices, and prints the
      message's number. Location and other metadata are removed from JPEG, PNG, WebP and GIF images; other files are
      sent as they are.

      A message that cannot be stored within --timeout is kept and sent the next time the account is used; the command
      then ends with 80: do not send it again. It ends with 69 if sending failed, where 'session resend' tries again,
      and with 75 if nothing was kept and the same call may be repeated. With --key a script can repeat any call safely:
      the same key never sends a second message.
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
        name: "caption", value: "TEXT",
        summary: "caption of a file; the first caption belongs to the first file",
        isRepeated: true),
      .init(name: "reply-to", value: "ID", summary: "the number of the message that this answers"),
      .init(
        name: "whisper", value: "ID|moderators",
        summary: "in a room that you moderate: show it only to one person, or to the moderators"),
      .init(
        name: "key", value: "KEY",
        summary: "send once for this key: a repeated call returns the first message"),
      .init(
        name: "require-security", value: "LEVEL",
        summary: "fail unless the message is protected by sr1, forward secrecy; v1 is what all apps can"),
      .init(
        name: "confirm-identity",
        summary: "send even if the recipient has changed since you compared numbers"),
      .init(
        name: "wait", value: "queued|stored|sent",
        summary:
          "when to return: kept here, stored for the recipient, or (default) for own devices too"),
      .init(
        name: "timeout", value: "TIME",
        summary: "how long to wait for the network; 30s by default, 10m with files"),
      .account, .json,
    ],
    examples: [
      .init(line: "session send alice See you at eight", summary: "send a message to a contact"),
      .init(line: "uptime | session send me", summary: "pipe the output of a program to Note to Self"),
      .init(line: "session send bob --reply-to 12 Yes.", summary: "reply to a message"),
      .init(
        line: "session send bob From the beach --attach beach.jpg --attach map.pdf",
        summary: "send two files in one message"),
    ],
    rpc: .method(.send)
  ) { invocation, io in
    let files = try invocation.captionedFiles(io)
    let words = try invocation.text(io, mayBeMissing: !files.isEmpty)
    let sending = Sending(
      io: io, wait: try invocation.wait(usual: io.served == nil ? .sent : .queued),
      key: try invocation.sendKey(),
      timeout: try invocation.timeout(usual: files.isEmpty ? .seconds(30) : .seconds(600)))
    let answered = try invocation.messageNumber("reply-to")
    let whisper = try invocation.whisper()
    var text = OutgoingText(words, answering: answered, whisper: whisper)
    text.requiredLevel = try invocation.requiredLevel()
    if invocation.has("confirm-identity") { text.identityShownAt = Int64(clamping: io.now()) }
    let recipient = invocation.arguments[0]
    let kept = Kept<Sending.Sent>()
    return try await invocation.working(io) { [text] opened in
      let messenger = opened.messenger
      let directory = try await Directory(of: messenger)
      let conversation = try directory.conversation(recipient, io)
      if !invocation.has("json"), let warning = directory.warning(beforeWritingTo: conversation) {
        io.tell(warning)
      }
      let sent = try await sending.send(
        text, files, to: conversation, by: opened, keeping: kept)
      guard invocation.has("json") else {
        return CommandOutput(text: "\(sent.id.rawValue)\n", notes: sent.notes)
      }
      guard var object = try await messenger.message(sent.id)?.json(try await Directory(of: messenger)) else {
        // A repeated call may be about a message that has disappeared since.
        let gone = "Message \(sent.id.rawValue) was sent before and is no longer here."
        return CommandOutput(json: ["type": .string("done")], notes: [gone])
      }
      if sent.isRepeated { object["repeated"] = .boolean(true) }
      return CommandOutput(json: object, notes: sent.notes)
    }
  }
}

extension Invocation {
  /// The files to send, with their captions in the same order.
  fileprivate func captionedFiles(_ io: CommandIO) throws(CommandFailure) -> [OutgoingFile] {
    var files: [OutgoingFile] = []
    for path in all("attach") {
      if let file = io.attached.files[path] {
        files.append(file)
      } else {
        files.append(try OutgoingFile(existing: path))
      }
    }
    let captions = all("caption")
    guard captions.count <= files.count else {
      throw misuse("there are \(captions.count) captions for \(files.count) files")
    }
    for (number, caption) in captions.enumerated() { files[number].caption = caption }
    return files
  }
}

/// How to send a message, and how long to wait.
private struct Sending: Sendable {
  enum Wait: String, CaseIterable {
    case queued
    case stored
    case sent
  }

  struct Sent: Sendable {
    let id: MessageView.ID
    let isRepeated: Bool
    var notes: [String] = []
  }

  let io: CommandIO
  let wait: Wait
  let key: SendKey?
  let timeout: Duration
  /// The key of this call where the user gave none.
  private let madeKey = SendKey.random
  /// True once another program was asked to send, which may have done so and ended before it replied.
  private let wasElsewhere = Kept(false)

  init(io: CommandIO, wait: Wait, key: SendKey?, timeout: Duration) {
    self.io = io
    self.wait = wait
    self.key = key
    self.timeout = timeout
  }

  /// How long to wait for the copy for own devices after the message is stored.
  private static let copyTimeout = Duration.seconds(2)
  /// How long to wait for earlier messages to others.
  private static let deliveryTimeout = Duration.seconds(5)

  func send(
    _ text: OutgoingText, _ files: [OutgoingFile], to conversation: Conversation.ID, by opened: OpenAccount,
    keeping kept: Kept<Sent>
  ) async throws -> Sent {
    let messenger = opened.messenger
    let deadline = ContinuousClock.now.advanced(by: timeout)
    let before = try await messenger.lastEvent()
    let transfers = messenger.transfers()
    var sent = try await kept.obtain {
      try await send(text, files, to: conversation, messenger, isElsewhere: opened.isElsewhere)
    }
    let id = sent.id
    guard wait != .queued, try await messenger.message(id) != nil else { return sent }
    do {
      let progress = TransferProgress("sending", of: try await messenger.attachments(of: id), io)
      let isSettled = try await progress.following(transfers) {
        try await withinTime(timeout) { try await messenger.untilSettled(id, since: before) } != nil
      }
      guard isSettled else { throw queued(id) }
      if let message = try await messenger.message(id), case .failed(let why) = message.state {
        throw CommandFailure(
          status: .unavailable, message: "message \(id.rawValue) was not sent: \(why)",
          advice: "run: session resend \(id.rawValue)", messageID: id.rawValue, detail: .notSent)
      }
      guard wait == .sent else { return sent }
      var isCopied = try await withinTime(Self.copyTimeout) { try await messenger.waitUntilStored(id) } != nil
      if case .unsynced? = try await messenger.message(id)?.state { isCopied = false }
      if !isCopied { sent.notes.append("Your other devices see it later.") }
      let remaining = max(.zero, min(deadline - .now, Self.deliveryTimeout))
      let isDone = try await withinTime(remaining) { try await messenger.waitUntilDelivered() } != nil
      if !isDone { sent.notes.append("Earlier messages are still queued and will be sent later.") }
      return sent
    } catch is CancellationError {
      if try await messenger.message(id)?.state == .sent {
        throw CommandFailure(
          status: .interrupted, message: "interrupted; message \(id.rawValue) was sent",
          messageID: id.rawValue)
      }
      throw CommandFailure(
        status: .interrupted, message: "interrupted; message \(id.rawValue) is kept",
        advice: "It will be sent the next time the account is used; 'session jobs list' shows it.",
        messageID: id.rawValue)
    }
  }

  /// Stores the message. A call to another program, which may end before it replies, always has a key, so that it can be
  /// repeated.
  private func send(
    _ text: OutgoingText, _ files: [OutgoingFile], to conversation: Conversation.ID, _ messenger: Messenger,
    isElsewhere: Bool
  ) async throws -> Sent {
    if let event = io.settled {
      let message = try await messenger.send(
        text, attachments: files, to: conversation, key: key, settling: event)
      return Sent(id: message.id, isRepeated: message.isRepeated)
    }
    if isElsewhere { wasElsewhere.value = true }
    guard let key = key ?? (wasElsewhere.value == true ? madeKey : nil) else {
      let id = try await messenger.send(text, attachments: files, to: conversation)
      return Sent(id: id, isRepeated: false)
    }
    let message = try await messenger.send(text, attachments: files, to: conversation, key: key)
    return Sent(id: message.id, isRepeated: message.isRepeated && self.key != nil)
  }

  private func queued(_ id: MessageView.ID) -> CommandFailure {
    CommandFailure(
      status: .queued, message: "message \(id.rawValue) could not be stored in time",
      advice: """
        It is kept and sent the next time the account is used: do not send it again. 'session doctor' looks for what is \
        in the way.
        """, messageID: id.rawValue)
  }
}

extension Messenger {
  /// Returns when a message is stored, has failed or was deleted.
  fileprivate nonisolated func untilSettled(
    _ id: MessageView.ID, since before: MessengerEvent.Cursor
  ) async throws {
    var events = events(from: before).makeAsyncIterator()
    while let message = try await message(id), message.state == .sending {
      while let event = try await events.next(), event.message != id {}
      try Task.checkCancellation()
    }
  }
}

extension Command.Argument {
  static let recipient = Self(
    name: "TO",
    summary:
      "an id, a nickname, the name of a contact or group, or 'me'; see 'session help names'"
  )
  static let message = Self(name: "ID", summary: "the number of a message, as 'session show' prints it")
}

extension Invocation {
  /// The words after the first argument, or standard input.
  func text(_ io: CommandIO, mayBeMissing: Bool) throws -> String {
    guard arguments.count > 1 || !mayBeMissing else { return "" }
    let text = arguments.count > 1 ? arguments.dropFirst().joined(separator: " ") : try io.text(from: nil)
    guard !text.isEmpty else { throw CommandFailure.data("there is nothing to send: the text is empty") }
    return text
  }

  fileprivate func wait(usual: Sending.Wait) throws(CommandFailure) -> Sending.Wait {
    guard let text = self["wait"] else { return usual }
    guard let wait = Sending.Wait(rawValue: text) else { throw misuse("--wait is queued, stored or sent") }
    return wait
  }

  fileprivate func whisper() throws(CommandFailure) -> MessageView.Whisper? {
    guard let text = self["whisper"] else { return nil }
    if text == "moderators" { return .moderators }
    guard let id = try? SessionID(parsing: text) else {
      throw misuse("--whisper is the id of a person in the room, or moderators")
    }
    return .person(id)
  }

  fileprivate func requiredLevel() throws(CommandFailure) -> SecurityLevel? {
    guard let name = self["require-security"] else { return nil }
    guard let level = SecurityLevel(name: name) else {
      throw misuse(
        "--require-security is one of: \(SecurityLevel.allCases.map(\.name).joined(separator: ", "))")
    }
    return level
  }

  fileprivate func sendKey() throws(CommandFailure) -> SendKey? {
    guard let text = self["key"] else { return nil }
    guard let key = SendKey(text) else {
      throw misuse("--key takes 1 to \(SendKey.maxLength) characters: letters, digits and any of . _ : / -")
    }
    return key
  }

  /// The number of a message that an option gives.
  func messageNumber(_ option: String) throws(CommandFailure) -> MessageView.ID? {
    guard let text = self[option] else { return nil }
    guard let id = Self.messageNumber(text) else {
      throw misuse("--\(option) takes the number of a message, as 'session show' prints it")
    }
    return id
  }

  /// The number of a message that an argument gives.
  func messageNumber(at index: Int) throws(CommandFailure) -> MessageView.ID {
    guard let id = Self.messageNumber(arguments[index]) else {
      throw misuse("'\(arguments[index])' is not the number of a message; 'session show' shows them")
    }
    return id
  }

  /// The number of a message as people write it: `12` or `#12`.
  static func messageNumber(_ text: String) -> MessageView.ID? {
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    return Int64(digits).flatMap { $0 > 0 ? MessageView.ID(rawValue: $0) : nil }
  }
}
