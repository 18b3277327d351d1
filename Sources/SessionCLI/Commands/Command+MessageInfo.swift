import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let messageInfo = Command(
    name: "message info",
    summary: "show everything that is known of a message",
    arguments: [.message],
    options: [.account, .json],
    examples: [
      .init(line: "session message info 12", summary: "show when a message was sent, received and read")
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let id = try invocation.messageNumber(at: 0)
    return try await invocation.reading(io) { messenger in
      guard let details = try await messenger.details(of: id) else {
        throw CommandFailure.data(
          "there is no message \(id.rawValue)", advice: "'session show CHAT' shows the numbers of messages.")
      }
      let directory = try await Directory(of: messenger, showing: [details.message.conversation])
      return invocation.has("json")
        ? CommandOutput(json: details.json(directory)) : CommandOutput(fields: details.fields(directory))
    }
  }
}

extension MessageDetails {
  fileprivate func json(_ directory: Directory) -> JSONObject {
    var object: JSONObject = [
      "type": .string("message-info"), "message": .object(message.json(directory, isFull: true)),
      "received_at": .time(receivedAt), "characters": .integer(UInt64(message.fullBody.unicodeScalars.count)),
      "bytes": .integer(UInt64(message.fullBody.utf8.count)), "pro": .string(proStatus.word),
      "jobs": .objects(jobs.map { JSONObject(members: [("id", .integer(UInt64(clamping: $0)))]) }),
    ]
    object["hash"] = serverHash.map { .string($0) }
    object["number_in_room"] = serverNumber.map { .integer(UInt64(clamping: $0)) }
    object["timer"] = message.timer.map { .object($0.json) }
    return object
  }

  fileprivate func fields(_ directory: Directory) -> [(label: String, value: CommandOutput.Part)] {
    func time(_ time: Int64?) -> String { time.map { LocalTime.text($0) } ?? "–" }
    let message = message
    var fields: [(String, String)] = [
      ("message", "#\(message.id.rawValue)"), ("conversation", directory.name(message.conversation)),
      ("from", "\(directory.name(message.author)), \(message.author)"), ("sent", time(message.sentAt)),
      ("received", time(receivedAt)), ("read by recipient", time(message.readByRecipientAt)),
      ("state", message.state.text), ("timer", message.timer?.words ?? "off"),
      ("disappears", time(message.disappearsAt)),
      ("size", "\(message.fullBody.unicodeScalars.count) characters, \(message.fullBody.utf8.count) bytes"),
    ]
    if let failure = message.state.failure ?? message.changeFailure { fields.append(("failure", failure)) }
    if let serverHash { fields.append(("hash", serverHash)) }
    if let serverNumber { fields.append(("number in the room", "\(serverNumber)")) }
    if let edited = message.editedAt { fields.append(("edited", time(edited))) }
    if let quoted = message.quoted {
      fields.append(("reply to", quoted.message.map { "#\($0.rawValue)" } ?? "a message that is not here"))
    }
    if let link = message.link { fields.append(("link", link.url)) }
    for file in message.numberedAttachments { fields.append(("file", file.text)) }
    for reaction in message.reactions {
      fields.append(("reaction", "\(reaction.emoji) \(directory.name(reaction.author))"))
    }
    if message.mentionsUs { fields.append(("mentions", "you")) }
    fields.append(("Session Pro", proStatus.word))
    if !jobs.isEmpty { fields.append(("jobs", jobs.map { "\($0)" }.joined(separator: ", "))) }
    return fields.map { ($0, .text(DisplayText.line($1))) }
  }
}

extension ProStatus {
  fileprivate var word: String {
    switch self {
    case .none, .noProof: "none"
    case .forged: "forged"
    case .stolen: "stolen"
    case .valid: "valid"
    case .expired: "expired"
    }
  }
}

extension MessageView.State {
  fileprivate var text: String {
    switch self {
    case .received: "received"
    case .sending: "sending"
    case .sent: "sent"
    case .failed: "not sent"
    case .unsynced: "sent, but not to your other devices"
    }
  }
}
