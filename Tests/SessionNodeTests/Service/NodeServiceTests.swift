import Foundation
import SessionBase
import SessionCore
import SessionNodeCore
import SessionService
import Testing

@testable import SessionNode

/// A node with a network file, and what it tells of itself.
@Suite(.timeLimit(.minutes(5))) struct NodeServiceTests {
  private let alice = try! Account(1)
  private let boss = try! NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: 8, count: 32)))

  private func options(_ folder: String, operatorKey: [UInt8]? = nil) throws -> NodeService.Options {
    var options = NodeService.Options(
      folder: folder + "/node", address: try NetworkAddress(parsing: "127.0.0.1:0"),
      source: .file(folder + "/network.json", operatorKey: operatorKey))
    options.interval = .seconds(100_000)
    return options
  }

  private func write(_ height: UInt64, _ service: NodeService, to folder: String) throws {
    let node = service.node
    let record = try NodeRecord(
      key: node.keys.publicKey, address: try #require(node.address), httpsPort: 0, version: [2, 11, 0],
      swarm: 5)
    let list = try NetworkFile(name: "test", height: height, nodes: [record], operatorKeys: boss)
    try KeptList(path: folder + "/network.json").write(list)
  }

  @Test func aNodeFollowsItsNetworkFile() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try NodeService(try options(folder))
    #expect(service.node.unreadiness == "not done syncing")
    await #expect(throws: FileError.self) { try await service.refresh() }
    try write(1, service, to: folder)
    try await service.refresh()
    #expect(service.node.unreadiness == nil)
    try write(4, service, to: folder)
    try await service.refresh()
    #expect(service.node.height == 4)
    try write(3, service, to: folder)
    try await service.refresh()
    #expect(service.node.height == 4)
    await #expect(throws: ServiceFailure.self) { try await service.leave() }
    await service.stop()
    #expect(service.node.unreadiness == "shutting down")
  }

  /// Nothing is removed: the operator decides.
  @Test func damagedStoresAreReported() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await NodeService(try options(folder)).stop()
    let store = folder + "/node/messages.db"
    let damaged = Data(repeating: 7, count: 8192)
    try damaged.write(to: URL(filePath: store))
    do {
      _ = try NodeService(try options(folder))
      Issue.record("it began")
    } catch NodeFailure.damagedStore(let why) {
      #expect(why.contains(store))
    }
    #expect(FileManager.default.contents(atPath: store) == damaged)
    try FileManager.default.removeItem(atPath: store)
    try await NodeService(try options(folder)).stop()
  }

  @Test func aFolderIsItsOwnersAndHoldsOneNode() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try NodeService(try options(folder))
    #expect(throws: ServiceFailure.folderInUse(folder + "/node")) { try NodeService(try options(folder)) }
    for (name, mode) in [("", 0o700), ("/key", 0o600), ("/messages.db", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/node" + name)
      #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
    }
    await service.stop()
    let again = try NodeService(try options(folder))
    #expect(again.node.keys.publicKey == service.node.keys.publicKey)
    await again.stop()
  }

  @Test func onlyTheOperatorThatWasNamedIsBelieved() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try NodeService(try options(folder, operatorKey: [UInt8](repeating: 3, count: 32)))
    try write(1, service, to: folder)
    await #expect(throws: SessionError.self) { try await service.refresh() }
    #expect(service.node.height == 0)
    await service.stop()
  }

  @Test func anotherProcessMayAskHowItIs() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try NodeService(try options(folder))
    try write(1, service, to: folder)
    try await service.refresh()
    let control = try NodeControl(service, folder: folder + "/node") {}
    let remote = try NodeRemote(folder: folder + "/node")
    let status = try await remote.status()
    #expect(status.key == service.node.keys.publicKey.hex)
    #expect(status.swarm == 5)
    #expect(status.isReady)
    await #expect(throws: ServiceFailure.self) { try await remote.leave() }
    await remote.close()
    let file = folder + "/node/control"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    await control.stop()
    #expect(!FileManager.default.fileExists(atPath: file))
    await service.stop()
    // As of a process that was killed.
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    for none in [folder + "/node", "/nowhere"] {
      #expect(throws: ServiceFailure.notRunning(none)) { try NodeRemote(folder: none) }
    }
  }

  @Test func aControlThatIsNotItsOwnAnyMoreIsLeftAlone() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FolderLock.prepare(folder)
    let first = try LocalControl("test", file: folder + "/control", handlers: [:])
    let second = try LocalControl("test", file: folder + "/control", handlers: [:])
    await first.stop()
    #expect(FileManager.default.fileExists(atPath: folder + "/control"))
    await second.stop()
    #expect(!FileManager.default.fileExists(atPath: folder + "/control"))
  }

  @Test func aKeyThatCannotBeReadIsNotTakenForNone() throws {
    let folder = freshPath()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let error = #expect(throws: SessionError.self) { try SeedFile(path: folder).keys() }
    #expect(error?.code == .fileUnreadable)
    #expect(throws: (any Error).self) { try KeptList(path: folder).read() }
  }

  @Test func delaysGrowWhileTheNodeFails() {
    let delays = (1...6).map { NodeService.delay(failures: $0, interval: .seconds(10)) }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(10), .seconds(10)])
    #expect(NodeService.delay(failures: 0, interval: .seconds(10)) == .seconds(10))
  }

  @Test(.timeLimit(.minutes(2))) func aListThatCouldNotBeKeptIsKeptLater() async throws {
    let playground = try await RegistryPlayground()
    let told = Told()
    let file = playground.folder(of: 1) + "/network.json"
    _ = try NodeService.prepare(folder: playground.folder(of: 1))
    let service = try playground.begin(1) { $0.node.log = told.log }
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    try Data().write(to: URL(filePath: file + "/full"))
    try await service.refresh()
    #expect(service.node.unreadiness == nil)
    // The first to learn of the list reports it, possibly the node itself.
    await told.wait(for: "the list cannot be kept")
    #expect(told.count(of: "the list cannot be kept") == 1)
    try FileManager.default.removeItem(atPath: file)
    _ = await service.follow()
    #expect(try KeptList(path: file).read()?.height == service.node.height)
    await playground.stop()
  }

  @Test func theAddressInUseIsNamed() async throws {
    let folder = freshPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var options = try options(folder)
    options.httpsAddress = try NetworkAddress(parsing: "127.0.0.1:0")
    let first = try NodeService(options)
    let taken = try #require(first.node.httpsAddress)
    options.folder += "-2"
    options.httpsAddress = taken
    let failure = #expect(throws: ServiceFailure.self) { try NodeService(options) }
    #expect(failure == .listening("HTTPS at \(taken)", "another program listens on this address"))
    await first.stop()
  }

  @Test func metricsCountTheWorkOfANode() async throws {
    let playground = try await Playground(nodes: 2)
    _ = try await playground.call("store", try alice.storing([1]))
    _ = try await playground.call("retrieve", ["pubkey": alice.hex])
    let first = try #require(await playground.net.places[0].node)
    let text = await first.metricsText()
    let lines = text.split(separator: "\n")
    #expect(lines.contains(#"session_node_requests_total{method="store",way="quic",code="200"} 1"#))
    #expect(lines.contains(#"session_node_requests_total{method="retrieve",way="quic",code="401"} 1"#))
    #expect(lines.contains("session_node_messages 1"))
    #expect(lines.contains("session_node_ready 1"))
    #expect(!text.contains(alice.hex))
    let other = try #require(await playground.net.places[1].node)
    #expect(await other.metricsText().contains(#"{method="store",way="member",code="200"} 1"#))
    // Each measurement is explained once, and before its first value.
    let names = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { !" {".contains($0) } }
    for name in Set(names) {
      #expect(lines.filter { $0.hasPrefix("# HELP \(name) ") }.count == 1)
      #expect(lines.filter { $0.hasPrefix("# TYPE \(name) ") }.count == 1)
    }
    await playground.stop()
  }
}
