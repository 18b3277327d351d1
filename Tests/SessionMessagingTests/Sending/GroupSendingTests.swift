import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Messages to groups are sealed and signed when they are delivered.
@Suite(.timeLimit(.minutes(5))) struct GroupSendingTests {
  @Test func membersReadMessagesSentToTheGroup() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let id = try await bob.send("hello", to: group.conversation)
      #expect(try await bob.message(id)?.state == .sending)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
      let stored = group.kept(in: world)
      #expect(stored.count == 1)
      let received = try group.opened(try #require(stored.first).data, by: alice)
      #expect(received.sender == bob.id && received.profile?.0.name == "Bob")
      for messenger in [alice, bob] { #expect(try await group.bodies(messenger) == ["hello"]) }
    }
  }

  @Test func groupMessagesHaveNoCopies() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let before = world.swarms.kept(bob.id).count
      await bob.suspend()
      let id = try await bob.send("only here", to: group.conversation)
      let deliveries = try await bob.context.database.read { transaction in
        try transaction.jobs(.waiting, limit: 100).filter { $0.kind == Delivery.kind }
      }
      #expect(deliveries.count == 1)
      await bob.resume()
      try await world.settle()
      #expect(world.swarms.kept(bob.id).count == before)
      let events = try await bob.events(limit: 1000).filter { $0.message == id }
      #expect(events.map(\.kind) == [.messageQueued, .messageSent])
      #expect(events.allSatisfy { $0.conversation == group.conversation })
    }
  }

  @Test func hashesAreRememberedBeforeTheReplyArrives() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.lost, in: world)
      let id = try await bob.send("mine", to: group.conversation)
      try await world.settle(rounds: 1)
      let hash = try #require(group.kept(in: world).first?.hash)
      #expect(try await bob.message(id)?.state == .sending)
      #expect(
        try await bob.context.database.read { transaction in
          try transaction.hasSeen(hash, in: group.id.address)
        })
      group.decide(.done, in: world)
      try await world.settle()
      #expect(try await bob.row(id).serverHash == hash)
    }
  }

  @Test func groupTimersStartOnSending() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try await alice.author.edit { [group] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.disappearsAfterSeconds = 3600 }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      let id = try await bob.send("soon gone", to: group.conversation)
      try await world.settle()
      let row = try await bob.row(id)
      #expect(row.expiry.seconds == 3600 && row.expiryStartedAt == row.sentAt)
      let item = try #require(group.attempts(in: world).first?.items.first)
      #expect(item.lifetime == .seconds(3600))
      #expect(try group.opened(item.data, by: alice).message.disappearing?.mode == .afterSend)
    }
  }

  @Test func laterGroupMessagesWaitForEarlierFiles() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.files.decide { _ in .held }
      let file = OutgoingFile(.bytes(Array("map".utf8)), name: "map.txt")
      try await bob.send(OutgoingText("the map"), attachments: [file], to: group.conversation)
      try await bob.send("as promised", to: group.conversation)
      await world.files.untilHeld()
      #expect(group.attempts(in: world).isEmpty)
      world.files.decide { _ in .done }
      world.files.release()
      try await world.settle()
      #expect(try group.texts(in: world, by: alice) == ["the map", "as promised"])
      #expect(try await group.bodies(alice) == ["the map", "as promised"])
      let first = try #require(try await alice.messages(in: group.conversation).last)
      #expect(first.attachments.map(\.name) == ["map.txt"])
    }
  }

  @Test func groupMessagesKeepTheirOrderAcrossFailures() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let calls = Mutex(0)
      group.decide(in: world) {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        return [.done, .offline, .lost][call % 3]
      }
      let texts = (0..<8).map { "line \($0)" }
      for text in texts { try await bob.send(text, to: group.conversation) }
      for _ in 0..<20 where group.kept(in: world).count < texts.count {
        try await world.settle(rounds: 1)
      }
      group.decide(.done, in: world)
      try await world.settle()
      #expect(try group.texts(in: world, by: alice) == texts)
      #expect(try await group.bodies(alice) == texts)
    }
  }

  // MARK: - Rejected messages

  @Test func messagesToGroupsThatWeAreNotInAreRejected() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let other = try WorldGroup()
      let refused: @Sendable (Conversation.ID) async throws -> Void = { conversation in
        await #expect {
          try await bob.send("let me in", to: conversation)
        } throws: { error in
          MessengerError.Code.notMember ~= error
            && "\(error)" == "you are not in this group: ask one of its admins to invite you"
        }
      }
      try await refused(other.conversation)
      try await group.kick(bob)
      try await refused(group.conversation)
      #expect(try await group.bodies(bob) == [])
      #expect(
        try await bob.context.database.read { transaction in try transaction.thread(at: other.id.address) }
          == nil)
    }
  }

  @Test func failedGroupMessagesCanBeSentAgain() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.refused(NetworkFailure(.rejected, "not this one")), in: world)
      let id = try await bob.send("again", to: group.conversation)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .failed("not this one"))
      group.decide(.done, in: world)
      try await bob.resend(id)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
      #expect(try await group.bodies(alice) == ["again"])
    }
  }

  @Test func groupMessagesAreDeletedHereWithoutARequest() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let id = try await bob.send("hm", to: group.conversation)
      try await world.settle()
      await expectFailure(.notAllowed) { try await bob.delete(id, .onOwnDevices) }
      try await bob.delete(id, .here)
      try await world.settle()
      #expect(try await bob.row(id).kind == .outgoingDeletedLocally)
      #expect(try await group.bodies(alice) == ["hm"])
      #expect(group.attempts(in: world).count == 1)
    }
  }

  @Test func groupMessagesAreDatedByTheNetworksTime() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let account = bob.context.account
      await world.stop(bob)
      world.swarms.forgetTime()
      world.swarms.setReachable(false)
      let late = try await world.device(of: account, aheadBy: -86_400_000)
      try await group.join(late)
      let id = try await late.send("what day is it", to: group.conversation)
      #expect(try await late.message(id)?.sentAt == world.clock.now - 86_400_000)
      let sentAt = world.clock.now
      world.swarms.setReachable(true)
      try await world.settle(rounds: 5)
      #expect(try await late.message(id)?.state == .sent)
      #expect(try await late.message(id)?.sentAt == sentAt)
      #expect(try await alice.messages(in: group.conversation).first?.sentAt == sentAt)
    }
  }
}
