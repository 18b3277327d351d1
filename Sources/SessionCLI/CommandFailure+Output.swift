import SessionCore

extension CommandFailure {
  /// The text for standard error.
  func lines(asJSON: Bool) -> [String] {
    guard asJSON else { return ["session: \(message)"] + (advice.map { [$0] } ?? []) }
    var object: JSONObject = [
      "type": .string("failure"), "status": .integer(UInt64(status.rawValue)), "kind": .string(kind),
      "text": .string(message),
    ]
    object["advice"] = advice.map { .string($0) }
    object["message_id"] = messageID.map { .integer(UInt64($0)) }
    return [object.text]
  }

  private var kind: String { detail?.rawValue ?? status.name }
}

extension JSONForm {
  static let failure = JSONForm(
    name: "failure", summary: "why a command was not done",
    members: [
      .type("failure"), .required("status", .number, "how the program ends"),
      .required(
        "kind",
        .word(
          ExitCode.allCases.filter { $0 != .success && $0 != .readerGone }.map(\.name)
            + CommandFailure.Detail.allCases.map(\.rawValue)),
        "the same in a word; session(1) says what each number means"),
      .required("text", .text, "what happened, for a person"),
      .optional("advice", .text, "what to do about it"),
      .optional("message_id", .number, "the message that was kept although the command failed"),
    ])
}
