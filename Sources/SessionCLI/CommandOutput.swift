import SessionCore

/// The output of a command. It is written only after the command has succeeded, so a failure leaves standard output
/// empty.
struct CommandOutput: Sendable {
  enum Part: Sendable {
    case text(String)
    /// A heading or label: bold on a terminal.
    case heading(String)
    /// Text of other people, indented if a terminal wraps it.
    case indented(String)
    case bytes([UInt8])
    case secret(SecretText)
  }

  /// For standard output.
  var data: [Part] = []
  /// Lines for the person at the terminal, on standard error.
  var notes: [String] = []
  /// The exit code: not success if the result itself is bad news.
  var status = ExitCode.success
  /// True if its data is any number of JSON objects.
  var isList = false
  /// True if a list has more than this.
  var hasMore = false
  /// The value of the option that shows what comes after a list, if it has one.
  var next: Int64?
}

extension CommandOutput {
  init(text: String, notes: [String] = []) {
    self.init(data: [.text(text)], notes: notes)
  }

  /// One line of JSON.
  init(json: JSONObject, notes: [String] = []) {
    self.init(data: json.parts + [.text("\n")], notes: notes)
  }

  /// Objects of JSON, one on a line.
  init(lines: [JSONObject], notes: [String] = []) {
    self.init(data: lines.flatMap { $0.parts + [.text("\n")] }, notes: notes, isList: true)
  }

  /// Lines of a label and a value, the values one below the other.
  init(fields: [(label: String, value: Part)]) {
    let width = fields.map(\.label.count).max() ?? 0
    let lines = fields.map { field in
      [.heading(field.label.padded(to: width)), .text("  "), field.value, .text("\n")]
    }
    self.init(data: Array(lines.joined()))
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

extension CommandOutput {
  /// The parts wrapped for a terminal of this width.
  func wrapped(to columns: Int) -> [Part] {
    var used = 0
    return data.map { part in
      switch part {
      case .indented(let text):
        defer { used = 0 }
        return .indented(DisplayText.indented(text, to: columns, behind: used))
      case .heading(let text):
        used = DisplayText.width(text)
        return part
      case .text, .bytes, .secret:
        used = 0
        return part
      }
    }
  }
}
