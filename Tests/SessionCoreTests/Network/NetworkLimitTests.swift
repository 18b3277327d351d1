import SessionBase
import Testing

@testable import SessionCore
@testable import SessionEndpoint

/// The behaviour of an endpoint under overload.
@Suite(.timeLimit(.minutes(5))) struct NetworkLimitTests {
  private let loopback: NetworkAddress
  private let identity: NetworkIdentity

  init() throws {
    loopback = try NetworkAddress(parsing: "127.0.0.1:0")
    identity = try NetworkIdentity(seed: SecretBytes(copying: [UInt8](repeating: 8, count: 32)))
  }

  @Test func tooManyRequestsAtOnceAreRefused() async throws {
    // True for a handler, false for a request that has ended.
    let begun = AsyncStream.makeStream(of: Bool.self)
    let never = AsyncStream.makeStream(of: Void.self)
    let wait: NetworkEndpoint.Handler = { _ in
      begun.continuation.yield(true)
      for await _ in never.stream {}
      return []
    }
    let server = try NetworkEndpoint(
      at: loopback, options: .init(identity: identity, handlers: ["wait": wait]))
    var patient = NetworkEndpoint.Options()
    patient.handshakeTimeout = .seconds(60)
    patient.requestTimeout = .seconds(600)
    let client = try NetworkEndpoint(at: loopback, options: patient)
    let peer = try NetworkPeer(address: server.address, key: identity.publicKey)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<EndpointDriver.maxHandling {
        group.addTask {
          _ = try? await client.request("wait", to: peer)
          begun.continuation.yield(false)
        }
      }
      var entered = begun.stream.makeAsyncIterator()
      for _ in 0..<EndpointDriver.maxHandling { #expect(await entered.next() == true) }
      do throws(SessionError) {
        _ = try await client.request("wait", to: peer)
        Issue.record("one more was taken")
      } catch {
        #expect(error.refusal == NetworkRefusal(503, "Service Unavailable", details: "Try again later."))
      }
      await client.stop()
    }
    await server.stop()
  }

  @Test func theOldestEventsAreDropped() async throws {
    var hasty = NetworkEndpoint.Options()
    hasty.handshakeTimeout = .milliseconds(1)
    let client = try NetworkEndpoint(at: loopback, options: hasty)
    // Nothing listens there; each failed connection is reported.
    let peers = try (1...EndpointDriver.maxEvents + 40).map { number in
      let address = try NetworkAddress(parsing: "127.0.0.1:\(number)")
      return try NetworkPeer(address: address, key: identity.publicKey)
    }
    for peer in peers { _ = try? await client.request("echo", to: peer) }
    await client.stop()
    var told: [NetworkEndpoint.Event] = []
    for await event in client.events { told.append(event) }
    #expect(told == peers.suffix(EndpointDriver.maxEvents).map { .closed($0, reason: .quicUnreachable) })
  }

  @Test func requestsAreRefusedWhenTooMuchWorkWaits() async throws {
    let reporting = AsyncStream.makeStream(of: NetworkEndpoint.Event.self).continuation
    let driver = EndpointDriver(handlers: [:], reporting: reporting)
    _ = try driver.open(at: loopback, options: .init())
    // Its thread has not started, so all of it waits.
    for _ in 0..<EndpointDriver.maxQueued { try driver.enqueue(limit: EndpointDriver.maxQueued) { _, _ in } }
    let peer = try NetworkPeer(address: NetworkAddress(parsing: "127.0.0.1:1"), key: identity.publicKey)
    let call = OutgoingCall(to: peer, command: "echo", body: [], timeout: 0)
    let outcome = await call.pending.outcome({ driver.begin(call) }, onCancel: {})
    #expect(throws: SessionError.self) { try outcome.get() }
    if case .failure(let error) = outcome { #expect(error.code == .runtimeBusy) }
    // Work that is not a request is still accepted.
    try driver.enqueue { _, _ in }
    try driver.start()
    driver.stop(grace: 0)
  }
}
