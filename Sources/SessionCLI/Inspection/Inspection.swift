/// A range of bytes, its meaning, and its parts.
struct Inspection: Sendable {
  enum Verdict: String, CaseIterable, Sendable {
    case good, bad
  }

  var name: String
  /// Its position in its layer; nil for values derived from other bytes.
  var place: Range<Int>?
  /// Its number, where it is a field of protobuf.
  var number: UInt64?
  /// Its content, in readable form.
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
