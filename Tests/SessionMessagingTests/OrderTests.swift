import SessionCore
import SessionNetworking
import Synchronization
import Testing

@testable import SessionMessaging

/// The messages of one sender reach a swarm in the order in which they were sent.
@Suite(.timeLimit(.minutes(5))) struct OrderTests {
  @Test func messagesKeepTheirOrderAcrossFailures() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = world.swarms.kept(bob.id).count
      // Each request with messages is refused, then stored without a reply, then stored. Requests with configs succeed:
      // counted with the others they could take every turn in which a message would be stored.
      let calls = Mutex<[SessionID: Int]>([:])
      world.swarms.decide { swarm, sent in
        guard sent.contains(where: { $0.namespace == .messages }) else { return .done }
        let call = calls.withLock { calls in
          calls[swarm, default: 0] += 1
          return calls[swarm, default: 0]
        }
        switch call % 3 {
        case 0: return .done
        case 1: return .refused(NetworkFailure(.transient, "no path"))
        default: return .lost
        }
      }
      let texts = (0..<25).map { "line \($0)" }
      for text in texts { try await alice.send(text, to: bob.id) }
      for _ in 0..<40 where world.swarms.kept(bob.id).count < before + texts.count {
        try await world.settle(rounds: 1)
      }
      world.swarms.decide { _, _ in .done }
      try await world.settle()
      #expect(try bob.texts(world.swarms.kept(bob.id).dropFirst(before)) == texts)
      #expect(try alice.texts(world.swarms.kept(alice.id)).suffix(texts.count) == texts)
      for message in try await alice.messages(in: .person(bob.id), limit: texts.count) {
        #expect(message.state == .sent)
      }
    }
  }

  @Test func waitingMessagesShareARequest() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await alice.suspend()
      for number in 0..<20 { try await alice.send("\(number)", to: bob.id) }
      let before = world.swarms.changes
      await alice.resume()
      try await world.settle()
      #expect(try await alice.last(in: bob.id).state == .sent)
      // Two requests of ten messages, two of ten copies, and what configs need.
      #expect(world.swarms.changes - before < 10)
    }
  }

  @Test func aTextDoesNotOvertakeTheFileBeforeIt() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = world.swarms.kept(bob.id).count
      world.files.decide { _ in .held }
      let file = OutgoingFile(.bytes(Array("text".utf8)), name: "a.txt")
      try await alice.send(OutgoingText("with a file"), attachments: [file], to: bob.id)
      try await alice.send("behind it", to: bob.id)
      try await alice.send("last", to: bob.id)
      await world.files.untilHeld()
      #expect(world.swarms.kept(bob.id).count == before)
      world.files.decide { _ in .done }
      world.files.release()
      try await world.settle()
      #expect(
        try bob.texts(world.swarms.kept(bob.id).dropFirst(before)) == ["with a file", "behind it", "last"])
    }
  }

  @Test func aMessageThatFailsDoesNotHoldUpTheNext() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await alice.suspend()
      let refused = try await alice.send("refused", to: bob.id)
      let next = try await alice.send("next", to: bob.id)
      let calls = Mutex(0)
      world.swarms.decide { swarm, _ in
        guard swarm == bob.id else { return .done }
        // Once with the next one, and once alone.
        let isRefused = calls.withLock { calls in
          calls += 1
          return calls <= 2
        }
        return isRefused ? .refused(NetworkFailure(.rejected, "not this one")) : .done
      }
      await alice.resume()
      try await world.settle()
      #expect(try await alice.message(refused)?.state == .failed("not this one"))
      #expect(try await alice.message(next)?.state == .sent)
    }
  }

  @Test func aMessageDeletedWhileItTravelsIsUnsent() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await alice.suspend()
      try await alice.send("first", to: bob.id)
      let second = try await alice.send("second", to: bob.id)
      world.swarms.decide { swarm, _ in swarm == bob.id ? .held : .done }
      await alice.resume()
      await world.swarms.untilHeld()
      try await alice.delete(second, .forEveryone)
      world.swarms.decide { _, _ in .done }
      world.swarms.release()
      try await world.settle()
      #expect(try await alice.message(second)?.kind == .deleted)
      #expect(try await bob.bodies(in: alice.id).suffix(1) == ["first"])
    }
  }
}

extension Messenger {
  /// The texts of visible messages in a swarm of this account's, in the order in which it keeps them.
  fileprivate nonisolated func texts(_ messages: some Sequence<SwarmMessage>) throws -> [String] {
    try messages.compactMap { message in
      let received = try context.account.decode(message.data, from: .ownSwarm)
      guard case .visible(let visible) = received.message.content else { return nil }
      return visible.body
    }
  }
}
