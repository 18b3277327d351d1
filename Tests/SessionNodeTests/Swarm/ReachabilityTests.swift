import SessionCore
import SessionNodeCore
import Testing

@testable import SessionNode

/// Nodes that are called to see whether they answer.
@Suite(.timeLimit(.minutes(5))) struct ReachabilityTests {
  private let second: UInt64 = 1_000_000_000
  private let keys: [[UInt8]] = [[1], [2], [3]]

  @Test func oneIsCalledAfterTheOther() {
    let reachability = Reachability()
    var called: [[UInt8]] = []
    for time in 1...6 {
      let due = reachability.due(keys, now: UInt64(time) * second)
      #expect(due.count == 1)
      for key in due { reachability.passed(key, now: UInt64(time) * second) }
      called += due
    }
    #expect(Set(called[..<3]) == Set(keys))
    #expect(called[3...] == called[..<3])
    #expect(reachability.isReachable([9]) == nil)
  }

  @Test func silentNodesAreCalledWithBackoff() {
    let reachability = Reachability()
    var time = second
    var pauses: [UInt64] = []
    for _ in 0..<7 {
      reachability.failed([1], now: time)
      let before = time
      while !reachability.due([[1]], now: time).contains([1]) { time += second }
      pauses.append((time - before) / second)
    }
    #expect(pauses == [10, 20, 40, 80, 120, 120, 120])
    #expect(reachability.isReachable([1]) == false)
    reachability.passed([1], now: time)
    #expect(reachability.isReachable([1]) == true)
  }

  @Test func onlyLongSilentNodesAreReported() {
    let reachability = Reachability()
    reachability.failed([2], now: second)
    reachability.failed([1], now: second)
    #expect(reachability.reported(now: 60 * second).isEmpty)
    #expect(reachability.reported(now: 61 * second) == [[1], [2]])
    reachability.failed([1], now: 90 * second)
    reachability.passed([2], now: 90 * second)
    #expect(reachability.reported(now: 91 * second) == [[1]])
    reachability.keep { _ in false }
    #expect(reachability.reported(now: 91 * second).isEmpty)
  }

  @Test func nodesSilentOnlyOverHTTPSAreNotReported() async throws {
    let playground = try await Playground(nodes: 2, way: .https) { $0.pingTimeout = .seconds(30) }
    let node = try #require(await playground.net.places[0].node)
    var records = playground.records
    records[1].httpsPort = 9
    try node.learn(
      NetworkFile(name: "", height: 99, nodes: records, operatorKeys: playground.net.operatorKeys()))
    #expect(await !node.answersHTTPS(records[1]))
    _ = await node.testOthers()
    #expect(node.reachability.isReachable(records[1].key) == true)
    #expect(!node.reachability.tried(records[1].key, answersHTTPS: false))
    await playground.stop()
  }

  @Test func nodesFindOutWhoAnswers() async throws {
    let playground = try await Playground(nodes: 3) {
      $0.pingTimeout = .seconds(30)
    }
    try await playground.net.kill(3)
    let node = try #require(await playground.net.places[0].node)
    for _ in 0..<3 { _ = await node.testOthers() }
    #expect(node.reachability.isReachable(playground.records[1].key) == true)
    #expect(node.reachability.isReachable(playground.records[2].key) == false)
    #expect(node.reachability.isReachable(playground.records[0].key) == nil)
    let members = await node.status().members
    #expect(
      Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.isReachable) }) == [
        playground.records[1].key.hex: true, playground.records[2].key.hex: false,
      ])
    await playground.stop()
  }
}
