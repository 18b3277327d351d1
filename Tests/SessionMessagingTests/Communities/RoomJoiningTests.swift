import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import TestCommunity
import Testing

@testable import SessionMessaging

/// Links as people find them.
@Suite struct TypedLinkTests {
  private static let key = String(repeating: "a1", count: 32)

  @Test(
    arguments: [
      ("https://h.example/room?public_key=KEY", "https://h.example/room"),
      ("https://h.example/r/room?public_key=KEY", "https://h.example/room"),
      ("https://h.example/r/room/?public_key=KEY", "https://h.example/room"),
      ("https://h.example/room?x=1&public_key=KEY", "https://h.example/room"),
      ("https://h.example/room?public_key=KEY&x=1&y", "https://h.example/room"),
      ("h.example/room?public_key=KEY", "https://h.example/room"),
      ("http://h.example:8080/room?public_key=KEY", "http://h.example:8080/room"),
      ("https://116.203.70.33/session?public_key=KEY", "https://open.getsession.org/session"),
      ("http://116.203.70.33/session?public_key=KEY", "https://open.getsession.org/session"),
      ("http://open.getsession.org/session?public_key=KEY", "https://open.getsession.org/session"),
    ])
  func linksLeadToRooms(text: String, address: String) throws {
    let link = try CommunityLink(typed: text.replacing("KEY", with: Self.key))
    #expect("\(link.server)/\(link.room)" == address)
    #expect(link.serverKey == [UInt8](repeating: 0xa1, count: 32))
    #expect(CommunityLink(link.description) == link)
  }

  @Test(
    arguments: [
      "https://h.example/room", "https://h.example/room/?public_key=KEY",
      "https://h.example/r/?public_key=KEY",
      "https://h.example/a/b/room?public_key=KEY", "https://h.example/room?public_key=KEY&public_key=KEY",
      "https://h.example/room?public_key=KEY#top", "https://me@h.example/room?public_key=KEY",
      "https://h.example/room?public_key=", "ftp://h.example/room?public_key=KEY",
      "https://h.example/room?Public_Key=KEY", "",
    ])
  func otherTextsAreNoLinks(text: String) {
    #expect((try? CommunityLink(typed: text.replacing("KEY", with: Self.key))) == nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct RoomJoiningTests {
  @Test func aJoinedRoomIsAConversationOnAllDevices() async throws {
    try await withCommunity { world in
      let account = try Account.generate()
      let (one, other) = (try await world.device(of: account), try await world.device(of: account))
      #expect(try await one.joinRoom(world.link) == world.conversation)
      let room = try #require(try await one.rooms().first)
      #expect(room.id == world.conversation && room.name == "Lobby" && room.state == .joined)
      #expect(room.permissions == [.read, .write, .upload])
      let shown = try #require(try await one.conversation(world.conversation))
      #expect(shown.kind == .community && shown.name == "Lobby")
      try await world.world.settle()
      #expect(try await other.rooms().map(\.id) == [world.conversation])
      #expect(await world.poll(other))
      #expect(try await other.rooms().map(\.state) == [.joined])
    }
  }

  /// As after an update from a version that knew no rooms.
  @Test func roomsThatWereMergedWithoutRowsAppear() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await world.world.settle()
      let address = world.conversation.address
      try await alice.context.database.write { [jobTime = alice.context.jobTime] transaction in
        let thread = try #require(try transaction.thread(at: address))
        try transaction.delete(thread, at: jobTime)
        try transaction.deleteServer(CommunityWorld.url)
      }
      #expect(try await alice.rooms().isEmpty)
      alice.author.owesSettling.withLock { $0 = true }
      try await world.world.settle()
      #expect(try await alice.rooms().map(\.id) == [world.conversation])
    }
  }

  @Test func aRoomThatIsGoneIsAskedAgainWhenItIsJoined() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await alice.context.write { [room = world.room, context = alice.context] transaction, now in
        try transaction.close(room, as: .gone, at: now, context)
      }
      #expect(try await alice.joinRoom(world.link) == world.conversation)
      #expect(try await alice.rooms().map(\.state) == [.joined])
    }
  }

  @Test func joiningAgainChangesNothing() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let kinds = try await alice.kinds()
      let http = try CommunityLink(
        parsing: world.link.description.replacing("https:", with: "http:").replacing("lobby", with: "LOBBY"))
      #expect(try await alice.joinRoom(http) == world.conversation)
      #expect(try await alice.kinds() == kinds)
    }
  }

  @Test func aServerIsKnownByOneKey() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let key = [UInt8](repeating: 5, count: 32).hex
      for room in ["lobby", "garden"] {
        let other = try CommunityLink(parsing: "\(CommunityWorld.url)/\(room)?public_key=\(key)")
        await #expect { try await alice.joinRoom(other) } throws: { MessengerError.Code.keyDiffers ~= $0 }
      }
    }
  }

  @Test func aRoomThatIsNotThereIsNotJoined() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      let link = try CommunityLink(
        parsing: world.link.description.replacing("/lobby?", with: "/nowhere?"))
      await #expect { try await alice.joinRoom(link) } throws: { MessengerError.Code.noRoom ~= $0 }
      world.server.decide { _, path in path == "/sequence" ? .refused(502) : .asUsual }
      await #expect { try await alice.joinRoom(world.link) } throws: {
        MessengerError.Code.serverFailed ~= $0
      }
      #expect(try await alice.rooms().isEmpty)
      #expect(try await alice.conversations().isEmpty)
    }
  }

  @Test func leavingDeletesTheRoomOnAllDevicesAndForgetsTheServer() async throws {
    try await withCommunity { world in
      let account = try Account.generate()
      let (one, other) = (try await world.device(of: account), try await world.device(of: account))
      _ = try await one.joinRoom(world.link)
      try await world.world.settle()
      try await one.leaveRoom(world.conversation)
      try await world.world.settle()
      for device in [one, other] {
        #expect(try await device.rooms().isEmpty)
        #expect(try await device.context.database.read { try $0.communityServers() }.isEmpty)
        #expect(await !world.poll(device))
      }
      await #expect { try await one.leaveRoom(world.conversation) } throws: {
        MessengerError.Code.noConversation ~= $0
      }
    }
  }

  @Test func aRoomIsPinnedMutedAndReadOnAllDevices() async throws {
    try await withCommunity { world in
      let account = try Account.generate()
      let (one, other) = (try await world.device(of: account), try await world.device(of: account))
      _ = try await one.joinRoom(world.link)
      try await world.world.settle()
      let bob = try world.visitor()
      try await bob.post("first")
      for device in [one, other] { #expect(await world.poll(device)) }
      try await bob.post("second")
      for device in [one, other] { #expect(await world.poll(device)) }
      try await one.setPinned(true, world.conversation)
      try await one.setNotified(.ofMentions, world.conversation)
      try await one.markRead(world.conversation)
      try await world.world.settle()
      let shown = try #require(try await other.conversation(world.conversation))
      #expect(shown.isPinned && shown.notifying == .ofMentions && shown.unreadMessages == 0)
      #expect(await world.poll(other))
    }
  }

  /// Servers that refuse the first generation of blinded ids list the second.
  @Test(arguments: [false, true]) func idsHaveTheFormThatTheServerTakes(wants25: Bool) async throws {
    try await withCommunity { world in
      world.server.change { state in
        state.capabilities = wants25 ? ["sogs", "blind", "blind25"] : ["sogs"]
        state.requires25 = wants25
      }
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      let record = try await alice.context.database.read { try $0.communityServer(CommunityWorld.url) }
      // A join stores what it learnt only once there is a server to keep it for.
      #expect(record?.scheme == (wants25 ? .blinded25 : .unblinded))
      #expect(await world.poll(alice))
    }
  }
}
