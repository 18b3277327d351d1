import SessionCore
import SessionEndpoint
import Testing

/// Endpoints on this machine's loopback address, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct NetworkEndpointTests {
  private let server: NetworkEndpoint
  private let client: NetworkEndpoint
  private let peer: NetworkPeer
  private let waiting = Waiting()

  init() async throws {
    let identity = try NetworkIdentity(seed: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    let waiting = waiting
    let options = NetworkEndpoint.Options(
      identity: identity,
      handlers: [
        "echo": { $0.body },
        "who": { Array("\($0.command) \(($0.peerKey ?? []).hex)".utf8) },
        "refuse": { _ in throw NetworkRefusal(404, "Not Found", details: "no such thing") },
        "fail": { _ in throw Mishap() },
        "wait": { _ in try await waiting.wait() },
      ])
    let loopback = try NetworkAddress(parsing: "127.0.0.1:0")
    server = try NetworkEndpoint(at: loopback, options: options)
    var patient = NetworkEndpoint.Options()
    patient.handshakeTimeout = .seconds(60)
    patient.requestTimeout = .seconds(60)
    client = try NetworkEndpoint(at: loopback, options: patient)
    peer = try NetworkPeer(address: server.address, key: identity.publicKey)
  }

  private func stop() async {
    await client.stop()
    await server.stop()
  }

  @Test func aReplyComesBack() async throws {
    #expect(try await client.request("echo", body: [1, 2, 3], to: peer) == [1, 2, 3])
    #expect(try await client.request("echo", to: peer) == [])
    let counts = try await client.counts()
    #expect(counts.connectionsMade == 1)
    #expect(counts.openRequests == 0)
    #expect(counts.datagramsSent > 0)
    #expect(try await server.counts().connectionsAccepted == 1)
    await stop()
  }

  @Test func aLargeBodyComesBackWhole() async throws {
    let body = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try await client.request("echo", body: body, to: peer) == body)
    await stop()
  }

  @Test func aHandlerLearnsWhoAsks() async throws {
    let identity = try NetworkIdentity.random()
    let known = try NetworkEndpoint(
      at: NetworkAddress(parsing: "127.0.0.1:0"), options: .init(identity: identity))
    let reply = try await known.request("who", to: peer, timeout: .seconds(60))
    #expect(String(decoding: reply, as: UTF8.self) == "who \(identity.publicKey.hex)")
    await known.stop()
    await stop()
  }

  @Test func anErrorReplyIsKept() async throws {
    let error = await failure { try await client.request("refuse", to: peer) }
    #expect(error?.code == .requestFailed)
    #expect(error?.refusal == NetworkRefusal(404, "Not Found", details: "no such thing"))
    await stop()
  }

  @Test func errorsInAHandlerAreNotDisclosed() async throws {
    let error = await failure { try await client.request("fail", to: peer) }
    #expect(error?.refusal == NetworkRefusal(500, "Internal Server Error"))
    await stop()
  }

  @Test func anUnknownCommandIsRefused() async throws {
    let error = await failure { try await client.request("nonsense", to: peer) }
    #expect(error?.code == .requestFailed)
    #expect(error?.refusal != nil)
    await stop()
  }

  @Test func anotherKeyIsNotBelieved() async throws {
    var key = peer.key
    key[3] ^= 1
    let stranger = try NetworkPeer(address: peer.address, key: key)
    await expectFailure(.quicKey) { _ = try await client.request("echo", to: stranger) }
    await stop()
  }

  @Test func aRequestTimesOut() async throws {
    await expectFailure(.requestTimeout) {
      _ = try await client.request("wait", to: peer, timeout: .milliseconds(50))
    }
    #expect(try await client.counts().openRequests == 0)
    await stop()
  }

  @Test func cancellingTheTaskCancelsTheRequest() async throws {
    let task = Task {
      defer { waiting.requestEnded() }
      return try await client.request("wait", to: peer)
    }
    await waiting.entered()
    #expect(try await client.counts().openRequests == 1)
    task.cancel()
    await expectFailure(.requestCancelled) { _ = try await task.value }
    #expect(try await client.counts().openRequests == 0)
    await stop()
  }

  @Test func aCancelledTaskSendsNothing() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.request("echo", to: peer)
    }
    await expectFailure(.requestCancelled) { _ = try await task.value }
    #expect(try await client.counts().connectionsMade == 0)
    await stop()
  }

  @Test func stoppingEndsEveryRequestOnce() async throws {
    let codes = await withTaskGroup(of: SessionError.Code?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          defer { waiting.requestEnded() }
          return await failure { try await client.request("wait", to: peer) }?.code
        }
      }
      for _ in 0..<20 { await waiting.entered() }
      await client.stop()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == [SessionError.Code?](repeating: .quicStopped, count: 20))
    await expectFailure(.runtimeStopped) { _ = try await client.request("echo", to: peer) }
    await expectFailure(.runtimeStopped) { _ = try await client.counts() }
    await client.stop()
    await server.stop()
  }

  @Test func aServerThatStopsCancelsItsHandlers() async throws {
    let task = Task {
      defer { waiting.requestEnded() }
      return await failure { try await client.request("wait", to: peer) }?.code
    }
    await waiting.entered()
    await server.stop()
    #expect(await task.value?.family == .network)
    await waiting.cancelled()
    await client.stop()
  }

  @Test func aPeerThatGoesCancelsItsHandlers() async throws {
    let stays = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"))
    let left = Task {
      defer { waiting.requestEnded() }
      return await failure { try await client.request("wait", to: peer) }?.code
    }
    let kept = Task {
      defer { waiting.requestEnded() }
      return await failure { try await stays.request("wait", to: peer, timeout: .seconds(60)) }?.code
    }
    for _ in 0..<2 { await waiting.entered() }
    await client.stop()
    #expect(await left.value == .quicStopped)
    await waiting.cancelled()
    // The peer that stays is still worked for: a handler that is cancelled gives an error reply.
    await stays.stop()
    #expect(await kept.value == .quicStopped)
    await waiting.cancelled()
    await server.stop()
  }

  @Test func manyRequestsEachGetTheirOwnReply() async throws {
    let good = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let body = Array("request \(number)".utf8)
          return await (try? client.request("echo", body: body, to: peer)) == body
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(good == 200)
    #expect(try await client.counts().connectionsMade == 1)
    await stop()
  }

  @Test func connectionsAreTold() async throws {
    _ = try await client.request("echo", to: peer)
    await stop()
    var told: [NetworkEndpoint.Event] = []
    for await event in client.events { told.append(event) }
    #expect(told == [.connected(peer), .closed(peer, reason: .quicStopped)])
    told = []
    for await event in server.events { told.append(event) }
    guard case .accepted(client.address, let key) = told.first else {
      Issue.record("\(told)")
      return
    }
    #expect(
      told == [.accepted(client.address, key: key), .left(client.address, key: key, reason: .quicClosed)])
  }

  @Test func anAddressInUseIsReportedAtOnce() async throws {
    await expectFailure(.socketInUse) { _ = try NetworkEndpoint(at: server.address) }
    await stop()
  }

  @Test func anEndpointThatIsLetGoEndsItsRequests() async throws {
    let events = try await Self.eventsOfAForgottenEndpoint(peer)
    var last: NetworkEndpoint.Event?
    for await event in events { last = event }
    #expect(last == .closed(peer, reason: .quicStopped))
    await stop()
  }

  private static func eventsOfAForgottenEndpoint(
    _ peer: NetworkPeer
  ) async throws -> AsyncStream<NetworkEndpoint.Event> {
    let endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"))
    _ = try await endpoint.request("echo", to: peer, timeout: .seconds(60))
    return endpoint.events
  }
}

private func failure(_ body: () async throws -> [UInt8]) async -> SessionError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? SessionError
  }
}

/// An error that is not the network's.
private struct Mishap: Error {}
