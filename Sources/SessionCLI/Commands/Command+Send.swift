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

      With --also each recipient gets a message of its own, and learns nothing of the others. The output has a line for each:
      the number and the recipient. One that fails does not keep the others from being sent; the exit code is that of the
      first failure.

      Voice messages are sent as AAC or MP3, which the apps of others play. A program converts other files (ffmpeg, or that of
      the setting audio_converter) and records (pw-record, parecord or arecord, or that of audio_recorder), without a
      network where the system allows that. 'session play' plays them.

      With --preview, or the setting link-previews, the message has a preview of the first https link in its text: its title
      and image. This program asks the site for them, so that the site sees the address of this machine, or that of the
      proxy ('session help configuration'); with a proxy, links to addresses are refused, and the proxy resolves names.
      The recipient's app contacts no site. The message is sent without a preview if the site does not reply in 10 seconds.

      With --at or --in the message is sent later, and the number of the scheduled message is printed: 'session scheduled'
      shows and changes it. Times are local; one that a change of the clocks leaves out is the next one, and one that is
      there twice the first. Files are copied now; whether the message may be sent is looked at when it is sent. Sending it
      needs a program that runs then, such as the daemon. At most 200 messages wait, for up to a year.
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
      .init(
        name: "voice", value: "FILE", summary: "send a recording as a voice message, of up to 5 minutes"),
      .init(name: "record", summary: "record a voice message: Return sends it, Esc discards it"),
      .init(name: "record-for", value: "TIME", summary: "record for so long, such as 20s"),
      .init(name: "reply-to", value: "ID", summary: "the number of the message that this answers"),
      .init(
        name: "also", value: "CHAT", summary: "send it to this conversation, too, as a message of its own",
        isRepeated: true),
      .init(name: "draft", summary: "send the draft of the conversation, with its files"),
      .init(
        name: "whisper", value: "ID|moderators",
        summary: "in a room that you moderate: show it only to one person, or to the moderators"),
      .init(
        name: "key", value: "KEY",
        summary: "send once for this key: a repeated call returns the first message"),
      .init(
        name: "preview", summary: "send a preview of the link: the site sees the address of this machine"),
      .init(name: "no-preview", summary: "send no preview of the link, whatever the setting says"),
      .sendAt, .sendIn, .sendLate,
      .init(
        name: "require-security", value: "LEVEL",
        summary: "fail unless the message is protected by sr1, forward secrecy; v1 is what all apps can"),
      .init(name: "no-default-timer", summary: "begin the conversation without the default timer"),
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
      .init(line: "session send bob --also carol Dinner at eight?", summary: "ask two people"),
      .init(line: "session send bob --at 07:30 Good morning", summary: "send a message tomorrow morning"),
      .init(line: "session send bob --voice greeting.m4a", summary: "send a recording as a voice message"),
      .init(
        line: "session send bob From the beach --attach beach.jpg --attach map.pdf",
        summary: "send two files in one message"),
    ],
    rpc: .method(.send)
  ) { invocation, io in
    let isDraft = try invocation.sendsDraft()
    let recipients = try invocation.recipients()
    guard recipients.count == 1 || io.settled == nil else {
      throw invocation.misuse("an event is acknowledged together with a message to one recipient")
    }
    let source = try invocation.voice(io)
    let files = try invocation.captionedFiles(io)
    let words = try invocation.text(io, mayBeMissing: isDraft || !files.isEmpty || source != nil)
    var text = OutgoingText(
      words, answering: try invocation.messageNumber("reply-to"), whisper: try invocation.whisper())
    text.requiredLevel = try invocation.requiredLevel()
    text.skipsDefaultTimer = invocation.has("no-default-timer")
    if invocation.has("confirm-identity") { text.identityShownAt = Int64(clamping: io.now()) }
    let time = try invocation.sendTime(io)
    guard time == nil || invocation["wait"] == nil else {
      throw invocation.misuse("--wait is not for a later time")
    }
    let sending = Sending(
      io: io, previews: try invocation.previews(io, isLater: time != nil),
      wait: try invocation.wait(usual: io.served == nil ? .sent : .queued),
      timeout: try invocation.timeout(usual: files.isEmpty && source == nil ? .seconds(30) : .seconds(600)))
    let voice = Kept<OutgoingFile>()
    let letters = try recipients.enumerated().map { index, recipient in
      OutgoingLetter(
        to: recipient, isDraft ? nil : .init(text: text, files: files), text, at: time,
        key: try invocation.sendKey(of: index), isJSON: invocation.has("json"), voice: voice)
    }
    return try await invocation.working(io) { opened in
      if let source {
        _ = try await voice.obtain {
          // Check the recipients before anyone records a message for them.
          let directory = try await Directory(of: opened.messenger)
          for recipient in recipients { _ = try directory.conversation(recipient, io) }
          return try await source.prepared(io, maxBytes: opened.messenger.maxFileSize)
        }
      }
      guard letters.count > 1 else { return try await letters[0].send(sending, opened) }
      return try await OutgoingLetter.sendAll(letters, sending, opened)
    }
  }
}

extension Invocation {
  /// The recipients, each once.
  fileprivate func recipients() throws(CommandFailure) -> [String] {
    let others = all("also")
    guard !others.isEmpty else { return [arguments[0]] }
    guard others.count < OutgoingLetter.maxRecipients else {
      throw misuse("a message goes to \(OutgoingLetter.maxRecipients) conversations at most")
    }
    for option in ["reply-to", "draft", "whisper"] where self[option] != nil || has(option) {
      throw misuse("--also and --\(option) exclude each other")
    }
    let all = [arguments[0]] + others
    guard Set(all).count == all.count else { throw misuse("a recipient is given twice") }
    return all
  }

  /// True if the draft of the conversation is sent, which has a text and files of its own.
  fileprivate func sendsDraft() throws(CommandFailure) -> Bool {
    guard has("draft") else { return false }
    for option in ["attach", "caption", "reply-to", "key"] where self[option] != nil {
      throw misuse("--draft and --\(option) exclude each other")
    }
    guard arguments.count == 1 else { throw misuse("--draft sends the draft, and takes no text") }
    return true
  }

  /// The files to send, with their captions in the same order.
  func captionedFiles(_ io: CommandIO) throws(CommandFailure) -> [OutgoingFile] {
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

  /// What becomes of links. A message that is sent later has no preview.
  fileprivate func previews(_ io: CommandIO, isLater: Bool) throws(CommandFailure) -> LinkPreviews {
    guard !has("preview") || !has("no-preview") else {
      throw misuse("--preview and --no-preview exclude each other")
    }
    guard !has("preview") || !isLater else { throw misuse("--preview is not for a later time") }
    let wanted = has("preview") ? true : has("no-preview") || isLater ? false : nil
    return LinkPreviews(io: io, wanted: wanted, isInteractive: !has("json"))
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

  /// The key for one of several recipients: each message has its own.
  fileprivate func sendKey(of index: Int) throws(CommandFailure) -> SendKey? {
    guard let given = self["key"] else { return nil }
    let text = index == 0 ? given : "\(given):\(index + 1)"
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
