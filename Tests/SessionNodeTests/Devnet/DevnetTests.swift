import Foundation
import SessionCore
import SessionEndpoint
import SessionNode
import SessionService
import Testing

@Suite(.timeLimit(.minutes(5))) struct DevnetTests {
  private let alice = try! Account(1)

  private func options(_ folder: String, isTemporary: Bool = false) -> Devnet.Options {
    var options = Devnet.Options(folder: folder, isTemporary: isTemporary)
    options.nodes = 3
    options.swarms = 1
    return options
  }

  @Test func theNodesLieEvenlyInTheirSwarms() async throws {
    let playground = try await Playground(nodes: 7, swarms: 3)
    let swarms = Dictionary(grouping: playground.records, by: \.swarm).mapValues(\.count)
    #expect(swarms.values.sorted() == [2, 2, 3])
    #expect(Set(playground.records.map(\.address)).count == 7)
    let written = try Data(contentsOf: URL(filePath: playground.net.networkFile))
    #expect(try NetworkFile(parsing: Array(written)).nodes == playground.records)
    await playground.stop()
  }

  @Test func aFolderKeepsKeysAndMessages() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = try await Devnet.start(options(folder))
    let store = try #require(await first.places[0].node?.store)
    _ = try await store.store([1], of: alice.bytes, namespace: 0, timestamp: wall, expiry: wall + 60_000)
    await first.stop()
    let second = try await Devnet.start(options(folder))
    #expect(second.file.nodes.map(\.key) == first.file.nodes.map(\.key))
    #expect(second.file.operatorKey == first.file.operatorKey)
    #expect(second.file.height == first.file.height + 1)
    #expect(await second.status().nodes.map(\.messages) == [1, 0, 0])
    await second.stop()
  }

  @Test func aTemporaryFolderIsGoneAtTheEnd() async throws {
    let folder = freshPath()
    let devnet = try await Devnet.start(options(folder, isTemporary: true))
    #expect(FileManager.default.fileExists(atPath: devnet.networkFile))
    await devnet.stop()
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func aFolderHoldsOneDevnet() async throws {
    let folder = freshPath()
    let first = try await Devnet.start(options(folder, isTemporary: true))
    await #expect(throws: NodeFailure.devnetRuns(folder)) { try await Devnet.start(options(folder)) }
    await first.stop()
  }

  @Test func aRestartedNodeKeepsItsMessages() async throws {
    let playground = try await Playground(nodes: 2)
    _ = try await playground.call("store", try alice.storing([1]))
    try await playground.net.kill(2)
    #expect(await playground.net.status().nodes.map(\.isAlive) == [true, false])
    try await playground.net.revive(2)
    let found = try await playground.call("retrieve", try alice.retrieving(), at: playground.records[1])
      .messages
    #expect(found.count == 1)
    await #expect(throws: ServiceFailure.self) { try await playground.net.kill(3) }
    await playground.stop()
  }

  @Test func aNodeInTotalLossHearsNothing() async throws {
    let playground = try await Playground(nodes: 2) { $0.memberTimeout = .milliseconds(300) }
    try await playground.net.change(WeatherChange(node: 2, loss: 1))
    let reply = try await playground.call("store", try alice.storing([1]))
    #expect(try reply.swarm[playground.records[1].key.hex]?["timeout"] as? Bool == true)
    try await playground.net.change(WeatherChange(loss: 0))
    await playground.stop()
  }

  @Test func aDelayIsFelt() async throws {
    let playground = try await Playground(nodes: 1)
    #expect(try await playground.call("info", [:]).code == 200)
    try await playground.net.change(WeatherChange(delay: 200))
    let began = ContinuousClock.now
    #expect(try await playground.call("info", [:]).code == 200)
    #expect(ContinuousClock.now - began >= .milliseconds(200))
    await playground.stop()
  }

  @Test func anotherProcessMayLookAndChange() async throws {
    let folder = freshPath()
    let devnet = try await Devnet.start(options(folder, isTemporary: true))
    let (ends, ending) = AsyncStream.makeStream(of: Void.self)
    let control = try DevnetControl(devnet) { ending.finish() }
    let remote = try DevnetRemote(folder: folder)
    try await remote.kill(2)
    try await remote.change(WeatherChange(node: 1, delay: 5, loss: 0.25))
    let status = try await remote.status()
    #expect(status == (await devnet.status()).withMemory(of: status))
    #expect(status.nodes.map(\.isAlive) == [true, false, true])
    #expect(status.nodes[0].weather == NetworkWeather(delay: .milliseconds(5), loss: 0.25))
    try await remote.start(2)
    #expect(try await remote.status().nodes.allSatisfy(\.isAlive))
    await #expect(throws: ServiceFailure.self) { try await remote.kill(99) }
    try await remote.down()
    for await _ in ends {}
    await remote.close()
    await control.stop()
    await devnet.stop()
  }

  @Test func aRemoteWithoutADevnetFails() async throws {
    #expect(throws: NodeFailure.noDevnet("/nowhere")) { try DevnetRemote(folder: "/nowhere") }
  }

  /// The command that ends a devnet may only see the connection close.
  @Test func aDevnetThatEndsAtOnceHasEnded() async throws {
    let folder = freshPath()
    let devnet = try await Devnet.start(options(folder, isTemporary: true))
    let (asked, asking) = AsyncStream.makeStream(of: Never.self)
    let (ended, ending) = AsyncStream.makeStream(of: Never.self)
    let control = try DevnetControl(devnet) {
      asking.finish()
      for await _ in ended {}
    }
    let remote = try DevnetRemote(folder: folder)
    async let down: Void = remote.down()
    for await _ in asked {}
    await control.stop()
    ending.finish()
    try await down
    await remote.close()
    await devnet.stop()
  }
}

extension DevnetStatus {
  /// The same with another's memory, which is never the same twice.
  fileprivate func withMemory(of other: DevnetStatus) -> DevnetStatus {
    DevnetStatus(networkFile: networkFile, memory: other.memory, nodes: nodes, servers: servers)
  }
}
