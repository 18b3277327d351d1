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

  /// A few changes: bits, bytes, pieces that go, come twice, or change places, and numbers that are others.
  mutating func mutated(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      let end = Int.random(in: place...min(place + 16, bytes.count), using: &self)
      switch Int.random(in: 0..<7, using: &self) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 4: bytes.removeSubrange(place...)
      case 5:
        bytes.insert(
          contentsOf: (0..<Int.random(in: 1...8, using: &self)).map { _ in
            UInt8.random(in: 0...255, using: &self)
          }, at: place)
      default:
        if let digit = bytes[place...].firstIndex(where: { (48...57).contains($0) }) {
          bytes[digit] = UInt8.random(in: 48...57, using: &self)
        }
      }
    }
    return bytes
  }
}
