import SessionCore
import Testing

@testable import SessionMessaging

/// The settings of an account and of a conversation.
@Suite struct SettingsTests {
  @Test func settingsAreReadBack() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, _ in
      let first = MessengerSettings(
        usesReadReceipts: false, usesTypingIndicators: false, takesCommunityRequests: nil)
      #expect(try await alice.settings() == first)
      let tablet = try await world.device(of: alice.context.account)
      try await alice.setReadReceipts(true)
      try await alice.setTypingIndicators(true)
      try await alice.setCommunityRequests(false)
      try await world.settle()
      #expect(
        try await alice.settings()
          == MessengerSettings(
            usesReadReceipts: true, usesTypingIndicators: true, takesCommunityRequests: false))
      // Only what strangers may do is a matter of the account.
      #expect(
        try await tablet.settings()
          == MessengerSettings(
            usesReadReceipts: false, usesTypingIndicators: false, takesCommunityRequests: false))
    }
  }

  @Test func pinningAndHidingLeaveEachOtherAlone() async throws {
    try await withAliceAndBob { _, alice, bob in
      try await alice.setPinned(true, .person(bob.id))
      try await alice.setHidden(false, .person(bob.id))
      #expect(try await alice.conversation(.person(bob.id))?.isPinned == true)
      try await alice.setHidden(true, .person(bob.id))
      try await alice.setPinned(false, .person(bob.id))
      #expect(try await alice.conversations().isEmpty)
    }
  }

  @Test func messagesFromBeforeItWasHiddenDoNotShowAConversation() async throws {
    try await withAliceAndBob { world, alice, bob in
      func sealed(_ body: String) throws -> [UInt8] {
        let time = try MessageTime(milliseconds: UInt64(world.clock.now))
        return try bob.context.account.encode(
          Message(.visible(VisibleMessage(body: body)), sentAt: time), for: .contact(alice.id))
      }
      let late = try sealed("from before")
      world.clock.advance(by: 600_000)
      try await alice.setHidden(true, .person(bob.id))
      try await world.settle()
      // One that does not know when the conversation was hidden takes the time of the configs.
      let tablet = try await world.device(of: alice.context.account)
      try await world.settle()
      world.swarms.put(late, to: alice.id)
      try await world.settle()
      for device in [alice, tablet] {
        #expect(try await device.conversations().isEmpty)
        #expect(try await device.search("from before").messages.isEmpty)
      }
      world.clock.advance(by: 600_000)
      world.swarms.put(try sealed("from now"), to: alice.id)
      try await world.settle()
      for device in [alice, tablet] {
        #expect(try await device.conversations().map(\.id) == [.person(bob.id)])
        #expect(try await device.bodies(in: bob.id).last == "from now")
      }
    }
  }

  @Test func hiddenConversationReturnsWithAMessage() async throws {
    try await withAliceAndBob { world, alice, bob in
      let tablet = try await world.device(of: alice.context.account)
      try await world.settle()
      let before = try await alice.bodies(in: bob.id)
      try await alice.setHidden(true, .person(bob.id))
      try await world.settle()
      for device in [alice, tablet] {
        #expect(try await device.conversations().isEmpty)
        #expect(try await device.bodies(in: bob.id) == before)
      }
      try await alice.setHidden(false, .person(bob.id))
      try await world.settle()
      for device in [alice, tablet] {
        #expect(try await device.conversations().compactMap(\.id.account) == [bob.id])
      }
      try await alice.setHidden(true, .person(bob.id))
      try await world.settle()
      try await bob.send("Are you there?", to: alice.id)
      try await world.settle()
      for device in [alice, tablet] {
        #expect(try await device.conversations().compactMap(\.id.account) == [bob.id])
      }
    }
  }
}
