internal import CSessionCore

/// Random numbers from the environment of the core.
public struct CoreRandom: RandomNumberGenerator, Sendable {
  public init() {}

  public mutating func next() -> UInt64 {
    var number: UInt64 = 0
    withUnsafeMutableBytes(of: &number) { bytes in
      sc_random(nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
    return number
  }
}
