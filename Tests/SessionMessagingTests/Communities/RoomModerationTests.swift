import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// What moderators and admins do, and what others may not.
@Suite(.timeLimit(.minutes(1))) struct RoomModerationTests {
  /// Alice as an admin of the lobby, where Bob has written.
  private func withAdmin(
    _ body: (CommunityWorld, Messenger, CommunityWorld.Visitor, MessageView.ID) async throws -> Void
  ) async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("hello")
      try await world.appoint(alice, asAdmin: true)
      let id = try #require(try await alice.messages(in: world.conversation, limit: 1).first?.id)
      try await body(world, alice, bob, id)
    }
  }

  @Test func pinnedMessagesThatAreNotHereAreFetched() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      try await world.post((1...150).map { "\($0)" }, by: bob)
      let forged = try await bob.post("forged", isForged: true)
      world.server.change { state in
        let at = state.rooms["lobby"]?.created ?? 0
        state.rooms["lobby"]?.pins = [1, 140, forged].map {
          (number: $0, at: at, by: bob.identity.author.description)
        }
      }
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      let pins = try #require(try await alice.room(world.conversation)).pins
      #expect(pins.map { $0.message?.body } == [nil, "140", nil])
      #expect(pins.map { $0.copy?.body } == ["1", nil, nil])
      #expect(pins[0].copy?.author == bob.identity.author)
      // It is not among the messages: there would be a gap after it.
      #expect(try await world.texts(alice).contains("1") == false)
    }
  }

  @Test func pinsAreShownOnceTheServerHasThem() async throws {
    try await withAdmin { world, alice, _, id in
      try await alice.act(.pin(id), in: world.conversation)
      let pins = try #require(try await alice.room(world.conversation)).pins
      #expect(pins.map { $0.message?.id } == [id])
      #expect(pins.map(\.pinnedBy) == [try world.id(of: alice)])
      try await alice.act(.unpin(nil), in: world.conversation)
      #expect(try await alice.room(world.conversation)?.pins == [])
    }
  }

  @Test func pinsOfPeopleWhoAreBlockedLaterAreNotShown() async throws {
    try await withAdmin { world, alice, bob, id in
      try await alice.act(.pin(id), in: world.conversation)
      #expect(try await alice.room(world.conversation)?.pins.count == 1)
      try await alice.block(bob.account.id)
      #expect(try await alice.room(world.conversation)?.pins.isEmpty == true)
      try await alice.unblock(bob.account.id)
      #expect(try await alice.room(world.conversation)?.pins.count == 1)
    }
  }

  @Test func moderatorsRemoveEverybodysReactions() async throws {
    try await withAdmin { world, alice, bob, id in
      let number = try #require(
        try await alice.context.database.read { transaction in try transaction.message(id).0.serverID })
      for emoji in ["🦆", "🐙"] { _ = try await bob.call(try .react(emoji, to: number, in: world.room)) }
      #expect(await world.poll(alice))
      func reactions() async throws -> [String]? {
        try await alice.message(id)?.reactions.map(\.emoji).sorted()
      }
      #expect(try await reactions()?.count == 2)
      try await alice.act(.clearReactions(id, emoji: "🦆"), in: world.conversation)
      #expect(await world.poll(alice))
      #expect(try await reactions() == ["🐙"])
      try await alice.act(.clearReactions(id, emoji: nil), in: world.conversation)
      #expect(await world.poll(alice))
      #expect(try await reactions() == [])
      await #expect(throws: MessengerError.self) {
        try await alice.act(.clearReactions(id, emoji: "a/b"), in: world.conversation)
      }
    }
  }

  @Test func moderatorsAreListed() async throws {
    try await withAdmin { world, alice, bob, _ in
      try await alice.act(.appoint(bob.identity.author, .moderator), in: world.conversation)
      let moderators = try #require(try await alice.room(world.conversation)).moderators
      #expect(Set(moderators.map(\.id)) == [try world.id(of: alice), bob.identity.author])
      #expect(moderators.filter(\.isAdmin).map(\.id) == [try world.id(of: alice)])
      let roles = try #require(try await alice.roles(inRoom: world.conversation))
      let other = try BlindedIdentity(of: bob.account, on: world.server.key, scheme: .blinded25).id
      for id in [bob.identity.author, other, bob.account.id] { #expect(roles.role(of: id) == .moderator) }
      #expect(roles.role(of: try world.id(of: alice)) == .admin)
      #expect(roles.role(of: try world.visitor().identity.author) == .member)
      try await alice.act(.appoint(bob.identity.author, .member), in: world.conversation)
      #expect(try await alice.room(world.conversation)?.moderators.count == 1)
    }
  }

  @Test func aBannedPersonCannotPost() async throws {
    try await withAdmin { world, alice, bob, _ in
      let person = bob.identity.author
      try await alice.act(
        .ban(person, onServer: false, seconds: nil, deletesAll: true), in: world.conversation)
      #expect(try await world.texts(alice).isEmpty)
      await #expect(throws: NetworkFailure.self) { try await bob.post("no") }
      // There is nothing left to delete, and the ban holds.
      try await alice.act(
        .ban(person, onServer: false, seconds: 60, deletesAll: true), in: world.conversation)
      try await alice.act(.unban(person, onServer: false), in: world.conversation)
      try await bob.post("back")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["back"])
      for _ in 1...2 { try await alice.act(.deleteAll(person, onServer: false), in: world.conversation) }
      #expect(try await world.texts(alice).isEmpty)
    }
  }

  @Test func aMutedPersonWritesAgainLater() async throws {
    try await withAdmin { world, alice, bob, _ in
      try await alice.act(.mute(bob.identity.author, seconds: 60), in: world.conversation)
      await #expect(throws: NetworkFailure.self) { try await bob.post("no") }
      world.world.clock.advance(by: 61_000)
      try await bob.post("yes")
    }
  }

  @Test func aMuteIsEndedEarly() async throws {
    try await withCommunity { world in
      let (alice, bob) = (try await world.device(of: .generate()), try world.visitor())
      _ = try await alice.joinRoom(world.link)
      try await world.appoint(alice)
      try await alice.act(.mute(bob.identity.author, seconds: 3600), in: world.conversation)
      await #expect(throws: NetworkFailure.self) { try await bob.post("muted") }
      try await alice.act(.unmute(bob.identity.author), in: world.conversation)
      try await bob.post("again")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["again"])
    }
  }

  @Test func mutesAreRefusedWhereOnlySomeMayWrite() async throws {
    try await withAdmin { world, alice, bob, _ in
      world.server.change { $0.rooms["lobby"]?.canWrite = false }
      await #expect {
        try await alice.act(.mute(bob.identity.author, seconds: 60), in: world.conversation)
      } throws: { MessengerError.Code.notAllowed ~= $0 }
      #expect(!world.server.requests.contains { $0.contains("ermissions/") })
    }
  }

  @Test func aMuteWithoutAnEndIsReported() async throws {
    try await withAdmin { world, alice, bob, _ in
      world.server.decide { _, path in path.contains("/futurePermissions/") ? .refused(500) : .asUsual }
      await #expect {
        try await alice.act(.mute(bob.identity.author, seconds: 60), in: world.conversation)
      } throws: { "\($0)".contains("without an end") }
    }
  }

  @Test func theNameOfARoomIsChanged() async throws {
    try await withAdmin { world, alice, _, _ in
      try await alice.act(.describe(name: "Hall", description: "for all"), in: world.conversation)
      let room = try #require(try await alice.room(world.conversation)).room
      #expect(room.name == "Hall" && room.description == "for all")
      try await alice.act(.describe(name: nil, description: ""), in: world.conversation)
      #expect(try await alice.room(world.conversation)?.room.description == nil)
    }
  }

  @Test func thePictureOfARoomIsChanged() async throws {
    try await withAdmin { world, alice, _, _ in
      let picture = png(8, 8, noise(300))
      try await alice.setPicture(picture, ofRoom: world.conversation)
      try await alice.waitUntilIdle()
      #expect(try await alice.picture(ofRoom: world.conversation) == picture)
      await #expect { try await alice.setPicture(noise(10), ofRoom: world.conversation) } throws: {
        MessengerError.Code.fileUnavailable ~= $0
      }
    }
  }

  @Test func whispersReachOnlyTheirRecipients() async throws {
    try await withAdmin { world, alice, bob, _ in
      let carol = try await world.device(of: .generate())
      _ = try await carol.joinRoom(world.link)
      world.world.clock.advance(by: 5000)
      let text = OutgoingText("psst", whisper: .person(try world.id(of: carol)))
      try await alice.waitUntilStored(try await alice.send(text, to: world.conversation))
      world.world.clock.advance(by: 5000)
      let other = OutgoingText("mods only", whisper: .moderators)
      try await alice.waitUntilStored(try await alice.send(other, to: world.conversation))
      #expect(await world.poll(carol))
      let shown = try await carol.messages(in: world.conversation, limit: 1)
      #expect(shown.map(\.body) == ["psst"])
      #expect(shown.map(\.whisper) == [.person(try world.id(of: carol))])
      let page = try await bob.call(.messages(.recent, in: world.room))
      #expect(page.messages.count == 1)
    }
  }

  @Test func membersMayNotModerate() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("hello")
      #expect(await world.poll(alice))
      let id = try #require(try await alice.messages(in: world.conversation, limit: 1).first?.id)
      let asked = world.server.requests.count
      let person = bob.identity.author
      let actions: [RoomAction] = [
        .pin(id), .unpin(nil), .ban(person, onServer: false, seconds: nil, deletesAll: false),
        .unban(person, onServer: true), .mute(person, seconds: 1), .deleteAll(person, onServer: false),
        .appoint(person, .admin), .describe(name: "x", description: nil),
      ]
      for action in actions {
        await #expect { try await alice.act(action, in: world.conversation) } throws: {
          MessengerError.Code.notAllowed ~= $0
        }
      }
      await #expect {
        try await alice.send(OutgoingText("psst", whisper: .moderators), to: world.conversation)
      } throws: { MessengerError.Code.notAllowed ~= $0 }
      // Nothing of that was asked of the server.
      #expect(world.server.requests.count == asked)
    }
  }

  @Test func theRoomsOfAServerAreListed() async throws {
    try await withCommunity { world in
      world.server.change { $0.addRoom("hall", name: "Hall") }
      let alice = try await world.device(of: .generate())
      await #expect { try await alice.rooms(on: CommunityWorld.url) } throws: {
        MessengerError.Code.noRoom ~= $0
      }
      let listed = try await alice.rooms(on: world.link.description)
      #expect(listed.map(\.name) == ["Hall", "Lobby"])
      _ = try await alice.joinRoom(try CommunityLink(parsing: try #require(listed.last).link))
      #expect(try await alice.rooms(on: CommunityWorld.url).map(\.link) == listed.map(\.link))
    }
  }
}
