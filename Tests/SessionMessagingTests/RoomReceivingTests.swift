import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// Messages of rooms of community servers, which the receiver of all messages takes.
@Suite(.timeLimit(.minutes(1))) struct RoomReceivingTests {
  /// A room that Alice reads, and somebody who writes there.
  private struct Lobby {
    let world = World()
    let room: Community.Place
    let alice: Messenger
    let visitor: Account
    let author: SessionID
    let inbox: RoomInbox

    init() async throws {
      let rooms = try HistoryRooms(world.servers)
      let database = try Database.inMemory(schema: .account)
      try rooms.join(database)
      room = rooms.lobby
      alice = try Messenger(.generate(), database, world.environment)
      visitor = try .generate()
      author = try BlindedIdentity(of: visitor, on: HistoryRooms.key, scheme: .blinded15).id
      inbox = alice.inbox.makeInbox(ofServer: room.server)
    }

    func post(_ number: Int64, _ content: MessageContent, timer: DisappearingTimer? = nil) throws
      -> ServerPost
    {
      let now = try alice.context.time()
      let message = try Message(content, sentAt: now, disappearing: timer)
      return ServerPost(
        number: number, author: author, postedAt: now, data: try visitor.encode(message, for: .community))
    }

    func post(_ number: Int64, _ text: String) throws -> ServerPost {
      try post(number, .visible(VisibleMessage(body: text)))
    }

    func keep(_ posts: [ServerPost]) async throws {
      try await inbox.keep(posts, of: room, upTo: posts.map(\.number).max() ?? 0)
    }

    func shown() async throws -> [MessageView] { try await alice.messages(in: .room(room)).reversed() }
  }

  @Test func messagesOfOneMillisecondAreShownInTheOrderOfTheirNumbers() async throws {
    let lobby = try await Lobby()
    try await lobby.keep([lobby.post(3, "three"), lobby.post(1, "one"), lobby.post(2, "two")])
    let shown = try await lobby.shown()
    #expect(shown.map(\.body) == ["one", "two", "three"])
    #expect(Set(shown.map(\.author)) == [lobby.author] && shown.allSatisfy { !$0.isOutgoing })
    await lobby.world.stop()
  }

  @Test func manyMessagesOfOneMillisecondAreAllShownInOrder() async throws {
    let lobby = try await Lobby()
    let count = 3 * MessageReceiver.mostSteps
    let posts = try (1...count).map { try lobby.post(Int64($0), "\($0)") }
    try await lobby.keep(Array(posts.prefix(count / 2)))
    try await lobby.keep(Array(posts.dropFirst(count / 2)))
    #expect(try await lobby.shown().map(\.body) == (1...count).map { "\($0)" })
    await lobby.world.stop()
  }

  @Test func aRepeatedPageChangesNothing() async throws {
    let lobby = try await Lobby()
    let page = try [lobby.post(1, "one"), lobby.post(2, "two")]
    try await lobby.keep(page)
    let events = try await lobby.alice.kinds()
    try await lobby.keep(page + [lobby.post(3, "three")])
    #expect(try await lobby.shown().map(\.body) == ["one", "two", "three"])
    #expect(try await lobby.alice.kinds() == events + [.messageReceived])
    await lobby.world.stop()
  }

  @Test func aPageOfARoomThatWeLeftIsDropped() async throws {
    let lobby = try await Lobby()
    try await lobby.alice.context.database.write { [room = lobby.room] transaction in
      guard let thread = try transaction.thread(at: Conversation.ID.room(room).address) else { return }
      try transaction.delete(thread, at: 0)
    }
    try await lobby.keep([lobby.post(1, "one")])
    await #expect { try await lobby.shown() } throws: { MessengerError.Code.noConversation ~= $0 }
    #expect(try await lobby.alice.kinds().isEmpty)
    await lobby.world.stop()
  }

  @Test func mentionsOfOurIdOnTheServerAreDetected() async throws {
    let lobby = try await Lobby()
    let own = try BlindedIdentity(
      of: lobby.alice.context.account, on: HistoryRooms.key, scheme: .blinded15
    ).id
    try await lobby.keep([
      lobby.post(1, "@\(own) look"), lobby.post(2, "@\(lobby.author) look"),
    ])
    #expect(try await lobby.shown().map(\.mentionsUs) == [true, false])
    await lobby.world.stop()
  }

  @Test func postsOfOurOtherDevicesAreOutgoing() async throws {
    let lobby = try await Lobby()
    let account = lobby.alice.context.account
    for (number, scheme) in BlindedIdentity.Scheme.allCases.enumerated() {
      let own = try BlindedIdentity(of: account, on: HistoryRooms.key, scheme: scheme).id
      let post = try lobby.post(Int64(number + 1), "mine")
      try await lobby.keep([
        ServerPost(number: post.number, author: own, postedAt: post.postedAt, data: post.data)
      ])
    }
    let shown = try await lobby.shown()
    #expect(shown.count == 2 && shown.allSatisfy { $0.isOutgoing && $0.state == .sent && $0.isRead })
    await lobby.world.stop()
  }

  @Test func messagesOfBlockedPeopleAreDropped() async throws {
    let lobby = try await Lobby()
    try await lobby.alice.block(lobby.visitor.id)
    for scheme in BlindedIdentity.Scheme.allCases {
      let author = try BlindedIdentity(of: lobby.visitor, on: HistoryRooms.key, scheme: scheme).id
      let post = try lobby.post(1, "unwanted")
      try await lobby.keep([
        ServerPost(number: post.number, author: author, postedAt: post.postedAt, data: post.data)
      ])
    }
    #expect(try await lobby.shown().isEmpty)
    await lobby.world.stop()
  }

  @Test func aRoomWithTwoSpellingsIsReadOnce() async throws {
    let lobby = try await Lobby()
    try await lobby.keep([lobby.post(7, "seven")])
    try await lobby.alice.context.database.write { [room = lobby.room] transaction in
      let other = try transaction.obtainThread(at: "another spelling", .community, createdAt: 1)
      try transaction.put(
        CommunityRecord(other.id, server: room.server, room: room.room.uppercased(), name: "Lobby"))
    }
    #expect(try await lobby.inbox.rooms()[lobby.room] == 7)
    await lobby.world.stop()
  }

  @Test func messagesOfRoomsDoNotDisappear() async throws {
    let lobby = try await Lobby()
    let timer = try DisappearingTimer(.afterSend, seconds: 60)
    try await lobby.keep([lobby.post(1, .visible(VisibleMessage(body: "stays")), timer: timer)])
    #expect(try await lobby.shown().map(\.disappearsAt) == [nil])
    await lobby.world.stop()
  }
}
