import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Somebody who stores whatever they like in our swarm.
@Suite struct HostileTests {
  enum Attack: CaseIterable {
    case copyForOurDevices, timerCopyForOurDevices, otherTimeInside, noTime, ownEverything
    case unsendOfOthers, bareContent, emptyContent, twoSeals, legacyConfig
  }

  private func data(
    of attack: Attack, by mallory: Account, against world: World, _ alice: Messenger, _ bob: Messenger
  )
    async throws -> [UInt8]
  {
    let now = UInt64(world.clock.now)
    func content(_ content: MessageContent, at time: UInt64? = nil) throws -> [UInt8] {
      try Message(content, sentAt: MessageTime(milliseconds: time ?? now)).bytes()
    }
    let text = MessageContent.visible(try VisibleMessage(body: "forged"))
    switch attack {
    case .copyForOurDevices:
      let copy = MessageContent.visible(try VisibleMessage(body: "forged", syncTarget: alice.id))
      return try forged(try content(copy), by: mallory, for: bob.id, at: now)
    case .timerCopyForOurDevices:
      let copy = MessageContent.timerUpdate(ExpirationTimerUpdate(syncTarget: alice.id))
      return try forged(try content(copy), by: mallory, for: bob.id, at: now)
    case .otherTimeInside:
      return try forged(try content(text, at: now - 1), by: mallory, for: bob.id, at: now)
    case .noTime: return try forged(try content(text), by: mallory, for: bob.id, at: 0)
    case .ownEverything:
      // Sealed for somebody else, and passed on.
      return try forged(try content(text), by: mallory, for: alice.id, at: now)
    case .unsendOfOthers:
      let target = try await bob.last(in: alice.id)
      let request = UnsendRequest(
        targetSentAt: try MessageTime(milliseconds: UInt64(target.sentAt)), targetAuthor: target.author)
      return try forged(try content(.unsend(request)), by: mallory, for: bob.id, at: now)
    case .bareContent: return try content(text)
    case .emptyContent: return try forged([], by: mallory, for: bob.id, at: now)
    case .twoSeals:
      let inner = try forged(try content(text), by: mallory, for: bob.id, at: now)
      return try forged(inner, by: mallory, for: bob.id, at: now)
    case .legacyConfig: return try forged([0x5A, 0], by: mallory, for: bob.id, at: now)
    }
  }

  @Test(arguments: Attack.allCases) func nothingForgedIsShown(_ attack: Attack) async throws {
    try await withAliceAndBob { world, alice, bob in
      let mallory = try Account.generate()
      let before = try await bob.messages(in: .person(alice.id))
      let conversations = try await bob.conversations().compactMap(\.id.account)
      world.swarms.put(
        try await data(of: attack, by: mallory, against: world, alice, bob), to: bob.id)
      try await world.settle()
      #expect(try await bob.messages(in: .person(alice.id)) == before)
      #expect(try await bob.conversations().compactMap(\.id.account) == conversations)
      #expect(try await bob.requests().isEmpty)
      #expect(try await bob.contacts().map(\.id) == [alice.id])
      try await alice.send("honest", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "honest")
    }
  }

  @Test func aForgeryThatIsWellMadeIsAnOrdinaryMessage() async throws {
    try await withAliceAndBob { world, alice, bob in
      let mallory = try Account.generate()
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let content = try Message(.visible(VisibleMessage(body: "well made")), sentAt: time).bytes()
      world.swarms.put(
        try forged(content, by: mallory, for: bob.id, at: time.milliseconds), to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: mallory.id).body == "well made")
    }
  }

  @Test func nothingThatIsCutOrBentBreaksAnything() async throws {
    try await withAliceAndBob { world, alice, bob in
      let mallory = try Account.generate()
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let whole = try mallory.encode(
        Message(.visible(VisibleMessage(body: "whole")), sentAt: time), for: .contact(bob.id))
      for length in stride(from: 0, to: whole.count, by: 7) {
        world.swarms.put(Array(whole.prefix(length)), to: bob.id)
        var bent = whole
        bent[length] ^= 0x10
        world.swarms.put(bent, to: bob.id)
      }
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).count == 2)
      // A message that was changed only outside the seal may still be shown once.
      let shown =
        try await bob.conversation(.person(mallory.id)) == nil ? [] : try await bob.bodies(in: mallory.id)
      #expect(shown.count <= 1)
      #expect(await bob.pollCondition().failures == 0)
    }
  }

  @Test(arguments: [2001, 9000, 10_000])
  func aLongTextIsStoredWholeAndShownInPart(length: Int) async throws {
    try await withAliceAndBob { world, alice, bob in
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let body = String(repeating: "x", count: length)
      let content = try Message(.visible(VisibleMessage(body: body)), sentAt: time).bytes()
      world.swarms.put(
        try forged(content, by: alice.context.account, for: bob.id, at: time.milliseconds), to: bob.id)
      try await world.settle()
      let message = try await bob.last(in: alice.id)
      #expect(message.body.count == 2000 && message.isTruncated)
      #expect(message.fullBody.count == min(length, VisibleMessage.maxCharacters))
    }
  }

  @Test func aTimerThatRunsForEverIsNoTrouble() async throws {
    try await withAliceAndBob { world, alice, bob in
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let message = try Message(
        .visible(VisibleMessage(body: "for ever")), sentAt: time,
        disappearing: DisappearingTimer(.afterSend, seconds: .max))
      world.swarms.put(try alice.context.account.encode(message, for: .contact(bob.id)), to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "for ever")
    }
  }

  @Test func futureDatedProfileDoesNotBlockNewerOnes() async throws {
    try await withAliceAndBob { world, alice, bob in
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let profile = try MessageProfile(name: "For ever", updatedAtSeconds: UInt64(Int64.max / 2000))
      let message = try Message(
        .visible(VisibleMessage(body: "my last name", profile: profile)), sentAt: time)
      world.swarms.put(try alice.context.account.encode(message, for: .contact(bob.id)), to: bob.id)
      try await world.settle()
      #expect(try await bob.conversation(.person(alice.id))?.name == "Alice")
      try await alice.setName("Alicia")
      try await alice.send("renamed", to: bob.id)
      try await world.settle()
      #expect(try await bob.conversation(.person(alice.id))?.name == "Alicia")
    }
  }

  @Test func futureTimestampsDoNotPinAConversationToTheTop() async throws {
    try await withAliceAndBob { world, alice, bob in
      let stranger = try Account.generate()
      let future = try MessageTime(milliseconds: UInt64(world.clock.now) + 1_000_000_000_000)
      let message = try Message(.visible(VisibleMessage(body: "first!")), sentAt: future)
      world.swarms.put(try stranger.encode(message, for: .contact(bob.id)), to: bob.id)
      try await world.settle()
      try await bob.acceptRequest(.person(stranger.id))
      try await alice.send("later", to: bob.id)
      try await world.settle()
      #expect(try await bob.conversations().compactMap(\.id.account) == [alice.id, stranger.id])
    }
  }
}
