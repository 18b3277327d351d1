import SessionCore
import SessionEndpoint
import SessionNetworking
import Testing

extension NetworkClientTests {
  /// How requests end that are not answered.
  @Suite(.serialized) struct RequestEndsTests {
    private let waiting = Waiting()

    private func stalled(_ body: Body) async throws {
      try await onLoopback { nodes, client in
        nodes.storage.misbehave { [waiting] asked in asked.method == "info" ? nil : .stall(waiting) }
        try await body(nodes, client)
      }
    }

    @Test func cancellingTheTaskCancelsTheRequest() async throws {
      try await stalled { _, client in
        let task = Task {
          defer { waiting.requestEnded() }
          return try await client.send(Storage.Name("test"))
        }
        await waiting.entered()
        try await client.expectRequests(1)
        task.cancel()
        let error = await failure { try await task.value }
        #expect(error?.code == .requestCancelled)
        #expect(error?.kind == .cancelled)
        try await client.expectRequests(0)
      }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
      try await stalled { nodes, client in
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await client.send(Storage.Name("test"))
        }
        await expectFailure(.requestCancelled) { _ = try await task.value }
        let lookup = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await client.swarm(of: Example.first().id)
        }
        await expectFailure(.requestCancelled) { _ = try await lookup.value }
        try await client.expectRequests(0)
        #expect(nodes.storage.count(of: "oxend_request") == 0)
      }
    }

    @Test func aDeadlineEndsARequestThatWaits() async throws {
      try await stalled { _, client in
        let delivery = Network.Delivery(overall: .milliseconds(50))
        let error = await failure { try await client.send(Storage.Name("test"), delivery) }
        #expect(error?.code == .requestTimeout)
        #expect(error?.kind == .transient)
        try await client.expectRequests(0)
      }
    }

    @Test func anAttemptTimesOut() async throws {
      try await stalled { nodes, client in
        let delivery = Network.Delivery(timeout: .milliseconds(50), attempts: 2)
        await expectFailure(.requestTimeout) {
          _ = try await client.send(Storage.Name("test"), delivery)
        }
        let counts = try await client.counts()
        #expect(counts.retries >= 1)
      }
    }

    @Test func withoutAnyNodeThereIsNoWay() async throws {
      let silent = try ServiceNode(
        key: NetworkIdentity.random().publicKey, address: NetworkAddress(parsing: "127.0.0.1:1"), swarm: 1)
      var options = Network.Options(.private, seeds: [silent])
      options.probeTimeout = .milliseconds(100)
      let client = try Network(options)
      try await client.start()
      let delivery = Network.Delivery(overall: .milliseconds(500))
      let error = await failure { try await client.send(Storage.Info(), delivery) }
      #expect(error?.code.family == .network)
      #expect(error?.kind == .unreachable || error?.kind == .transient)
      #expect(client.currentStatus.state != .connected)
      await client.stop()
    }

    @Test func manyRequestsEachGetTheirOwnReply() async throws {
      try await onLoopback { nodes, client in
        let me = try Example.first()
        let good = await withTaskGroup(of: Bool.self) { group in
          for number in 0..<100 as Range<UInt8> {
            group.addTask {
              let store = Storage.Store([number], to: me.id, lifetime: .seconds(60))
              guard let reply = try? await client.send(store).reply else { return false }
              return reply.isEnough && nodes.storage.hashes.contains(store.hash)
            }
          }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 100)
        #expect(nodes.storage.hashes.count == 100)
        // Some left together.
        #expect(try await client.counts().batches > 0)
        #expect(try await client.counts().succeeded >= 100)
      }
    }

    @Test func thereIsRoomForSoManyRequestsOnly() async throws {
      let waiting = waiting
      try await onLoopback(maxRequests: 1) { nodes, client in
        nodes.storage.misbehave { asked in asked.method == "info" ? nil : .stall(waiting) }
        let task = Task {
          defer { waiting.requestEnded() }
          return await failure { try await client.send(Storage.Name("test")) }?.code
        }
        await waiting.entered()
        let error = await failure { try await client.send(Storage.Info()) }
        #expect(error?.code == .networkFull)
        #expect(error?.kind == .busy)
        task.cancel()
        #expect(await task.value == .requestCancelled)
      }
    }
  }
}

extension Network {
  /// Expects that so many requests are not done.
  fileprivate func expectRequests(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let requests = try await counts().requests
    #expect(requests == count, sourceLocation: sourceLocation)
  }
}
