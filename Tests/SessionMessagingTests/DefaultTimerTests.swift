import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// The timer of conversations that we begin.
@Suite struct DefaultTimerTests {
  private func timer(_ mode: DisappearingTimer.Mode = .afterSend) throws -> DisappearingTimer {
    try DisappearingTimer(mode, seconds: 3600)
  }

  @Test func theFirstMessageBringsTheTimer() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      try await alice.setDefaultTimer(timer(.afterRead))
      try await alice.send("Hello", to: bob.id)
      try await alice.send("again", to: bob.id)
      #expect(try await alice.conversation(.person(bob.id))?.timer == timer(.afterRead))
      let kinds = try await alice.messages(in: .person(bob.id)).reversed().map(\.kind)
      #expect(kinds == [.note(.timerChanged), .message, .message])
      // Another device of ours learns it from the configs.
      let tablet = try await world.device(of: alice.context.account)
      try await world.settle()
      #expect(try await tablet.conversation(.person(bob.id))?.timer == timer(.afterRead))
      let got = try await bob.context.database.read { transaction in
        let thread = try #require(try transaction.thread(at: alice.id.address))
        return try transaction.page(of: thread.id, limit: 9).filter { $0.kind == .incoming }.map(\.expiry)
      }
      #expect(got == [ExpiryTimer(.afterRead, seconds: 3600), ExpiryTimer(.afterRead, seconds: 3600)])
    }
  }

  @Test func answersAndExceptionsGetNoDefaultTimer() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      try await bob.setDefaultTimer(timer())
      try await alice.setDefaultTimer(timer())
      var text = OutgoingText("Hello")
      text.skipsDefaultTimer = true
      try await alice.send(text, to: bob.id)
      #expect(try await alice.conversation(.person(bob.id))?.timer == nil)
      try await world.settle()
      try await bob.send("Hello to you", to: alice.id)
      try await world.settle()
      for (device, other) in [(alice, bob.id), (bob, alice.id)] {
        #expect(try await device.conversation(.person(other))?.timer == nil)
      }
    }
  }

  @Test func aTimerThatWasSwitchedOffStaysSo() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      try await alice.setDefaultTimer(timer())
      try await alice.send("no timer: there are messages", to: bob.id)
      #expect(try await alice.conversation(.person(bob.id))?.timer == nil)
      try await alice.send("to myself", to: alice.id)
      #expect(try await alice.conversation(.person(alice.id))?.timer == nil)
    }
  }

  @Test func groupsHaveItFromTheirCreation() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setDefaultTimer(timer(.afterRead))
      let group = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      var without = GroupDraft(name: "Tour")
      without.usesDefaultTimer = false
      let other = try await alice.createGroup(without)
      #expect(try await alice.conversation(group)?.timer == timer(.afterSend))
      #expect(try await alice.conversation(other)?.timer == nil)
    }
  }

  @Test func theSettingHasLimitsAndIsForgotten() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let long = try DisappearingTimer(.afterSend, seconds: DefaultTimer.longest + 1)
      let vague = try DisappearingTimer(.unspecified, seconds: 60)
      for timer in [long, vague] {
        let error = await #expect(throws: MessengerError.self) { try await alice.setDefaultTimer(timer) }
        #expect(error?.code == .notAllowed)
      }
      try await alice.setDefaultTimer(timer())
      #expect(try await alice.settings().defaultTimer == timer())
      try await alice.setDefaultTimer(nil)
      #expect(try await alice.settings().defaultTimer == nil)
      #expect(MessengerSettings.archived.contains("defaultTimer"))
    }
  }
}
