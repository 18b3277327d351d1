import FailingStorage
import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import TestCommunity
import Testing

@testable import SessionMessaging

/// Pages and answers that no honest server gives, or only a broken one.
@Suite(.timeLimit(.minutes(1))) struct RoomBadInputTests {
  /// A page of rows of the lobby, as a server may put it together.
  private struct Page {
    let world: CommunityWorld
    private var rows: [JSONValue] = []

    init(_ world: CommunityWorld) { self.world = world }

    /// Adds a text, signed by its author.
    mutating func add(
      _ text: String, by author: CommunityWorld.Visitor, number: Int64, sequence: Int64,
      editedAfter: Int64? = nil,
      postedAt: Double? = nil
    ) throws {
      let data = try author.encode(text)
      let now = Double(world.world.clock.now) / 1000
      var members: [JSONValue.Member] = [
        .init("id", .integer(number)), .init("seqno", .integer(sequence)),
        .init("session_id", .string(author.identity.author.description)),
        .init("posted", .decimal(postedAt ?? now)), .init("data", .string(data.base64)),
        .init("signature", .string(try author.identity.sign(post: data).base64)),
      ]
      if let editedAfter { members.append(.init("edited", .decimal(now + Double(editedAfter)))) }
      rows.append(.object(members))
    }

    mutating func add(_ row: JSONValue) { rows.append(row) }

    func read() throws -> CommunityPage {
      try CommunityCall<CommunityPage>.messages(.recent, in: world.room).answer(
        from: CommunityReply(status: 200, body: Array(JSONValue.array(rows).description.utf8)))
    }
  }

  private static let poll = Result {
    try CommunityCall<CommunityPoll>.poll(
      Community.Place(server: CommunityWorld.url, room: "lobby"), knowing: 0
    )
    .answer(
      from: CommunityReply(
        status: 200,
        body: Array(#"{"token":"lobby","active_users":1,"read":true,"write":true,"upload":true}"#.utf8)))
  }

  /// Alice in the lobby, which is empty.
  private func withAlice(
    _ body: (CommunityWorld, Messenger, CommunityWorld.Visitor) async throws -> Void
  ) async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await body(world, alice, try world.visitor())
    }
  }

  /// Takes a page as a poll of the lobby would.
  @discardableResult
  private func take(_ page: Page, _ messenger: Messenger, asked room: PolledRoom? = nil) async throws
    -> PageChange
  {
    let inbox = messenger.inbox.makeInbox(ofServer: CommunityWorld.url)
    let rooms = try await inbox.roomsToPoll()
    let asked = try #require(room ?? rooms.first)
    return try await inbox.take(try Self.poll.get(), try page.read(), and: [], of: asked)
  }

  private func cursor(_ messenger: Messenger) async throws -> Int64? {
    try await messenger.context.database.read {
      try $0.communities(on: CommunityWorld.url).first?.sequenceNumber
    }
  }

  // MARK: - Numbers

  /// Deployed servers send some whispers so. Another poll at once would bring the same page.
  @Test func rowsWithoutASequenceAreTakenAndDoNotMoveTheCursor() async throws {
    try await withAlice { world, alice, bob in
      var page = Page(world)
      for number in 1...3 { try page.add("\(number)", by: bob, number: Int64(number), sequence: 0) }
      let first = try await take(page, alice)
      #expect(first == PageChange(isNews: true, hasMovedCursor: false))
      #expect(try await take(page, alice) == PageChange())
      #expect(try await world.texts(alice) == ["1", "2", "3"])
      #expect(try await cursor(alice) == 0)
    }
  }

  @Test func aPageFromBeforeTheCursorDoesNotSetItBack() async throws {
    try await withAlice { world, alice, bob in
      var (page, older) = (Page(world), Page(world))
      try page.add("new", by: bob, number: 9, sequence: 20)
      try older.add("old", by: bob, number: 8, sequence: 5)
      try await take(page, alice)
      #expect(try await !take(older, alice).hasMovedCursor)
      #expect(try await cursor(alice) == 20)
      #expect(try await Set(world.texts(alice)) == ["old", "new"])
    }
  }

  @Test func oneNumberIsOneMessage() async throws {
    try await withAlice { world, alice, bob in
      var page = Page(world)
      try page.add("first", by: bob, number: 4, sequence: 7)
      try page.add("second", by: bob, number: 4, sequence: 8)
      try page.add("third", by: try world.visitor(), number: 4, sequence: 9)
      try await take(page, alice)
      #expect(try await world.texts(alice) == ["first"])
      #expect(try await cursor(alice) == 9)
    }
  }

  @Test func noOneElseEditsAMessage() async throws {
    try await withAlice { world, alice, bob in
      var (page, edit) = (Page(world), Page(world))
      try page.add("mine", by: bob, number: 4, sequence: 7)
      try edit.add("not mine", by: try world.visitor(), number: 4, sequence: 8, editedAfter: 60)
      try await take(page, alice)
      try await take(edit, alice)
      #expect(try await world.texts(alice) == ["mine"])
      #expect(try await alice.messages(in: world.conversation).first?.author == bob.identity.author)
    }
  }

  @Test(arguments: [4e9, 8_796_093_022_207, 1]) func aMessageOfAnotherAgeIsBad(postedAt: Double) async throws
  {
    try await withAlice { world, alice, bob in
      var page = Page(world)
      try page.add("from afar", by: bob, number: 4, sequence: 7, postedAt: postedAt)
      try page.add("now", by: bob, number: 5, sequence: 8)
      try await take(page, alice)
      #expect(try await world.texts(alice) == ["now"])
      #expect(try await world.badPosts(alice).map(\.number) == [4])
    }
  }

  @Test func theDeletionOfAnUnknownMessageIsPassedOver() async throws {
    try await withAlice { world, alice, bob in
      var page = Page(world)
      page.add(["id": 77, "seqno": 3, "data": .null, "deleted": true])
      try page.add("one", by: bob, number: 78, sequence: 4)
      try await take(page, alice)
      #expect(try await world.texts(alice) == ["one"])
      #expect(try await cursor(alice) == 4)
      #expect(try await world.badPosts(alice).isEmpty)
    }
  }

  @Test func aDeletionWinsOverReactionsInOneRow() async throws {
    try await withAlice { world, alice, bob in
      var (page, change) = (Page(world), Page(world))
      try page.add("one", by: bob, number: 4, sequence: 3)
      change.add([
        "id": 4, "seqno": 5, "data": .null, "deleted": true,
        "reactions": ["🦆": ["index": 0, "count": 2, "you": false]],
      ])
      try await take(page, alice)
      try await take(change, alice)
      let left = try #require(try await alice.messages(in: world.conversation).first)
      #expect(left.kind == .deleted && left.reactions.isEmpty)
    }
  }

  // MARK: - What is stored

  /// It got its number while the server made a page without it.
  @Test func ourPostDuringARequestForTheNewestIsNotTakenForDeleted() async throws {
    try await withAlice { world, alice, bob in
      let inbox = alice.inbox.makeInbox(ofServer: CommunityWorld.url)
      var asked = try #require(try await inbox.roomsToPoll().first)
      asked.wantsRecent = true
      let own = try await alice.send("ours", to: world.conversation)
      try await alice.waitUntilStored(own)
      let number = try #require(
        try await alice.context.database.read { try $0.interaction(own.record) }?.serverID)
      var page = Page(world)
      try page.add("before", by: bob, number: number - 1, sequence: 1)
      try page.add("after", by: bob, number: number + 1, sequence: 9)
      try await take(page, alice, asked: asked)
      #expect(try await world.texts(alice).contains("ours"))
    }
  }

  /// The disk fails with every statement that a page of a room writes.
  @Test func aFullDiskLosesNoMessageAndPassesNone() async throws {
    try await withCommunity { world in
      let fuse = FailingConnection.Fuse()
      let alice = try await world.world.start(
        Messenger(.generate(), try Database.failing(fuse), world.environment))
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      await alice.suspend()
      let bob = try world.visitor()
      var page = Page(world)
      for number in 1...3 {
        world.world.clock.advance(by: 10)
        try page.add("\(number)", by: bob, number: Int64(number), sequence: Int64(number))
      }
      var (statements, failures) = (0, 0)
      while failures < 500 {
        fuse.set(statements)
        let result = await Result.catching { try await take(page, alice) }
        fuse.set(nil)
        let texts = try await world.texts(alice)
        // The cursor is exactly behind what is stored.
        #expect(try await cursor(alice) == Int64(texts.count))
        #expect(texts == (1...3).prefix(texts.count).map { "\($0)" })
        guard case .failure = result else { break }
        failures += 1
        statements += 1
      }
      #expect(failures > 3)
      #expect(try await world.texts(alice) == ["1", "2", "3"])
    }
  }

  // MARK: - Access and limits

  @Test func accessThatComesAndGoesLosesNothing() async throws {
    try await withAlice { world, alice, bob in
      for (status, state) in [(403, RoomView.State.noAccess), (404, .noAccess), (200, .joined)] + [
        (404, .joined), (200, .joined),
      ] {
        try await bob.post("\(status)")
        world.server.decide { _, path in
          status != 200 && path.hasPrefix("/room/lobby") ? .refused(status) : .asUsual
        }
        // Visitors are not refused.
        _ = await world.poll(alice)
        #expect(try await alice.rooms().map(\.state) == [state])
        world.server.decide { _, _ in .asUsual }
      }
      #expect(try await world.texts(alice) == ["403", "404", "200", "404", "200"])
    }
  }

  /// The server switches to account ids: what was ours stays ours.
  @Test func aServerMayGiveUpBlindedIDs() async throws {
    try await withAlice { world, alice, bob in
      _ = try await alice.send("blinded", to: world.conversation)
      try await world.world.settle(rounds: 1)
      world.server.change { $0.capabilities = ["sogs", "reactions"] }
      #expect(await world.poll(alice))
      _ = try await alice.send("plain", to: world.conversation)
      try await world.world.settle(rounds: 1)
      let authors = world.server.change { $0.rooms["lobby"]?.messages.map { $0.author.prefix(2) } ?? [] }
      #expect(authors == ["15", "05"])
      #expect(await world.poll(alice))
      let shown = try await alice.messages(in: world.conversation)
      #expect(shown.count == 2 && shown.allSatisfy { $0.isOutgoing && $0.state == .sent })
    }
  }

  @Test func aPostThatIsThrottledTenTimesGoesOut() async throws {
    try await withAlice { world, alice, _ in
      let left = Countdown(10)
      world.server.decide { method, path in
        method == "POST" && path.hasSuffix("/message") && left.takeOne()
          ? .refused(429, retryAfter: 20) : .asUsual
      }
      _ = try await alice.send("patient", to: world.conversation)
      for _ in 1...60 where try await alice.messages(in: world.conversation).first?.state != .sent {
        world.world.clock.advance(by: 600_000)
        try await alice.waitUntilIdle()
      }
      #expect(try await alice.messages(in: world.conversation).map(\.state) == [.sent])
      #expect(world.server.change { $0.rooms["lobby"]?.messages.count } == 1)
    }
  }

  @Test func aReactionThatIsThrottledComesLater() async throws {
    try await withAlice { world, alice, bob in
      try await bob.post("one")
      #expect(await world.poll(alice))
      let left = Countdown(2)
      world.server.decide { _, path in
        path.contains("/reaction/") && left.takeOne() ? .refused(429, retryAfter: 99_999_999) : .asUsual
      }
      let id = try #require(try await alice.messages(in: world.conversation).first?.id)
      try await alice.react("🦆", to: id)
      for _ in 1...20 {
        world.world.clock.advance(by: 3_600_000)
        try await alice.waitUntilIdle()
      }
      #expect(world.server.change { $0.rooms["lobby"]?.messages.first?.reactions.map(\.emoji) } == ["🦆"])
      #expect(try await alice.message(id)?.changeFailure == nil)
    }
  }

  // MARK: - Ids

  @Test func theOtherPointOfOurIDIsNotOurs() throws {
    let account = try Account.generate()
    let server = try Account.generate().id.key
    let people = try SourcePeople(onServer: server, for: account, blocked: [])
    let own = try BlindedIdentity(of: account, on: server, scheme: .blinded15).id
    var key = own.key
    key[31] ^= 0x80
    let other = try SessionID(.blinded15, key: key)
    #expect(people.own.contains(own) && !people.own.contains(other))
    #expect(!people.areSame(own, other))
  }
}

/// Counts down.
private final class Countdown: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  /// Takes one; false if there is none.
  func takeOne() -> Bool {
    left.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }
}

extension Result where Failure == any Error {
  fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
