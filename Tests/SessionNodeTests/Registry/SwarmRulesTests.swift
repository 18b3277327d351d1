import SessionCore
import SessionNode
import Testing

@Suite struct SwarmRulesTests {
  private func key(_ number: Int) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 30)
  }

  /// How many members each swarm has.
  private func sizes(_ swarms: [[UInt8]: UInt64]) -> [Int] {
    Dictionary(grouping: swarms.values) { $0 }.values.map(\.count).sorted()
  }

  @Test func onlyRulesThatCanBeKeptAreRules() {
    #expect(SwarmRules(smallest: 5, largest: 9) != nil)
    #expect(SwarmRules(smallest: 5, largest: 8) == nil)
    #expect(SwarmRules(smallest: 0, largest: 8) == nil)
    #expect(SwarmRules(smallest: 1, largest: 1) != nil)
  }

  @Test func newNodesGoToTheSmallestSwarm() throws {
    let rules = try #require(SwarmRules(smallest: 1, largest: 5))
    let swarms = rules.assign([
      (key(1), 10), (key(2), 10), (key(3), 20), (key(4), 20), (key(5), 20), (key(6), nil), (key(7), nil),
    ])
    #expect(swarms[key(6)] == 10)
    #expect(swarms[key(7)] == 10)
    #expect(sizes(swarms) == [3, 4])
  }

  @Test func aSwarmThatIsTooLargeIsCutAndTheNewOneGoesWhereTheGapIsWidest() throws {
    let rules = try #require(SwarmRules(smallest: 1, largest: 2))
    let one = rules.assign((1...3).map { (key($0), 5) })
    #expect(sizes(one) == [1, 2])
    #expect(Set(one.values) == [5, 5 + UInt64(1) << 63])
    let two = rules.assign([(key(1), 0), (key(2), 0), (key(3), 0), (key(4), 1 << 62)])
    #expect(Set(two.values) == [0, 1 << 62, UInt64(1) << 62 + UInt64(3) << 61])
  }

  @Test func aSwarmThatIsTooSmallTakesFromTheLargestOrDissolves() throws {
    let rules = try #require(SwarmRules(smallest: 2, largest: 4))
    let filled = rules.assign([(key(1), 10), (key(2), 20), (key(3), 20), (key(4), 20)])
    #expect(sizes(filled) == [2, 2])
    #expect(filled[key(4)] == 10)
    let dissolved = rules.assign([(key(1), 10), (key(2), 20), (key(3), 20)])
    #expect(Set(dissolved.values) == [20])
  }

  @Test func theLastSwarmStaysHoweverSmall() {
    #expect(SwarmRules.usual.assign([(key(1), 7)]) == [key(1): 7])
    #expect(SwarmRules.usual.assign([]) == [:])
    #expect(SwarmRules.usual.assign([(key(1), nil)]) == [key(1): 0])
  }

  @Test(arguments: [(1, 1), (1, 2), (2, 3), (5, 9), (5, 10), (3, 12)])
  func theRulesHoldWhateverComesAndGoes(smallest: Int, largest: Int) throws {
    let rules = try #require(SwarmRules(smallest: smallest, largest: largest))
    var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
    var swarms: [[UInt8]: UInt64] = [:]
    for number in 0..<600 {
      let grows = random.next(3) > (number < 300 ? 0 : 1)
      if !grows, let gone = swarms.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }).first {
        swarms[gone] = nil
      }
      var nodes = swarms.map { (key: $0.key, swarm: Optional($0.value)) }
      if grows { nodes.append((key(number), nil)) }
      let next = rules.assign(nodes)
      #expect(next.count == nodes.count)
      let sizes = sizes(next)
      #expect(sizes.allSatisfy { $0 <= largest }, "step \(number): \(sizes)")
      #expect(sizes.count <= 1 || sizes.allSatisfy { $0 >= smallest }, "step \(number): \(sizes)")
      #expect(!next.values.contains(NodeRecord.noSwarm))
      // Applied once more they change nothing.
      #expect(rules.assign(next.map { ($0.key, $0.value) }) == next)
      swarms = next
    }
  }
}

/// Numbers that are the same every time.
private struct Xorshift {
  var state: UInt64

  mutating func next(_ bound: UInt64) -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state % bound
  }
}
