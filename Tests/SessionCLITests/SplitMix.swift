import Foundation

/// Random numbers that follow from a seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// How many mutations of each kind are tried: `MUTATIONS` says so.
  static var count: UInt64 {
    ProcessInfo.processInfo.environment["MUTATIONS"].flatMap { UInt64($0) } ?? 2000
  }

  mutating func happens(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// The pieces from which texts with possible faults are made.
  private static let pieces = [
    "a", "Z", "0", " ", "-", "--", "=", "#", "\"", "'", "\\", "\\u", "00e9", "[", "]", ",", "\n", "\r\n",
    "\t", "_",
    "true", "\u{0}", "\u{1B}", "\u{85}", "\u{2028}", "\u{301}", "\u{600}", "\u{200D}", "\u{FEFF}", "é", "🦊",
    "🏻",
  ]

  /// A text of a few of these.
  mutating func text() -> String {
    (0..<Int.random(in: 0...6, using: &self)).map { _ in one(of: Self.pieces) }.joined()
  }

  /// A few changes: pieces that go, come, come twice, or change places.
  mutating func mutated(_ original: String) -> String {
    var scalars = Array(original.unicodeScalars)
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...scalars.count, using: &self)
      let end = Int.random(in: place...min(place + 8, scalars.count), using: &self)
      switch Int.random(in: 0..<4, using: &self) {
      case 0: scalars.removeSubrange(place..<end)
      case 1:
        scalars.insert(contentsOf: scalars[place..<end], at: Int.random(in: 0...scalars.count, using: &self))
      case 2: scalars.replaceSubrange(place..<end, with: Array(one(of: Self.pieces).unicodeScalars))
      default: scalars.insert(contentsOf: Array(one(of: Self.pieces).unicodeScalars), at: place)
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// A few changes of a list: of its elements, and of what is in them.
  mutating func mutated(_ original: [String], with others: [String]) -> [String] {
    var words = original
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...words.count, using: &self)
      switch Int.random(in: 0..<5, using: &self) {
      case 0 where place < words.count: words.remove(at: place)
      case 1 where place < words.count:
        words.insert(words[place], at: Int.random(in: 0...words.count, using: &self))
      case 2 where place < words.count: words[place] = mutated(words[place])
      case 3: words.insert(text(), at: place)
      default: words.insert(one(of: others), at: place)
      }
    }
    return words
  }
}
