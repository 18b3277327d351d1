/// The result of one check.
struct Finding: Sendable {
  enum State: String, Sendable {
    case ok
    /// It works, and may not for long, or not all of it.
    case warning
    case failed
  }

  /// The name of the check.
  let check: String
  let state: State
  /// The finding, without a full stop.
  let text: String
  /// The suggested remedy.
  var advice: String?
  /// The exit code if this is the first failure.
  var status = ExitCode.success

  static func ok(_ check: String, _ text: String) -> Finding { Finding(check: check, state: .ok, text: text) }

  static func warning(_ check: String, _ text: String, advice: String) -> Finding {
    Finding(check: check, state: .warning, text: text, advice: advice)
  }

  static func failed(_ check: String, _ text: String, advice: String?, _ status: ExitCode) -> Finding {
    Finding(check: check, state: .failed, text: text, advice: advice, status: status)
  }

  /// The failure of an error.
  static func failed(_ check: String, _ error: any Error) -> Finding {
    let failure = CommandFailure(error)
    return failed(check, failure.message, advice: failure.advice, failure.status)
  }
}

extension Finding {
  private static let widest = 12

  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("check"), "check": .string(check), "state": .string(state.rawValue),
      "text": .string(text),
    ]
    object["advice"] = advice.map { .string($0) }
    return object
  }

  /// For eyes.
  var parts: [CommandOutput.Part] {
    let word = state.rawValue.padded(to: 7)
    let head: CommandOutput.Part = state == .ok ? .text(word) : .heading(word)
    let line = "  \(check.padded(to: Self.widest))  \(DisplayText.line(text))\n"
    let indent = String(repeating: " ", count: 7 + 2 + Self.widest + 2)
    return [head, .text(line + (advice.map { "\(indent)\(DisplayText.line($0))\n" } ?? ""))]
  }
}
