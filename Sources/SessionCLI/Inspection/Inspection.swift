/// What a stretch of bytes is, and what it is made of.
struct Inspection: Sendable {
  enum Verdict: String, CaseIterable, Sendable {
    case good, bad
  }

  var name: String
  /// Where it begins in its layer, and how long it is; nil for what follows from other bytes.
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
