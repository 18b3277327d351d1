import SessionCore
import SessionNetworking
import Synchronization
import TestCommunity
import Testing

/// The client of communities with a server over HTTP on loopback.
@Suite(.timeLimit(.minutes(1))) struct CommunityClientTests {
  /// A server with a room, and somebody who uses it.
  private struct Place {
    let community: TestCommunity
    let http: CommunityHTTP
    let server: CommunityServer
    let room: Community.Place
    let client: CommunityClient
    let time: MessageTime

    init(requiresBlinding: Bool = true) throws {
      community = try TestCommunity(requiresBlinding: requiresBlinding) { 1_700_000_000_000 }
      community.change { $0.addRoom("lobby") }
      http = try CommunityHTTP(community)
      server = try CommunityServer(http.url, key: community.key)
      room = try Community.Place(server: http.url, room: "lobby")
      client = CommunityClient(through: http)
      time = try MessageTime(milliseconds: 1_700_000_000_000)
    }

    func person(_ scheme: CommunityIdentity.Scheme = .blinded15) throws -> CommunityIdentity {
      try CommunityIdentity(of: .generate(), on: community.key, scheme: scheme)
    }

    func call<Answer>(_ call: CommunityCall<Answer>, as identity: CommunityIdentity?)
      async throws(NetworkFailure)
      -> Answer
    {
      try call.answer(from: try await client.send(call.request, to: server, as: identity, at: time))
    }

    @discardableResult
    func post(
      _ text: String, as identity: CommunityIdentity, whisper: CommunityPost.Whisper? = nil
    ) async throws -> CommunityReceipt {
      let data = Array(text.utf8)
      return try await call(
        .post(data, signature: identity.sign(post: data), whisper: whisper, in: room), as: identity)
    }

    func texts(_ span: CommunitySpan, as identity: CommunityIdentity) async throws -> [String] {
      try await call(.messages(span, in: room), as: identity).messages.map { message in
        switch message.change {
        case .post(let post):
          try post.verify()
          return String(decoding: post.data, as: UTF8.self)
        case .deletion: return "deleted \(message.number)"
        case .reactions: return "reactions \(message.reactions?.map(\.emoji).joined() ?? "")"
        case .unreadable(let flaw): return flaw.rawValue
        }
      }
    }
  }

  private func withPlace(requiresBlinding: Bool = true, _ body: (Place) async throws -> Void) async throws {
    let place = try Place(requiresBlinding: requiresBlinding)
    try await body(place)
    await place.http.stop()
  }

  @Test(arguments: [true, false]) func messagesAreReadAsTheyWerePosted(requiresBlinding: Bool) async throws {
    try await withPlace(requiresBlinding: requiresBlinding) { place in
      let alice = try place.person(requiresBlinding ? .blinded15 : .unblinded)
      #expect(try await place.call(.capabilities, as: nil).has("blind") == requiresBlinding)
      let first = try await place.post("one", as: alice)
      let second = try await place.post("two", as: alice)
      #expect(second.number > first.number && second.sequence > first.sequence && !second.isFiltered)
      #expect(try await place.texts(.recent, as: alice) == ["two", "one"])
      #expect(try await place.texts(.before(number: second.number), as: alice) == ["one"])
      #expect(try await place.texts(.since(sequence: first.sequence), as: alice) == ["two"])
    }
  }

  @Test func changesComeAfterTheirSequenceNumber() async throws {
    try await withPlace { place in
      let (alice, bob) = (try place.person(), try place.person())
      let one = try await place.post("one", as: alice)
      let two = try await place.post("two", as: alice)
      let data = Array("one, better".utf8)
      try await place.call(
        .edit(one.number, data, signature: alice.sign(post: data), in: place.room), as: alice)
      let change = try await place.call(try .react("🦆", to: two.number, in: place.room), as: bob)
      #expect(change.sequence > two.sequence)
      #expect(
        try await place.texts(.since(sequence: two.sequence), as: bob) == ["one, better", "reactions 🦆"])
      try await place.call(.delete(one.number, in: place.room), as: alice)
      #expect(try await place.texts(.since(sequence: change.sequence), as: bob) == ["deleted \(one.number)"])
      let failure = await #expect(throws: NetworkFailure.self) {
        try await place.call(.delete(two.number, in: place.room), as: bob)
      }
      #expect(failure?.kind == .unauthorized)
    }
  }

  @Test func whispersAreShownToThoseTheyAreFor() async throws {
    try await withPlace { place in
      let (moderator, bob, carol) = (try place.person(), try place.person(), try place.person())
      place.community.change { [id = moderator.author.description] in
        _ = $0.rooms["lobby"]?.moderators.insert(id)
      }
      try await place.post("psst", as: moderator, whisper: .person(bob.author))
      #expect(try await place.texts(.recent, as: bob) == ["psst"])
      #expect(try await place.texts(.recent, as: carol) == [])
      await #expect(throws: NetworkFailure.self) {
        try await place.post("psst", as: bob, whisper: .moderators)
      }
    }
  }

  @Test func fastPostersAreThrottled() async throws {
    try await withPlace { place in
      let alice = try place.person()
      for number in 1...5 { try await place.post("\(number)", as: alice) }
      let failure = await #expect(throws: NetworkFailure.self) { try await place.post("6", as: alice) }
      #expect(failure?.kind == .throttled)
    }
  }

  @Test func filesComeBackAsTheyWereSent() async throws {
    try await withPlace { place in
      let alice = try place.person()
      let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
      let number = try await place.call(.upload(bytes, name: "a.bin", to: place.room), as: alice)
      #expect(try await place.call(.file(number, in: place.room, upTo: 70_000), as: alice) == bytes)
    }
  }

  @Test func lettersReachTheInboxOfTheRecipientAndTheOutboxOfTheSender() async throws {
    try await withPlace { place in
      let (alice, bob) = (try place.person(), try place.person())
      #expect(try await place.call(.inbox(since: 0), as: bob).letters.isEmpty)
      let receipt = try await place.call(.send([1, 2, 3], to: bob.author), as: alice)
      let inbox = try await place.call(.inbox(since: 0), as: bob).letters
      #expect(inbox.map(\.number) == [receipt.number] && inbox[0].content?.sender == alice.author)
      #expect(inbox[0].content?.data == [1, 2, 3])
      #expect(try await place.call(.outbox(since: 0), as: alice).letters == inbox)
      #expect(try await place.call(.inbox(since: receipt.number), as: bob).letters.isEmpty)
      try await place.call(.emptyInbox, as: bob)
      #expect(try await place.call(.inbox(since: 0), as: bob).letters.isEmpty)
    }
  }

  @Test func moderatorsBanAndAppoint() async throws {
    try await withPlace { place in
      let (admin, bob) = (try place.person(), try place.person())
      place.community.change { [id = admin.author.description] in _ = $0.rooms["lobby"]?.admins.insert(id) }
      let message = try await place.post("spam", as: bob)
      try await place.call(.appoint(bob.author, .moderator, in: .room(place.room)), as: admin)
      #expect(try await place.call(.room(place.room), as: bob).permissions.contains(.moderator))
      try await place.call(.appoint(bob.author, .member, in: .room(place.room)), as: admin)
      try await place.call(.pin(message.number, in: place.room), as: admin)
      let poll = try await place.call(.poll(place.room, knowing: 1), as: bob)
      #expect(poll.details?.pins.map(\.number) == [message.number])
      try await place.call(.unpinAll(in: place.room), as: admin)
      try await place.call(.ban(bob.author, from: .room(place.room)), as: admin)
      try await place.call(.deleteAll(by: bob.author, in: .room(place.room)), as: admin)
      let failure = await #expect(throws: NetworkFailure.self) { try await place.texts(.recent, as: bob) }
      #expect(failure?.kind == .unauthorized)
      try await place.call(.unban(bob.author, from: .room(place.room)), as: admin)
      #expect(try await place.texts(.recent, as: bob) == [])
    }
  }

  @Test func aBatchIsAnsweredPartByPart() async throws {
    try await withPlace { place in
      let alice = try place.person()
      try await place.post("one", as: alice)
      let missing = try Community.Place(server: place.http.url, room: "nowhere")
      let requests = [
        CommunityCall<CommunityCapabilities>.capabilities.request,
        CommunityCall<CommunityPoll>.poll(missing, knowing: 0).request,
        CommunityCall<CommunityPage>.messages(.recent, in: place.room).request,
      ]
      for (inOrder, statuses) in [(false, [200, 404, 200]), (true, [200, 404])] {
        let reply = try await place.client.send(
          batch: requests, inOrder: inOrder, to: place.server, as: alice, at: place.time)
        let replies = try reply.replies(toBatchOf: 3, inOrder: inOrder)
        #expect(replies.map(\.status) == statuses)
      }
    }
  }

  @Test(arguments: [0, CommunityRequest.maxBatch + 1])
  func aBatchOfNoneOrTooManyIsNotSent(count: Int) async throws {
    try await withPlace { place in
      let request = CommunityCall<CommunityCapabilities>.capabilities.request
      let failure = await #expect(throws: NetworkFailure.self) {
        try await place.client.send(
          batch: [CommunityRequest](repeating: request, count: count), inOrder: false, to: place.server,
          as: nil, at: place.time)
      }
      #expect(failure?.kind == .rejected)
    }
  }

  @Test func anUnblindedIdIsRefusedWhereBlindingIsRequired() async throws {
    try await withPlace { place in
      let request = CommunityCall<CommunityRoom>.room(place.room).request
      let reply = try await place.client.send(
        request, to: place.server, as: place.person(.unblinded), at: place.time)
      #expect(reply.requiresBlinding)
      let late = try MessageTime(milliseconds: 1_700_090_000_000)
      let early = try await place.client.send(request, to: place.server, as: place.person(), at: late)
      #expect(NetworkFailure(communityAnswered: early).kind == .clock)
    }
  }

  /// A nonce is accepted once.
  @Test func eachRequestHasItsOwnNonce() async throws {
    try await withPlace { place in
      let alice = try place.person()
      for _ in 0..<3 { _ = try await place.call(.room(place.room), as: alice) }
    }
  }
}
