import SessionCore

/// How the nodes of a registry are divided into swarms.
///
/// A node stays in its swarm if possible, because a node that changes its swarm must receive everything the new one
/// keeps. Nodes move for three reasons. A node without a swarm joins the smallest. A swarm that has become too small
/// takes members of the largest, as long as that has some to spare; otherwise it dissolves, and its members join the
/// others. A swarm that has become too large is cut in two; the new half is placed in the middle of the widest gap of
/// the ring, so that all swarms come to have about the same share of the accounts.
public struct SwarmRules: Hashable, Sendable {
  /// A smaller swarm is filled up or dissolves, where there is another.
  public let smallest: Int
  /// A larger swarm is cut in two.
  public let largest: Int

  public static let usual = SwarmRules(smallest: 5, largest: 10)!

  /// Nil if half of a split swarm, or a merged one, would break the rules again.
  public init?(smallest: Int, largest: Int) {
    guard smallest >= 1, largest <= 1000, largest >= 2 * smallest - 1 else { return nil }
    self.smallest = smallest
    self.largest = largest
  }

  /// The swarm of each node. Nodes are given by their keys, with the swarm that they are in, nil for none.
  public func assign(_ nodes: [(key: [UInt8], swarm: UInt64?)]) -> [[UInt8]: UInt64] {
    var division = Division()
    for case (let key, let swarm?) in nodes { division.swarms[swarm, default: []].append(key) }
    for case (let key, nil) in nodes { division.add(key) }
    while let small = division.smallest, division.swarms.count > 1, division.count(small) < smallest {
      if let large = division.largest, division.count(large) > smallest {
        division.moveOne(from: large, to: small)
      } else {
        division.dissolve(small)
      }
    }
    while let large = division.largest, division.count(large) > largest { division.cut(large) }
    return division.byNode
  }
}

/// Swarms by their numbers, with the keys of their members. The same nodes always make the same division.
private struct Division {
  var swarms: [UInt64: [[UInt8]]] = [:]

  var byNode: [[UInt8]: UInt64] {
    swarms.reduce(into: [:]) { nodes, swarm in
      for key in swarm.value { nodes[key] = swarm.key }
    }
  }

  func count(_ swarm: UInt64) -> Int { swarms[swarm]?.count ?? 0 }

  /// The smallest swarm, of several the one with the lowest number.
  var smallest: UInt64? { swarms.keys.min { (count($0), $0) < (count($1), $1) } }
  var largest: UInt64? { swarms.keys.min { (-count($0), $0) < (-count($1), $1) } }

  mutating func add(_ key: [UInt8]) { swarms[smallest ?? 0, default: []].append(key) }

  mutating func moveOne(from large: UInt64, to small: UInt64) {
    guard let last = swarms[large]?.max(by: { $0.lexicographicallyPrecedes($1) }) else { return }
    swarms[large]?.removeAll { $0 == last }
    swarms[small]?.append(last)
  }

  mutating func dissolve(_ swarm: UInt64) {
    for key in swarms.removeValue(forKey: swarm) ?? [] { add(key) }
  }

  mutating func cut(_ swarm: UInt64) {
    let members = (swarms[swarm] ?? []).sorted { $0.lexicographicallyPrecedes($1) }
    let place = place
    swarms[swarm] = Array(members[..<(members.count / 2)])
    swarms[place] = Array(members[(members.count / 2)...])
  }

  /// The middle of the widest gap between two swarms, of several the one after the lowest number.
  private var place: UInt64 {
    let ring = swarms.keys.sorted()
    let gaps = zip(ring, ring.dropFirst() + ring.prefix(1)).map { (start: $0, width: $1 &- $0) }
    // With one swarm, the gap is the whole ring.
    let widest = gaps.max { ($0.width, $1.start) < ($1.width, $0.start) } ?? (0, 0)
    let place = widest.start &+ (widest.width == 0 ? 1 << 63 : widest.width / 2)
    return place == NodeRecord.noSwarm ? place - 1 : place
  }
}
