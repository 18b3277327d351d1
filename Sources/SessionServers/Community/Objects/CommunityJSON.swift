import SessionBase

/// The members of an object, in order; what is empty is left out.
struct CommunityJSON: Sendable {
  private(set) var members: [JSONValue.Member] = []

  mutating func add(_ name: String, _ value: JSONValue) { members.append(.init(name, value)) }

  mutating func add(_ name: String, number: Int64?) {
    if let number { add(name, .integer(number)) }
  }

  mutating func add(_ name: String, text: String?) {
    if let text { add(name, .string(text)) }
  }

  /// Adds a time, which is in milliseconds, as seconds.
  mutating func add(_ name: String, time: Int64?) {
    if let time { add(name, .decimal(Double(time) / 1000)) }
  }

  /// Adds a flag that is true.
  mutating func add(_ name: String, if isTrue: Bool) {
    if isTrue { add(name, .boolean(true)) }
  }

  /// Adds ids that there are, sorted.
  mutating func add(_ name: String, ids: [String]) {
    if !ids.isEmpty { add(name, .array(ids.sorted().map { .string($0) })) }
  }

  var value: JSONValue { .object(members) }
}
