import SessionJobs
import SessionMessaging
import SessionStorage

extension JobStatus {
  /// For programs.
  func json(in conversation: Conversation.ID?) -> JSONObject {
    var object: JSONObject = [
      "type": .string("job"), "id": .integer(UInt64(clamping: id.rawValue)), "kind": .string(kind),
      "state": .string(state.word), "attempts": .integer(UInt64(clamping: attempts)),
      "failures": .integer(UInt64(clamping: failures)),
    ]
    object["conversation"] = conversation.map { .string($0.description) }
    object["failure"] = failure.map { .string($0) }
    object["next"] = next.map { .time($0) }
    object["message"] = interaction.map { .integer(UInt64(clamping: $0.rawValue)) }
    return object
  }

  static let columns = ["job", "what", "message", "state", "tries", "next", "failure"]

  /// For eyes.
  var row: [String] {
    [
      "\(id.rawValue)", kind, interaction.map { "#\($0.rawValue)" } ?? "", state.word, "\(attempts)",
      next.map { LocalTime.text($0) } ?? "", DisplayText.line(failure ?? ""),
    ]
  }
}

extension JobStatus.State {
  fileprivate var word: String {
    switch self {
    case .running: "running"
    case .waiting: "waiting"
    case .failed: "failed"
    case .setAside: "set-aside"
    }
  }
}
