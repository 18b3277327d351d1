import SessionCore
import SessionNode
import SessionNodeCore
import Testing

@Suite struct NetworkFileTests {
  private let boss = try! NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: 1, count: 32)))

  private func record(_ number: UInt8, swarm: UInt64 = 0) throws -> NodeRecord {
    let keys = try NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: number, count: 32)))
    return NodeRecord(
      key: keys.publicKey, exchangeKey: keys.exchangeKey, host: [127, 0, 0, number], quicPort: 1000,
      version: [2, 11, 0], swarm: swarm)
  }

  private func file(_ records: [NodeRecord], height: UInt64 = 7) throws -> NetworkFile {
    try NetworkFile(name: "a \"test\"", height: height, nodes: records, operatorKeys: boss)
  }

  @Test func writtenFilesCanBeParsed() throws {
    let records = [try record(5, swarm: .max - 1), try record(6)]
    let read = try NetworkFile(parsing: try file(records).text, operatorKey: boss.publicKey)
    #expect(read.nodes == records)
    #expect(read.name == "a \"test\"")
    #expect(read.height == 7)
    #expect(read.fork == [19, 6])
    #expect(read.operatorKey == boss.publicKey)
  }

  @Test func aNameMayHaveAnyCharacters() throws {
    let name = "a \"b\" \\ \t\n\u{1}\u{7f} é 🦊"
    let file = try NetworkFile(name: name, height: 1, nodes: [], operatorKeys: .random())
    #expect(try NetworkFile(parsing: file.text).name == name)
  }

  @Test func anyChangeBreaksTheSignature() throws {
    let text = try file([try record(5)]).text
    let start = try #require(text.firstIndex(of: UInt8(ascii: "\n"))) + 1
    for index in stride(from: start, to: text.count, by: 7) {
      var changed = text
      changed[index] ^= 1
      #expect(throws: SessionError.self) { try NetworkFile(parsing: changed) }
    }
  }

  @Test func anotherOperatorIsNotBelieved() throws {
    let text = try file([try record(5)]).text
    #expect(throws: SessionError.self) { try NetworkFile(parsing: text, operatorKey: try record(9).key) }
    #expect(throws: SessionError.self) { try NetworkFile(parsing: Array("{}".utf8)) }
  }

  @Test func aRecordWithKeysThatDoNotBelongTogetherIsPassedOver() throws {
    var odd = try record(6)
    odd.exchangeKey = try record(7).exchangeKey
    let read = try file([try record(5), odd, try record(5)])
    #expect(read.nodes.map(\.host) == [[127, 0, 0, 5]])
    #expect(read.skippedNodes == 2)
  }

  @Test func aNodeBelievesNewerListsOfItsOperator() async throws {
    let keys = try NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
    let node = try StorageNode(keys: keys, at: NetworkAddress(parsing: "127.0.0.1:0"), store: .inMemory())
    let records = try (5...9).map { try record($0) }
    try node.learn(try file(records, height: 2))
    #expect(throws: NodeFailure.outdatedList) { try node.learn(try file(records, height: 2)) }
    #expect(throws: NodeFailure.notListed) { try node.learn(try file(Array(records[1...]), height: 3)) }
    #expect(throws: NodeFailure.shrunkenList) { try node.learn(try file(Array(records[..<2]), height: 3)) }
    try node.learn(try file(Array(records[..<2]), height: 3), isConfirmed: true)
    let other = try NetworkFile(name: "", height: 9, nodes: records, operatorKeys: keys)
    #expect(throws: NodeFailure.notListed) { try node.learn(other) }
    await node.stop()
  }
}
