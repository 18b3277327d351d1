import SessionCore

/// The order in which the members of a swarm are polled: in turn, in a random order that stays while the swarm is the
/// same.
///
/// Members that hide a message delay it by one poll each. With a new order in each round, several could come next to
/// each other again and again.
struct MemberTurn {
  /// Members that left the swarm keep their place, up to this many in all.
  private static let mostRanks = 64
  private static let lastRank = 1 << 30

  /// The place of each member, drawn when it is first seen.
  private var ranks: [[UInt8]: Int] = [:]
  /// The place of the last member when its turn came. If it lags since, the turn goes on behind that place.
  private var last: Place?
  /// Members that failed or misled. Each is passed over in one turn.
  private var avoided: Set<[UInt8]> = []

  /// Passes over a member in its next turn, if there are others.
  mutating func avoid(_ member: [UInt8]) { avoided.insert(member) }

  /// The member whose turn it is; nil without members. `laggards` come after all others. `choose` returns a number
  /// below the one it is given.
  mutating func next(
    of members: [[UInt8]], laggards: Set<String> = [], choose: (Int) -> Int
  ) -> [UInt8]? {
    let order = order(of: members, laggards, choose)
    avoided.formIntersection(members)
    // If all are passed over, it is the first one's turn.
    let member = order.first { avoided.remove($0) == nil } ?? order.first
    last = member.map { place(of: $0, laggards) }
    return member
  }

  /// The member to poll beside another that is slow; nil if there is none. Its own turn comes nevertheless.
  mutating func substitute(
    for member: [UInt8], of members: [[UInt8]], laggards: Set<String> = [], choose: (Int) -> Int
  ) -> [UInt8]? {
    order(of: members, laggards, choose).first { $0 != member && !avoided.contains($0) }
  }

  /// The members in the order of their turns, beginning behind the last one.
  private mutating func order(
    of members: [[UInt8]], _ laggards: Set<String>, _ choose: (Int) -> Int
  ) -> [[UInt8]] {
    if ranks.count > Self.mostRanks { ranks = ranks.filter { members.contains($0.key) } }
    for member in members where ranks[member] == nil { ranks[member] = choose(Self.lastRank) }
    let sorted = members.map { (place(of: $0, laggards), $0) }.sorted { $0.0 < $1.0 }
    let passed = last.map { end in sorted.prefix { $0.0 <= end }.count } ?? 0
    return (sorted.dropFirst(passed) + sorted.prefix(passed)).map(\.1)
  }

  private typealias Place = (Int, Int, String)

  private func place(of member: [UInt8], _ laggards: Set<String>) -> Place {
    let name = member.hex
    return (laggards.contains(name) ? 1 : 0, ranks[member] ?? 0, name)
  }
}
