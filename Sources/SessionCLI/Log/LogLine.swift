import SessionBase

/// An event as a line of a log: a JSON object.
struct LogLine: Hashable, Sendable {
  /// Milliseconds since 1970.
  let time: Int64
  let process: Int32
  /// The number of the account, in the order in which the accounts were made; nil for events of no account.
  let account: Int?
  let event: ClientLog.Event
  /// How often the same was left out since.
  let repeats: Int

  /// The longest line, in bytes.
  static let maxLength = 4096

  init(time: Int64, process: Int32, account: Int?, _ event: ClientLog.Event, repeats: Int = 0) {
    self.time = time
    self.process = process
    self.account = account
    self.event = event
    self.repeats = repeats
  }

  var json: String {
    var members: [JSONValue.Member] = [
      .init("at", .integer(time)), .init("level", .string(event.level.rawValue)),
      .init("part", .string(event.part.rawValue)), .init("event", .string(event.name)),
    ]
    if let account { members.append(.init("account", .integer(Int64(account)))) }
    if !event.fields.isEmpty {
      members.append(.init("fields", .object(event.fields.map { .init($0.name, $0.value.json) })))
    }
    if repeats > 0 { members.append(.init("repeats", .integer(Int64(repeats)))) }
    members.append(.init("pid", .integer(Int64(process))))
    return JSONValue.object(members).description
  }
}

extension LogField.Value {
  fileprivate var json: JSONValue {
    switch self {
    case .number(let number): .integer(number)
    case .code(let code), .person(let code): .string(code)
    }
  }
}
