import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

/// A message of a call of `send` to one of its recipients, and what became of it so far.
struct OutgoingLetter: Sendable {
  /// What is sent.
  struct Content: Sendable {
    let text: OutgoingText
    let files: [OutgoingFile]
  }

  /// The most recipients of a call.
  static let maxRecipients = 100

  let recipient: String
  /// Its conditions, and its text unless that is the draft of the conversation.
  let text: OutgoingText
  /// When it is sent; nil for at once.
  let time: SendTime?
  let key: SendKey?
  let isJSON: Bool
  /// The voice message that goes to all recipients, once it is made.
  let voice: Kept<OutgoingFile>
  /// The message, once it is stored.
  let kept = Kept<Sending.Sent>()
  private let scheduled = Kept<KeyedSchedule>()
  /// What was given; nil for the draft.
  private let given: Content?
  /// What is sent: with its preview, and the draft as it was when the command began.
  private let content = Kept<Content>()
  /// The key of this call where the user gave none.
  private let madeKey = SendKey.random
  /// True once another program was asked to send, which may have done so and ended before it replied.
  private let wasElsewhere = Kept(false)

  init(
    to recipient: String, _ content: Content?, _ text: OutgoingText, at time: SendTime?, key: SendKey?,
    isJSON: Bool, voice: Kept<OutgoingFile> = Kept()
  ) {
    self.recipient = recipient
    given = content
    self.text = text
    self.time = time
    self.key = key
    self.isJSON = isJSON
    self.voice = voice
  }

  /// The key under which it is stored.
  func key(isElsewhere: Bool) -> SendKey? {
    if isElsewhere { wasElsewhere.value = true }
    return key ?? (wasElsewhere.value == true ? madeKey : nil)
  }

  /// Sends it, or keeps it to send it later.
  func send(_ sending: Sending, _ opened: OpenAccount) async throws -> CommandOutput {
    let messenger = opened.messenger
    let directory = try await Directory(of: messenger)
    let conversation = try directory.conversation(recipient, sending.io)
    let content = try await content(of: conversation, messenger, sending.previews)
    if !isJSON, let warning = directory.warning(beforeWritingTo: conversation) { sending.io.tell(warning) }
    if let time { return try await schedule(content, to: conversation, at: time, sending.io, opened) }
    let sent = try await confirmingIdentity {
      try await sending.send(self, content.text, content.files, to: conversation, by: opened)
    }
    guard isJSON else { return CommandOutput(text: "\(sent.id.rawValue)\n", notes: sent.notes) }
    guard var object = try await messenger.message(sent.id)?.json(try await Directory(of: messenger)) else {
      // A repeated call may be about a message that has disappeared since.
      let gone = "Message \(sent.id.rawValue) was sent before and is no longer here."
      return CommandOutput(json: ["type": .string("done")], notes: [gone])
    }
    if sent.isRepeated { object["repeated"] = .boolean(true) }
    return CommandOutput(json: object, notes: sent.notes)
  }

  private func content(
    of conversation: Conversation.ID, _ messenger: Messenger, _ previews: LinkPreviews
  ) async throws -> Content {
    try await content.obtain {
      if let given {
        return Content(
          text: try await previews.adding(to: given.text, in: conversation, messenger),
          files: given.files + (voice.value.map { [$0] } ?? []))
      }
      guard let draft = try await messenger.draft(of: conversation) else {
        throw CommandFailure.data("this conversation has no draft", advice: "'session draft set' writes one.")
      }
      let (words, files) = draft.message
      var text = text
      (text.body, text.answering, text.endsDraft) = (words.body, words.answering, true)
      return Content(text: try await previews.adding(to: text, in: conversation, messenger), files: files)
    }
  }

  private func schedule(
    _ content: Content, to conversation: Conversation.ID, at time: SendTime, _ io: CommandIO,
    _ opened: OpenAccount
  ) async throws -> CommandOutput {
    let messenger = opened.messenger
    let kept = try await scheduled.obtain {
      let key = key(isElsewhere: opened.isElsewhere)
      func schedule() async throws -> KeyedSchedule {
        try await confirmingIdentity {
          try await messenger.schedule(
            content.text, attachments: content.files, to: conversation, at: time, key: key)
        }
      }
      guard let event = io.settled else { return try await schedule() }
      return try await messenger.settling(event) { try await schedule() }
    }
    let message = try await messenger.existingScheduled(kept.id)
    guard !isJSON else {
      var object = message.json
      if kept.isRepeated, key != nil { object["repeated"] = .boolean(true) }
      return CommandOutput(json: object)
    }
    var notes = [message.stateLine]
    if message.state == .waiting, io.served == nil, !opened.isElsewhere {
      let late = TimeSpan(seconds: time.late / 1000).text
      notes.append("No daemon runs: something has to use the account then, or up to \(late) later.")
    }
    return CommandOutput(text: "\(kept.id.rawValue)\n", notes: notes)
  }

  /// Sends several, one after the other. One that fails does not keep the others from being sent; an interruption does.
  static func sendAll(
    _ letters: [OutgoingLetter], _ sending: Sending, _ opened: OpenAccount
  ) async throws -> CommandOutput {
    var all = CommandOutput(isList: true)
    for letter in letters {
      try Task.checkCancellation()
      do {
        let output = try await letter.send(sending, opened)
        all.data += letter.isJSON ? output.data : letter.line(of: output)
        all.notes += output.notes.map { "\(letter.recipient): \($0)" }
      } catch let error where error is CancellationError || error is HolderGone {
        throw error
      } catch {
        let failure = CommandFailure(error)
        // Who interrupts the command wants no more of them sent.
        guard !Task.isCancelled, failure.status != .interrupted else { throw error }
        if all.status == .success { all.status = failure.status }
        if letter.isJSON { all.data += CommandOutput(json: failure.json(of: letter.recipient)).data }
        all.notes.append("\(letter.recipient): \(failure.message)")
      }
    }
    return all
  }

  /// The number of the message, and the recipient.
  private func line(of output: CommandOutput) -> [CommandOutput.Part] {
    output.data.map { part in
      guard case .text(let text) = part, text.hasSuffix("\n") else { return part }
      return .text("\(text.dropLast())  \(recipient)\n")
    }
  }
}

extension CommandFailure {
  /// Why a message was not sent to one of several recipients.
  fileprivate func json(of recipient: String) -> JSONObject {
    var object: JSONObject = [
      "type": .string("send-failure"), "to": .string(recipient), "status": .integer(UInt64(status.rawValue)),
      "kind": .string(kind), "text": .string(message),
    ]
    object["advice"] = advice.map { .string($0) }
    object["message_id"] = messageID.map { .integer(UInt64(clamping: $0)) }
    return object
  }
}

extension JSONForm {
  static let sendFailure = JSONForm(
    name: "send failure", summary: "why a message was not sent to one of several recipients",
    commands: ["send"],
    members: [
      .type("send-failure"), .required("to", .text, "the recipient, as it was given"),
    ] + failure.members.dropFirst())
}
