import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A stranger writes once, and never again. Every device of the recipient shows the request, whenever it comes online and
/// whatever the other devices changed meanwhile.
@Suite struct LostRequestTests {
  private static let hour: Int64 = 3_600_000

  /// Bob has a phone that is online; a stranger has written to it, and an hour later it changed its contacts.
  private func withRequest(
    _ change: @escaping @Sendable (_ phone: Messenger, _ friend: SessionID) async throws -> Void,
    _ body: (World, _ phone: Messenger, _ stranger: SessionID) async throws -> Void
  ) async throws {
    try await withAliceAndBob { (world, alice, phone) async throws in
      let stranger = try await world.device(of: .generate(), name: "Mallory")
      try await stranger.send("May I?", to: phone.id)
      try await world.settle()
      #expect(try await phone.requests().compactMap(\.id.account) == [stranger.id])
      world.clock.advance(by: Self.hour)
      try await change(phone, alice.id)
      try await world.settle()
      try await body(world, phone, stranger.id)
    }
  }

  private static let changes: [@Sendable (Messenger, SessionID) async throws -> Void] = [
    { phone, friend in try await phone.setNickname("Al", of: friend) },
    { phone, friend in try await phone.setPinned(true, .person(friend)) },
    { phone, friend in try await phone.block(friend) },
    { phone, friend in try await phone.setHidden(true, .person(friend)) },
    { phone, friend in try await phone.deleteConversation(.person(friend)) },
    { phone, _ in try await phone.send("hello", to: Account.generate().id) },
  ]

  @Test(arguments: changes.indices) func requestsSurviveEditsOnOtherDevices(change: Int) async throws {
    try await withRequest(Self.changes[change]) { (world, phone, stranger) async throws in
      for days in [0, 3] {
        world.clock.advance(by: Int64(days) * 24 * Self.hour)
        let device = try await world.device(of: phone.context.account)
        try await world.settle()
        #expect(try await device.requests().map(\.id).contains(.person(stranger)))
        #expect(try await device.bodies(in: stranger) == ["May I?"])
      }
    }
  }

  @Test func requestsArriveOnADeviceThatWasOffline() async throws {
    try await withAliceAndBob { (world, alice, phone) async throws in
      let desk = try await world.device(of: phone.context.account)
      try await world.settle()
      await desk.suspend()
      let stranger = try await world.device(of: .generate(), name: "Mallory")
      try await stranger.send("May I?", to: phone.id)
      await phone.poll()
      world.clock.advance(by: Self.hour)
      try await phone.setNickname("Al", of: alice.id)
      try await world.settle()
      world.clock.advance(by: 3 * 24 * Self.hour)
      await desk.resume()
      try await world.settle()
      #expect(try await desk.requests().map(\.id) == [.person(stranger.id)])
    }
  }

  @Test func requestsSurviveEditsBetweenPages() async throws {
    try await withAliceAndBob { (world, alice, phone) async throws in
      world.swarms.setPageSize(3)
      let strangers = try (0..<20).map { _ in try Account.generate() }
      for stranger in strangers {
        let message = try Message(
          .visible(VisibleMessage(body: "May I?")),
          sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
        world.swarms.put(try stranger.encode(message, for: .contact(phone.id)), to: phone.id)
      }
      world.clock.advance(by: Self.hour)
      for round in 0..<4 {
        await phone.poll()
        try await phone.setNickname("Al \(round)", of: alice.id)
        world.clock.advance(by: Self.hour)
      }
      try await world.settle(rounds: 8)
      #expect(Set(try await phone.requests().compactMap(\.id.account)) == Set(strangers.map(\.id)))
    }
  }

  @Test func deletedConversationsStayDeletedOnAllDevices() async throws {
    try await withAliceAndBob { (world, alice, phone) async throws in
      let desk = try await world.device(of: phone.context.account)
      try await world.settle()
      let sentAt = world.clock.now
      world.clock.advance(by: Self.hour)
      try await phone.deleteConversation(.person(alice.id))
      try await world.settle()
      let message = try Message(
        .visible(VisibleMessage(body: "late")), sentAt: MessageTime(milliseconds: UInt64(sentAt)))
      world.swarms.put(try alice.context.account.encode(message, for: .contact(phone.id)), to: phone.id)
      world.clock.advance(by: 24 * Self.hour)
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await device.conversation(.person(alice.id)) == nil)
        #expect(try await device.requests().isEmpty)
      }
      try await alice.send("again", to: phone.id)
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await device.bodies(in: alice.id) == ["again"])
        #expect(try await device.requests().map(\.id) == [.person(alice.id)])
      }
    }
  }

  @Test func tombstonesAreForgottenAfterAMonth() async throws {
    try await withAliceAndBob { (world, alice, phone) async throws in
      try await phone.deleteConversation(.person(alice.id))
      try await world.settle()
      let address = alice.id.address
      #expect(
        try await phone.context.database.read { transaction in try transaction.tombstone(of: address) } != nil
      )
      world.clock.advance(by: TombstoneRecord.lifetime + 24 * Self.hour)
      try await world.settle()
      #expect(
        try await phone.context.database.read { transaction in try transaction.tombstone(of: address) } == nil
      )
    }
  }
}
