import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Deliveries stored by another version of the program.
@Suite struct StoredDeliveryTests {
  /// A payload in the form of the first version.
  private func first(
    _ item: SwarmItem, to swarm: SessionID, _ role: String, _ interaction: Int64, copy: SwarmItem? = nil
  ) -> [UInt8] {
    let copy = copy.map {
      #""copy":{"data":"\#($0.data.base64)","milliseconds":1209600000,"namespace":0},"#
    }
    return Array(
      (#"{\#(copy ?? "")"interaction":\#(interaction),"parcels":[{"data":"\#(item.data.base64)","#
        + #""milliseconds":1209600000,"namespace":0}],"role":"\#(role)","swarm":"\#(swarm)"}"#).utf8)
  }

  @Test func payloadsOfTheFirstVersionAreRead() throws {
    let swarm = "05" + String(repeating: "ab", count: 32)
    let text = """
      {"copy":{"data":"BAUG","milliseconds":1209600000,"namespace":0},"interaction":7,"isTimeUncertain":true,\
      "keepsOrder":true,"parcels":[{"data":"AQID","milliseconds":60000,"namespace":0}],"role":"message",\
      "swarm":"\(swarm)"}
      """
    let delivery = try Delivery.decode(Array(text.utf8), version: 1)
    #expect(delivery.swarm.description == swarm && delivery.role == .message && delivery.interaction == 7)
    #expect(try delivery.items.map { try $0.item() } == [SwarmItem([1, 2, 3], for: .seconds(60))])
    #expect(try delivery.copy?.item() == SwarmItem([4, 5, 6], for: .seconds(1_209_600)))
    #expect(delivery.isTimeUncertain == true && delivery.keepsOrder == true && delivery.unsealed == nil)
    #expect(delivery.partition == swarm && delivery.uniqueKey == "message:7")
  }

  @Test func messagesSealedByTheFirstVersionAreDelivered() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await alice.suspend()
      let id = try await alice.send("from before", to: bob.id)
      let (own, outbox) = (alice.id, alice.outbox)
      // The row is in the form of the first version.
      try await alice.context.write { [bob = bob.id, first = first] transaction, _ in
        let key = Delivery.key(.message, id.rawValue)
        var job = try #require(try transaction.job(Delivery.kind, for: key))
        let message = try #require(try transaction.interaction(id.record))
        let content = try transaction.visibleContent(of: message, profile: nil)
        let sealed = try #require(
          try outbox.seal(Message(.visible(content), sentAt: message.time), for: bob, in: transaction))
        job.payload = first(sealed.item, bob, "message", id.rawValue, sealed.copy)
        job.version = 1
        try transaction.update(job)
      }
      let before = (world.swarms.kept(bob.id).count, world.swarms.kept(own).count)
      await alice.resume()
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sent)
      #expect(try await bob.last(in: own).body == "from before")
      #expect(world.swarms.kept(bob.id).count == before.0 + 1)
      #expect(world.swarms.kept(own).count == before.1 + 1)
    }
  }

  @Test func messagesOfTheFirstVersionWhoseConversationIsGoneAreNotSent() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await alice.suspend()
      let id = try await alice.send("never", to: bob.id)
      let before = world.swarms.kept(bob.id).count
      try await alice.context.write { [bob = bob.id, first = first] transaction, _ in
        var job = try #require(
          try transaction.job(Delivery.kind, for: Delivery.key(.message, id.rawValue)))
        let item = try #require(try Delivery.decode(job.payload, version: job.version).items.first)
          .item()
        job.payload = first(item, bob, "message", id.rawValue, nil)
        job.version = 1
        job.threadID = nil
        try transaction.update(job)
        try transaction.deleteThread(try transaction.conversation(.person(bob)).id)
      }
      await alice.resume()
      try await world.settle()
      #expect(world.swarms.kept(bob.id).count == before)
      let left = try await alice.jobs().jobs.filter { $0.kind == Delivery.kind }
      #expect(left.allSatisfy { $0.state == .failed && $0.failure == "its message was deleted" })
    }
  }

  /// A payload of this version whose message goes to a conversation.
  private func payload(in conversation: String, of swarm: SessionID) -> [UInt8] {
    Array(
      (#"{"parcels":[],"role":"message","swarm":"\#(swarm)","unsealed":{"content":"","conversation":"#
        + #""\#(conversation)","sentAt":1}}"#).utf8)
  }

  @Test func payloadsWithUnknownDestinationsAreRejected() throws {
    let group = try WorldGroup().id
    for conversation in [group.description, "https://chat.example.org/lobby"] {
      #expect(throws: Never.self) {
        try Delivery.decode(payload(in: conversation, of: group), version: 2)
      }
    }
    for other in [try WorldGroup().id, try Account.generate().id] {
      #expect(throws: JobError.self) {
        try Delivery.decode(payload(in: other.description, of: group), version: 2)
      }
    }
    #expect(throws: DecodingError.self) {
      try Delivery.decode(payload(in: "somewhere", of: group), version: 2)
    }
  }
}
