import SessionBase

/// A line of the log, as it was read.
struct LogRecord: Sendable {
  let time: Int64
  let level: ClientLog.Level
  let part: String
  let event: String
  let account: Int64?
  let fields: [JSONValue.Member]
  let repeats: Int64
  let process: Int64

  /// Nil for a line that is incomplete, or not an event.
  init?(_ line: some Collection<UInt8>) {
    guard line.count <= LogLine.maxLength, let json = try? JSONReader.value(of: Array(line)),
      let time = json["at"]?.integer, let level = json["level"]?.string.flatMap(ClientLog.Level.init),
      let part = json["part"]?.string, let event = json["event"]?.string
    else { return nil }
    (self.time, self.level, self.part, self.event) = (time, level, part, event)
    account = json["account"]?.integer
    if case .object(let members)? = json["fields"] { fields = members } else { fields = [] }
    repeats = json["repeats"]?.integer ?? 0
    process = json["pid"]?.integer ?? 0
  }

  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("log"), "at": .difference(time), "level": .string(level.rawValue),
      "part": .string(part), "event": .string(event), "process": .difference(process),
    ]
    object["account"] = account.map { .difference($0) }
    if repeats > 0 { object["repeats"] = .difference(repeats) }
    let values: [(String, JSONObject.Value)] = fields.compactMap { field in
      switch field.value {
      case .integer(let number): (field.name, .difference(number))
      case .string(let text): (field.name, .string(text))
      default: nil
      }
    }
    if !values.isEmpty { object["fields"] = .object(JSONObject(members: values)) }
    return object
  }

  /// For eyes. Ids are shown as `name` has them.
  func text(naming name: (String) -> String = { $0 }) -> String {
    var words = [LocalTime.universal(time), level.rawValue.padded(to: 5), part.padded(to: 8), event]
    if let account { words.append("account=\(account)") }
    for field in fields {
      switch field.value {
      case .integer(let number): words.append("\(field.name)=\(number)")
      case .string(let text): words.append("\(field.name)=\(DisplayText.line(name(text)))")
      default: break
      }
    }
    if repeats > 0 { words.append("(\(repeats) more)") }
    return words.joined(separator: " ")
  }
}

extension ClientLog.Event {
  /// For the journal, which adds the time.
  var text: String {
    fields.reduce("\(part.rawValue): \(name)") { text, field in
      switch field.value {
      case .number(let number): "\(text) \(field.name)=\(number)"
      case .code(let code), .person(let code): "\(text) \(field.name)=\(code)"
      }
    }
  }
}
