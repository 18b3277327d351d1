import SessionCore
import SessionMessaging

extension ScheduledMessage {
  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("scheduled-message"), "id": .integer(UInt64(clamping: id.rawValue)),
      "conversation": .string(conversation.description), "body": .string(body), "at": .time(time.at),
      "zone": .string(time.zone), "late_ms": .integer(UInt64(clamping: time.late)),
      "state": .string(state.rawValue), "files": .integer(UInt64(attachments.count)),
      "created_at": .time(createdAt),
    ]
    object["failure"] = failure.map { .string($0) }
    object["message_id"] = message.map { .integer(UInt64(clamping: $0.rawValue)) }
    object["reply_to"] = answered.map { answered in
      .object(["from": .string(answered.author.description), "sent_at": .time(answered.sentAt)])
    }
    return object
  }

  /// What became of it, as a sentence.
  var stateLine: String {
    let failure = failure.map { ": \(DisplayText.line($0))" } ?? ""
    return switch state {
    case .waiting: "It is sent at \(LocalTime.text(time.at))."
    case .sent: "It was sent before."
    case .missed: "It was missed\(failure). 'session scheduled now \(id.rawValue)' sends it."
    case .failed: "It was not sent\(failure). 'session scheduled now \(id.rawValue)' tries again."
    }
  }

  static let columns = ["number", "at", "to", "state", "files", "text"]

  /// For eyes, in a table.
  func row(_ directory: Directory) -> [String] {
    [
      "\(id.rawValue)", LocalTime.text(time.at), directory.name(conversation), state.rawValue,
      attachments.isEmpty ? "" : "\(attachments.count)", DisplayText.line(String(body.prefix(60))),
    ]
  }

  /// For eyes, with its whole text.
  func parts(_ directory: Directory) -> [CommandOutput.Part] {
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("to", .text(directory.name(conversation))), ("at", .text("\(LocalTime.text(time.at)) (\(time.zone))")),
      ("state", .text(state.rawValue)),
    ]
    if let failure { fields.append(("failure", .text(DisplayText.line(failure)))) }
    if let message { fields.append(("message", .text("#\(message.rawValue)"))) }
    for file in attachments {
      let name = DisplayText.line(file.name ?? file.contentType)
      fields.append(("file", .text("\(name)  (\(ByteCount.text(file.size)))")))
    }
    return CommandOutput(fields: fields).data + [
      .text("\n"), .indented(DisplayText.lines(body)), .text("\n"),
    ]
  }
}
