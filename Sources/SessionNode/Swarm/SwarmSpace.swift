import SessionCore

/// Which swarm an account belongs to: swarms lie on a ring of 64-bit numbers, and an account goes to the nearest.
public struct SwarmSpace: Hashable, Sendable {
  /// Ascending.
  public let swarms: [UInt64]

  public init(_ swarms: some Sequence<UInt64>) {
    self.swarms = Set(swarms).subtracting([NodeRecord.noSwarm]).sorted()
  }

  /// Returns the position of an account of 33 bytes on the ring: the XOR of the four words of its key.
  public static func position(of account: [UInt8]) -> UInt64 {
    precondition(account.count == 33)
    return account.dropFirst().enumerated().reduce(into: 0) { position, byte in
      position ^= UInt64(byte.element) << UInt64(56 - 8 * (byte.offset % 8))
    }
  }

  /// The swarm at a position; nil where there are none. Half-way between two it is the one before.
  public func swarm(at position: UInt64) -> UInt64? {
    guard let first = swarms.first, let last = swarms.last else { return nil }
    let index = swarms.firstIndex { $0 >= position }
    let right = index.map { swarms[$0] } ?? first
    let left = index.map { $0 == 0 ? last : swarms[$0 - 1] } ?? last
    return right &- position < position &- left ? right : left
  }

  public func swarm(of account: [UInt8]) -> UInt64? { swarm(at: Self.position(of: account)) }
}
