import CSessionCore
import Folders
import Foundation
import SessionNetworking
import SessionNodeCore
import Testing

@testable import SessionCore

extension NetworkClientTests {
  /// Starting, suspending, stopping, and the events of each.
  @Suite(.serialized) struct NetworkLifeTests {
    @Test func requestsCrossThreeHops() async throws {
      try await onLoopback { nodes, client in
        let info = try await client.send(Storage.Info())
        #expect(info.reply.version == .init(2, 11, 0))
        #expect(nodes.nodes.contains(info.node))
        #expect(nodes.relayed >= 3)
        #expect(nodes.listed == 1)
      }
    }

    @Test func theStatusIsToldFromStartToStop() async throws {
      let nodes = try LoopbackNetwork()
      let client = try Network(nodes.options())
      let status = client.status
      #expect(client.currentStatus == .idle(SC_ERR_NETWORK_SUSPENDED))
      try await client.start()
      var told = status.makeAsyncIterator()
      while let status = await told.next(), status.state != .connected {}
      _ = try await client.send(Storage.Info())
      #expect(client.currentStatus.state == .connected)
      #expect(client.currentStatus.failure == nil)
      while client.currentStatus.clockOffset == nil { _ = await told.next() }
      #expect(client.currentStatus.fork == .init(19, 6))
      try await client.suspend()
      #expect(client.currentStatus.state == .offline)
      #expect(client.currentStatus.failure == .networkSuspended)
      await client.stop()
      var last: Network.Status?
      while let status = await told.next() { last = status }
      #expect(last?.failure == .runtimeStopped)
      var late = client.status.makeAsyncIterator()
      #expect(await late.next()?.failure == .runtimeStopped)
      #expect(await late.next() == nil)
      await nodes.stop()
    }

    @Test func pathsAreShownWithTheirNodes() async throws {
      try await onLoopback { nodes, client in
        _ = try await client.send(Storage.Info())
        var active: [Network.Path] = []
        for await paths in client.paths {
          active = paths.filter { $0.state == .active }
          if !active.isEmpty { break }
        }
        let path = try #require(active.first)
        #expect(path.nodes.count == 3)
        #expect(Set(path.nodes.map(\.key)).count == 3)
        #expect(path.nodes.allSatisfy { nodes.nodes.contains($0) })
        #expect(path.category == .standard)
        try await client.suspend()
        for await paths in client.paths where paths.isEmpty { break }
        try await client.resume()
        for await paths in client.paths where paths.contains(where: { $0.state == .active }) { break }
        _ = try await client.send(Storage.Info())
      }
    }

    @Test func accountsShareNoPath() async throws {
      try await onLoopback { nodes, client in
        let accounts = [Network.LocalAccount(), Network.LocalAccount()]
        for account in accounts { _ = try await client.send(Storage.Info(), Network.Delivery(for: account)) }
        for await paths in client.paths {
          let own = paths.filter { $0.account != nil }
          guard own.count == 2 else { continue }
          #expect(Set(own.map(\.account)) == Set(accounts))
          #expect(own.allSatisfy { $0.target == .network && $0.state == .active })
          break
        }
      }
    }

    @Test func aSuspendedNetworkTakesNoRequests() async throws {
      try await onLoopback { nodes, client in
        let waiting = Waiting()
        nodes.storage.misbehave { $0.method == "info" ? nil : .stall(waiting) }
        let task = Task {
          defer { waiting.requestEnded() }
          return await failure { try await client.send(Storage.Name("test")) }?.code
        }
        await waiting.entered()
        try await client.suspend()
        #expect(await task.value == .networkSuspended)
        let error = await failure { try await client.send(Storage.Info()) }
        #expect(error?.code == .networkSuspended)
        #expect(error?.kind == .suspended)
        try await client.resume()
        _ = try await client.send(Storage.Info())
      }
    }

    @Test func nothingIsSentBeforeTheStart() async throws {
      let nodes = try LoopbackNetwork(1)
      let client = try Network(nodes.options())
      await expectFailure(.networkSuspended) { _ = try await client.send(Storage.Info()) }
      await expectFailure(.networkSuspended) { _ = try await client.counts() }
      await expectFailure(.networkSuspended) {
        _ = try await client.swarm(of: SessionID(parsing: Example.firstID))
      }
      await client.stop()
      await expectFailure(.runtimeStopped) { try await client.start() }
      await nodes.stop()
    }

    @Test func stoppingEndsEveryRequestOnce() async throws {
      try await onLoopback { nodes, client in
        let waiting = Waiting()
        nodes.storage.misbehave { $0.method == "info" ? nil : .stall(waiting) }
        let codes = await withTaskGroup(of: SessionError.Code?.self) { group in
          for _ in 0..<20 {
            group.addTask {
              defer { waiting.requestEnded() }
              return await failure { try await client.send(Storage.Name("test")) }?.code
            }
          }
          for _ in 0..<20 { await waiting.entered() }
          await client.stop()
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == [SessionError.Code?](repeating: .networkSuspended, count: 20))
        await expectFailure(.runtimeStopped) { _ = try await client.send(Storage.Info()) }
        await expectFailure(.runtimeStopped) { _ = try await client.counts() }
        await client.stop()
      }
    }

    @Test func aNetworkThatIsLetGoEnds() async throws {
      let nodes = try LoopbackNetwork()
      let status = try await Self.statusOfAForgottenNetwork(nodes)
      var last: Network.Status?
      for await status in status { last = status }
      #expect(last?.failure == .runtimeStopped)
      await nodes.stop()
    }

    private static func statusOfAForgottenNetwork(
      _ nodes: LoopbackNetwork
    ) async throws -> AsyncStream<Network.Status> {
      let client = try Network(nodes.options())
      try await client.start()
      _ = try await client.send(Storage.Info())
      return client.status
    }

    @Test func networkStateIsSavedInFiles() async throws {
      let nodes = try LoopbackNetwork()
      let folder = try TemporaryFolder()
      var options = nodes.options()
      options.folder = folder.url.path
      let first = try Network(options)
      try await first.start()
      _ = try await first.send(Storage.Info())
      await first.stop()
      #expect(try folder.names.count >= 2)
      #expect(nodes.listed == 1)
      let second = try Network(options)
      try await second.start()
      #expect(try await second.counts().nodes == 5)
      _ = try await second.send(Storage.Info())
      await second.stop()
      #expect(nodes.listed == 1)
      await nodes.stop()
    }

    @Test func aNetworkFileTellsWhereToBegin() async throws {
      let nodes = try LoopbackNetwork()
      let file = try NetworkFile(name: "ours", height: 1, nodes: nodes.records, operatorKeys: .random())
      let client = try Network(Network.Options(file).patient)
      try await client.start()
      #expect(nodes.nodes.contains(try await client.send(Storage.Info()).node))
      await client.stop()
      await nodes.stop()
    }

    @Test func nodesAreForgotten() async throws {
      try await onLoopback { nodes, client in
        _ = try await client.send(Storage.Info())
        #expect(try await client.counts().nodes == 5)
        try await client.forgetNodes()
        #expect(try await client.counts().nodes == 0)
        _ = try await client.send(Storage.Info())
        #expect(nodes.listed == 2)
      }
    }

    @Test func withoutNodesGuardsAreNotReplaced() async throws {
      try await onLoopback { _, client in
        _ = try await client.send(Storage.Info())
        try await client.resetGuards()
        let guards = try await client.guards().map(\.key)
        #expect(!guards.isEmpty)
        try await client.forgetNodes()
        let error = await #expect(throws: SessionError.self) { try await client.resetGuards() }
        #expect(error?.code == .networkNoNodes)
        #expect(Set(try await client.guards().map(\.key)) == Set(guards))
      }
    }

    @Test func changesOfGuardsAreRememberedWithTheirReasons() async throws {
      try await onLoopback { _, client in
        _ = try await client.send(Storage.Info())
        let before = try await client.changes()
        #expect(before.contains { $0.kind == "guard drawn" && $0.reason == "start" })
        try await client.resetGuards()
        let after = try await client.changes()
        #expect(after.first.map(\.id) ?? 0 > before.first.map(\.id) ?? 0)
        let guards = Set(try await client.guards().map(\.key))
        let drawn = after.filter { $0.kind == "guard drawn" && $0.reason == "person" }
        #expect(!drawn.isEmpty && guards.isSuperset(of: drawn.map(\.node)))
      }
    }

    @Test func theSwarmOfAnAccountIsKnown() async throws {
      try await onLoopback(8, swarms: [5, 1 << 63]) { nodes, client in
        let account = try Example.first().id
        let swarm = try await client.swarm(of: account)
        #expect(swarm.count == 4)
        #expect(Set(swarm.map(\.swarm)).count == 1)
      }
    }

    @Test func optionsThatContradictEachOtherAreRefused() throws {
      var options = Network.Options(.private)
      options.pathLength = 9
      #expect(throws: SessionError.self) { try Network(options) }
    }
  }
}
