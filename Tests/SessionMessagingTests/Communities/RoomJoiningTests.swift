import Foundation
import SessionCore
import SessionJobs
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
      ("https://xn--bcher-kva.example/room?public_key=KEY", "https://xn--bcher-kva.example/room"),
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
      "https://h.example/room?Public_Key=KEY", "", "https://bücher.example/room?public_key=KEY",
      "https://h.example:65536/room?public_key=KEY", "https://h.example/räume?public_key=KEY",
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
      world.server.decide { _, path in path == "/sequence" ? .refused(405) : .asUsual }
      await #expect { try await alice.joinRoom(world.link) } throws: {
        MessengerError.Code.serverFailed ~= $0
      }
      try await Self.expectNothing(alice)
    }
  }

  /// No room, no conversation, no server and no job of joining is left.
  private static func expectNothing(_ messenger: Messenger) async throws {
    #expect(try await messenger.rooms().isEmpty)
    #expect(try await messenger.conversations().isEmpty)
    #expect(try await messenger.context.database.read { try $0.communityServers() }.isEmpty)
    let jobs = try await messenger.jobs().jobs.filter { $0.kind == RoomJoining.kind }
    #expect(jobs.allSatisfy { $0.state == .failed })
  }

  @Test(arguments: [TestCommunity.Fate.lost, .refused(502), .refused(429, retryAfter: 20)])
  func aRoomWhoseServerDoesNotAnswerIsJoinedLater(fate: TestCommunity.Fate) async throws {
    try await withCommunity { world in
      let account = try Account.generate()
      let (alice, other) = (try await world.device(of: account), try await world.device(of: account))
      world.server.decide { _, path in path == "/sequence" ? fate : .asUsual }
      #expect(try await alice.joinRoom(world.link) == world.conversation)
      #expect(try await alice.rooms().map(\.state) == [.joining])
      #expect(try await alice.rooms().map(\.name) == ["lobby"])
      await #expect { try await alice.send("hello", to: world.conversation) } throws: {
        MessengerError.Code.notAllowed ~= $0
      }
      // It is neither polled nor told to others before the server has let us in.
      #expect(await !world.poll(alice))
      try await world.world.settle()
      #expect(try await other.rooms().isEmpty)
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle { try await other.rooms().map(\.id) == [world.conversation] }
      #expect(try await alice.rooms().map(\.state) == [.joined])
      #expect(try await alice.rooms().map(\.name) == ["Lobby"])
      #expect(await world.poll(alice))
    }
  }

  @Test func aRoomThatNeverAnswersIsGivenUpWithTheReason() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      world.server.decide { _, path in path == "/sequence" ? .refused(502) : .asUsual }
      _ = try await alice.joinRoom(world.link)
      for _ in 1...40 where try await !alice.rooms().isEmpty {
        world.world.clock.advance(by: 3_600_000)
        try await alice.waitUntilIdle()
      }
      try await Self.expectNothing(alice)
      #expect(world.server.requests.count { $0 == "POST /sequence" } == 12)
      let failed = try await alice.jobs().jobs.filter { $0.kind == RoomJoining.kind }
      #expect(failed.map(\.state) == [.failed])
      #expect(try await alice.kinds().last == .conversationDeleted)
      // It can be tried again.
      world.server.decide { _, _ in .asUsual }
      try await alice.retryJob(try #require(failed.first).id)
      try await alice.waitUntilIdle()
      #expect(try await alice.rooms().map(\.state) == [.joined])
    }
  }

  /// As after an import: archives contain rooms, but no jobs.
  @Test func aWantedRoomWithoutItsJobIsJoinedAfterTheNextStart() async throws {
    try await withCommunity { world in
      let account = try Account.generate()
      try FileManager.default.createDirectory(
        atPath: world.world.folder, withIntermediateDirectories: true)
      let path = "\(world.world.folder)/restored.db"
      let key = try DatabaseKey(SecretBytes(copying: [UInt8](repeating: 1, count: 32)))
      func start() async throws -> Messenger {
        let database = try Database.open(path, key: key, schema: .account)
        return try await world.world.start(
          Messenger(account, database, world.environment, folder: "\(world.world.folder)/restored"))
      }
      world.server.decide { _, path in path == "/sequence" ? .lost : .asUsual }
      let before = try await start()
      _ = try await before.joinRoom(world.link)
      let job = try #require(try await before.jobs().jobs.first { $0.kind == RoomJoining.kind })
      await world.world.stop(before)
      let database = try Database.open(path, key: key, schema: .account)
      try await database.write { transaction in try transaction.deleteJob(job.id) }
      try database.close()
      world.server.decide { _, _ in .asUsual }
      let after = try await start()
      try await world.world.settle { try await after.rooms().map(\.state) == [.joined] }
    }
  }

  @Test func joiningIsGivenUpByLeaving() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      world.server.decide { _, path in path == "/sequence" ? .lost : .asUsual }
      _ = try await alice.joinRoom(world.link)
      try await alice.leaveRoom(world.conversation)
      try await Self.expectNothing(alice)
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle(rounds: 20)
      try await Self.expectNothing(alice)
    }
  }

  /// A link with a wrong key must not stand in the way of the right one.
  @Test func aKeyThatNothingHasProvenIsReplaced() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      world.server.decide { _, path in path == "/sequence" ? .lost : .asUsual }
      let wrong = try CommunityLink(
        parsing: "\(CommunityWorld.url)/garden?public_key=\([UInt8](repeating: 5, count: 32).hex)")
      _ = try await alice.joinRoom(wrong)
      world.server.decide { _, _ in .asUsual }
      #expect(try await alice.joinRoom(world.link) == world.conversation)
      #expect(try await alice.rooms().first { $0.id == world.conversation }?.state == .joined)
      let key = try await alice.context.database.read {
        try $0.communityServer(CommunityWorld.url)?.publicKey
      }
      #expect(key == world.server.key)
      // The other one is refused at last.
      try await world.world.settle { try await alice.rooms().count == 1 }
      #expect(try await alice.rooms().map(\.id) == [world.conversation])
    }
  }

  /// The server can be reached again when the second, wrong link is tried.
  @Test func aWrongLinkDoesNotEndJoiningByTheRightOne() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      world.server.decide { _, path in path == "/sequence" ? .lost : .asUsual }
      _ = try await alice.joinRoom(world.link)
      world.server.decide { _, path in path == "/sequence" ? .refused(405) : .asUsual }
      let key = [UInt8](repeating: 5, count: 32).hex
      let wrong = try CommunityLink(parsing: "\(CommunityWorld.url)/lobby?public_key=\(key)")
      await #expect { try await alice.joinRoom(wrong) } throws: { MessengerError.Code.serverFailed ~= $0 }
      #expect(try await alice.rooms().map(\.state) == [.joining])
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle { try await alice.rooms().map(\.state) == [.joined] }
      #expect(try await alice.rooms().map(\.state) == [.joined])
    }
  }

  /// The reply to the request is under way when the room is left.
  @Test func aRoomThatIsLeftDuringTheRequestStaysLeft() async throws {
    try await withCommunity { world in
      let held = HeldService(world.service)
      var environment = world.environment
      environment.communities = CommunityClient(through: held)
      let alice = try await world.world.start(
        Messenger(.generate(), .inMemory(schema: .account), environment))
      held.hold()
      let joining = Task { try await alice.joinRoom(world.link) }
      await held.waitUntilHeld()
      try await alice.leaveRoom(world.conversation)
      held.release()
      await #expect { try await joining.value } throws: { MessengerError.Code.noConversation ~= $0 }
      try await Self.expectNothing(alice)
    }
  }

  @Test func aRoomThatIsWantedUnderHTTPSDoesNotHideTheOther() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      let plain = try CommunityLink(parsing: world.link.description.replacing("https:", with: "http:"))
      world.server.decide { _, path in path == "/sequence" ? .lost : .asUsual }
      _ = try await alice.joinRoom(world.link)
      try await alice.author.edit { configs, _ in
        try configs.groups.update(plain) { _ in }
      } writing: { _, _, _ in
      }
      let http = Conversation.ID.room(try world.room.withOtherScheme)
      #expect(try await alice.rooms().contains { $0.id == http })
      try await alice.leaveRoom(world.conversation)
      #expect(try await alice.rooms().map(\.id) == [http])
    }
  }

  /// The server answers at last, and does not let us in.
  @Test func aRoomThatRefusesUsLaterIsRemoved() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      world.server.decide { _, path in path == "/sequence" ? .lost : .asUsual }
      _ = try await alice.joinRoom(world.link)
      world.server.change { $0.rooms = [:] }
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle { try await alice.rooms().isEmpty }
      try await Self.expectNothing(alice)
    }
  }

  /// Another device was in the room, and leaves it while we join.
  @Test func whatOtherDevicesLeftDoesNotEndJoining() async throws {
    try await withCommunity { world in
      let account = try Account.generate()
      let other = try await world.device(of: account)
      _ = try await other.joinRoom(world.link)
      try await world.world.settle()
      try await other.leaveRoom(world.conversation)
      world.server.decide { _, _ in .lost }
      let alice = try await world.device(of: account)
      _ = try await alice.joinRoom(world.link)
      try await world.world.settle()
      #expect(try await alice.rooms().map(\.state) == [.joining])
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle { try await other.rooms().map(\.id) == [world.conversation] }
      #expect(try await alice.rooms().map(\.state) == [.joined])
    }
  }

  @Test func ofOneRoomUnderTwoSchemesTheSaferIsShown() async throws {
    try await withCommunity { world in
      let account = try Account.generate()
      let alice = try await world.device(of: account)
      let plain = try CommunityLink(parsing: world.link.description.replacing("https:", with: "http:"))
      let (http, https) = (try world.room.withOtherScheme, world.room)
      for link in [plain, world.link] {
        try await alice.author.edit { configs, _ in
          try configs.groups.update(link) { _ in }
        } writing: {
          _, _, _ in
        }
      }
      #expect(try await alice.rooms().map(\.id) == [.room(https)])
      let polled = try await alice.context.database.read { transaction in
        try [http, https].map { place in try transaction.communities(on: place.server).map(\.isPolled) }
      }
      #expect(polled == [[false], [true]])
      // The other one comes back when the first is left.
      try await alice.leaveRoom(.room(https))
      #expect(try await alice.rooms().map(\.id) == [.room(http)])
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
      #expect(record?.scheme == (wants25 ? .blinded25 : .unblinded))
      #expect(await world.poll(alice))
    }
  }
}

/// Holds replies back until the test has done something else.
private final class HeldService: ServerService {
  private let service: any ServerService
  private let state = Mutex<(isHolding: Bool, reply: CheckedContinuation<Void, Never>?)>((false, nil))
  private let (held, telling) = AsyncStream.makeStream(of: Void.self)

  init(_ service: any ServerService) { self.service = service }

  func hold() { state.withLock { $0.isHolding = true } }

  func waitUntilHeld() async {
    for await _ in held { return }
  }

  func release() {
    state.withLock { state in
      state.isHolding = false
      return state.reply.take()
    }?.resume()
  }

  func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    let response = try await service.send(request, to: server, delivery)
    await withCheckedContinuation { reply in
      let isHeld = state.withLock { state in
        guard state.isHolding, state.reply == nil else { return false }
        state.reply = reply
        return true
      }
      if isHeld { telling.yield() } else { reply.resume() }
    }
    return response
  }
}
