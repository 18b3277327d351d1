/// What a stretch of bytes is, and what it is made of.
struct Inspection: Sendable {
  enum Verdict: String, Sendable, Encodable {
    case good, bad
  }

  var name: String
  /// Where it begins in its layer, and how long it is; nil for what follows from other bytes.
  var place: Range<Int>?
  /// Its number, where it is a field of protobuf.
  var number: UInt64?
  /// What it says, for a person to read.
  var value: String?
  var verdict: Verdict?
  var parts: [Inspection] = []

  init(
    _ name: String, at place: Range<Int>? = nil, number: UInt64? = nil, value: String? = nil,
    verdict: Verdict? = nil, parts: [Inspection] = []
  ) {
    self.name = name
    self.place = place
    self.number = number
    self.value = value
    self.verdict = verdict
    self.parts = parts
  }

  /// The most that is shown of one input; what comes after is only counted.
  static let maxParts = 10_000
}

extension Inspection: Encodable {
  private enum Key: String, CodingKey {
    case name, offset, length, number, value, verdict, parts
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(name, forKey: .name)
    try object.encodeIfPresent(place?.lowerBound, forKey: .offset)
    try object.encodeIfPresent(place?.count, forKey: .length)
    try object.encodeIfPresent(number, forKey: .number)
    try object.encodeIfPresent(value, forKey: .value)
    try object.encodeIfPresent(verdict, forKey: .verdict)
    if !parts.isEmpty { try object.encode(parts, forKey: .parts) }
  }
}
