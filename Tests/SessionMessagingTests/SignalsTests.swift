import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// What programs show of an account besides its events.
@Suite(.timeLimit(.minutes(1))) struct SignalsTests {
  @Test func typingBeginsAndEnds() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      for device in [alice, bob] { try await device.setTypingIndicators(true) }
      var heard = bob.signals([.typing]).makeAsyncIterator()
      try await alice.setTyping(true, in: .person(bob.id))
      await bob.poll()
      #expect(await heard.next() == .typing(alice.id, isTyping: true))
      world.clock.advance(by: 16_000)
      #expect(await heard.next() == .typing(alice.id, isTyping: false))
      try await alice.setTyping(true, in: .person(bob.id))
      await bob.poll()
      #expect(await heard.next() == .typing(alice.id, isTyping: true))
      // The message itself ends it.
      try await alice.send("typed", to: bob.id)
      try await world.settle()
      #expect(await heard.next() == .typing(alice.id, isTyping: false))
    }
  }

  @Test func transfersNameTheirMessageAndFile() async throws {
    try await withAliceAndBob { world, alice, bob in
      let signals = alice.signals([.transfer])
      let files = [[1, 2, 3], [UInt8](repeating: 7, count: 1000)].map { OutgoingFile(.bytes($0)) }
      let sent = try await alice.send("", attachments: files, to: bob.id)
      try await world.settle()
      var heard: Set<MessengerSignal> = []
      let ends: Set<MessengerSignal> = [
        .transfer(sent, number: 1, done: 3, total: 3), .transfer(sent, number: 2, done: 1000, total: 1000),
      ]
      for await signal in signals {
        heard.insert(signal)
        if heard.isSuperset(of: ends) { break }
      }
      #expect(heard.isSuperset(of: ends))
      await world.stop()
    }
  }

  @Test func theStateOfTheNetworkAndTheJobsComesAtOnce() async throws {
    try await withAliceAndBob { world, alice, bob in
      var network = alice.signals([.network]).makeAsyncIterator()
      #expect(await network.next() == .network(isReachable: true))
      var jobs = alice.signals([.jobs]).makeAsyncIterator()
      guard case .jobs(let waiting, 0)? = await jobs.next() else {
        Issue.record("no jobs")
        return
      }
      // It cannot be delivered, so that its jobs stay.
      world.swarms.decide { _, _ in .refused(NetworkFailure(.transient, "no path")) }
      try await alice.send("later", to: bob.id)
      while let signal = await jobs.next() {
        if case .jobs(let more, _) = signal, more > waiting { break }
      }
      await world.stop()
      #expect(await network.next() == nil)
    }
  }
}
