import SessionCore
import Testing

@testable import SessionNetworking

@Suite struct MemberTurnTests {
  private let members = (1...7).map { [UInt8](repeating: $0, count: 32) }

  private func random(_ count: Int) -> Int { Int.random(in: 0..<count) }

  @Test func membersTakeTurnsInOneRandomOrder() throws {
    var (first, second) = (MemberTurn(), MemberTurn())
    var orders: Set<[[UInt8]]> = []
    for _ in 0..<5 {
      let order = members.compactMap { _ in first.next(of: members.shuffled(), choose: random) }
      #expect(Set(order) == Set(members))
      orders.insert(order)
    }
    #expect(orders.count == 1)
    // Another account has another order; 7! of them are never alike.
    var different = false
    for _ in 0..<5 {
      let order = members.compactMap { _ in second.next(of: members, choose: random) }
      different = different || !orders.contains(order)
      second = MemberTurn()
    }
    #expect(different)
  }

  @Test(arguments: 0...5) func hostileMembersDelayByOnePollEach(hostile: Int) {
    for _ in 0..<100 {
      var turn = MemberTurn()
      let honest = Set(members.shuffled().dropFirst(hostile))
      for _ in 0..<random(20) { _ = turn.next(of: members, choose: random) }
      let polls = (0...hostile).compactMap { _ in turn.next(of: members, choose: random) }
      #expect(!honest.isDisjoint(with: polls))
    }
  }

  @Test func avoidedMemberIsPassedOverOnce() {
    var turn = MemberTurn()
    // Ranks are all the same, so that the keys decide.
    func next() -> UInt8? { turn.next(of: Array(members.prefix(3)), choose: { _ in 0 })?.first }
    #expect(next() == 1)
    turn.avoid(members[0])
    #expect([next(), next(), next(), next(), next(), next()] == [2, 3, 2, 3, 1, 2])
  }

  @Test func turnsGoOnWhenAllAreAvoided() {
    var turn = MemberTurn()
    for member in members { turn.avoid(member) }
    #expect(turn.next(of: members, choose: { _ in 0 })?.first == 1)
    #expect(turn.next(of: members, choose: { _ in 0 })?.first == 2)
    turn.avoid(members[2])
    #expect(turn.next(of: [members[2]], choose: { _ in 0 })?.first == 3)
    #expect(turn.next(of: [], choose: { _ in 0 }) == nil)
  }

  @Test func laggardsComeLast() {
    var turn = MemberTurn()
    let lagging: Set<String> = [members[0].hex]
    let order = members.compactMap { _ in turn.next(of: members, laggards: lagging, choose: { _ in 0 })?.first
    }
    #expect(order == [2, 3, 4, 5, 6, 7, 1])
  }

  /// Else two hostile members that lag could take turns for ever.
  @Test func aMemberThatBeginsToLagDoesNotBeginTheTurnAnew() {
    var turn = MemberTurn()
    func next(_ laggards: Set<String>) -> UInt8? {
      turn.next(of: members, laggards: laggards, choose: { _ in 0 })?.first
    }
    let before = [next([]), next([])]
    let after = (0..<6).map { _ in next([members[1].hex]) }
    #expect(before + after == [1, 2, 3, 4, 5, 6, 7, 2])
  }

  @Test func membersThatJoinOrLeaveDoNotChangeTheOrderOfOthers() {
    var turn = MemberTurn()
    var order = members.compactMap { _ in turn.next(of: members, choose: random) }
    let gone = members[3]
    let new = [UInt8](repeating: 9, count: 32)
    let later = members.filter { $0 != gone } + [new]
    let after = later.compactMap { _ in turn.next(of: later, choose: random) }
    order.removeAll { $0 == gone }
    let start = after.firstIndex(of: order[0]) ?? 0
    let turned = (after[start...] + after[..<start]).filter { $0 != new }
    #expect(turned == order)
  }

  @Test func substituteIsAnotherMember() {
    var turn = MemberTurn()
    turn.avoid(members[1])
    let member = turn.next(of: members, choose: { _ in 0 })
    #expect(member == members[0])
    #expect(turn.substitute(for: members[0], of: members, choose: { _ in 0 })?.first == 3)
    #expect(turn.next(of: members, choose: { _ in 0 })?.first == 3)
    #expect(turn.substitute(for: members[0], of: [members[0]], choose: { _ in 0 }) == nil)
  }
}
