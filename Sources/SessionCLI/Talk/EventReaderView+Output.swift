import SessionMessaging

extension EventReaderView {
  /// For programs.
  var json: JSONObject {
    [
      "type": .string("reader"), "name": .string(name),
      "cursor": .integer(UInt64(clamping: acknowledged.rawValue)), "acknowledged_at": .time(acknowledgedAt),
      "pending": .integer(UInt64(clamping: pending)), "dead": .integer(UInt64(clamping: dead)),
    ]
  }

  static let columns = ["reader", "acknowledged", "at", "pending", "dead"]

  /// For eyes.
  var row: [String] {
    [
      DisplayText.line(name), "\(acknowledged.rawValue)", LocalTime.text(acknowledgedAt), "\(pending)",
      "\(dead)",
    ]
  }
}

extension DeadEventView {
  /// For programs.
  func json(_ message: MessageView?, _ directory: Directory) -> JSONObject {
    var object: JSONObject = [
      "type": .string("dead-event"), "reader": .string(reader),
      "cursor": .integer(UInt64(clamping: event.id.rawValue)), "tries": .integer(UInt64(clamping: tries)),
      "died_at": .time(diedAt), "retried": .boolean(isRetried),
    ]
    object["reason"] = reason.map { .string($0) }
    object["event"] = .object(event.json(message, directory))
    return object
  }

  static let columns = ["event", "reader", "what", "conversation", "tries", "since", "reason"]

  /// For eyes.
  func row(_ directory: Directory) -> [String] {
    [
      "\(event.id.rawValue)", DisplayText.line(reader), event.kind.rawValue,
      event.conversation.map { directory.name($0) } ?? "", "\(tries)", LocalTime.text(diedAt),
      isRetried ? "(to be delivered again)" : DisplayText.line(reason ?? ""),
    ]
  }
}
