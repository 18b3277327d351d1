import SessionCore
import Synchronization
import Testing
import Waking

@testable import SessionHTTP

@Suite(.timeLimit(.minutes(5))) struct WakingTests {
  @Test func aBodyReaderCanBeCancelledWhileAPieceArrives() async throws {
    let found = Mutex<Bool?>(nil)
    let (attempts, attempting) = AsyncStream.makeStream(of: Void.self)
    try await withSite { request in
      var wasPrompt: Bool?
      // No reader is woken if the piece arrives before it waits.
      while wasPrompt == nil, !Task.isCancelled {
        attempting.yield()
        wasPrompt = await cancelledWhileWoken { _ = try? await request.body.next() }
      }
      found.withLock { $0 = wasPrompt }
      attempting.finish()
      return .text(200, "read")
    } body: { site in
      let peer = try RawPeer(to: site.server.address)
      await peer.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
      for await _ in attempts { await peer.send("a piece") }
    }
    #expect(found.withLock(\.self) == true)
  }

  @Test func waitingForTheLastRequestCanBeCancelledWhileItEnds() async throws {
    let gates = Mutex((began: Gate(), leave: Gate()))
    try await withSite { _ in
      let (began, leave) = gates.withLock { $0 }
      began.open()
      await leave.wait()
      return .text(200, "done")
    } body: { site in
      var wasPrompt: Bool?
      // No waiter is woken if the request ends before it waits.
      while wasPrompt == nil {
        try Task.checkCancellation()
        gates.withLock { $0 = (Gate(), Gate()) }
        async let reply = site.call()
        await gates.withLock(\.began).wait()
        async let outcome = cancelledWhileWoken { await site.server.engine.callbacks.waitUntilEmpty() }
        await Task.yield()
        gates.withLock(\.leave).open()
        wasPrompt = await outcome
        let status = try await reply.status
        #expect(status == 200)
      }
      #expect(wasPrompt == true)
    }
  }
}
