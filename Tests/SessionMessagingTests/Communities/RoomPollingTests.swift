import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(1))) struct RoomPollingTests {
  @Test func messagesComeInTheirOrder() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      try await bob.post("before")
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["before"])
      // What was written before is not new.
      #expect(try await alice.conversation(world.conversation)?.unreadMessages == 0)
      for number in 1...3 { try await bob.post("\(number)") }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["before", "1", "2", "3"])
      #expect(try await alice.conversation(world.conversation)?.unreadMessages == 3)
      let last = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
      #expect(last.author == bob.identity.author && !last.isOutgoing)
    }
  }

  @Test func theFirstMessageOfAnEmptyRoomIsNew() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await bob.post("hello")
      #expect(await world.poll(alice))
      #expect(try await alice.conversation(world.conversation)?.unreadMessages == 1)
    }
  }

  @Test func allMessagesOfARoomThatWasEmptyCome() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      for number in 1...150 { try await bob.post("\(number)") }
      for _ in 1...4 where try await world.texts(alice).count < 150 { #expect(await world.poll(alice)) }
      #expect(try await world.texts(alice) == (1...150).map { "\($0)" })
    }
  }

  @Test func editsReactionsAndDeletionsAreApplied() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let (one, two) = (try await bob.post("one"), try await bob.post("two"))
      #expect(await world.poll(alice))
      let data = try bob.encode("one, better")
      try await bob.call(.edit(one, data, signature: bob.identity.sign(post: data), in: world.room))
      _ = try await bob.call(try .react("🦆", to: one, in: world.room))
      try await bob.call(.delete(two, in: world.room))
      #expect(await world.poll(alice))
      let shown = try await alice.messages(in: world.conversation).reversed()
      #expect(shown.map(\.body) == ["one, better", ""] && shown.map(\.kind) == [.message, .deleted])
      #expect(shown.first?.reactions.map(\.emoji) == ["🦆"])
      #expect(shown.first?.reactions.map(\.author) == [bob.identity.author])
      let kinds = try await alice.kinds()
      #expect(await world.poll(alice))
      #expect(try await alice.kinds() == kinds)
      _ = try await bob.call(try .removeReaction("🦆", from: one, in: world.room))
      #expect(await world.poll(alice))
      #expect(try await alice.messages(in: world.conversation).allSatisfy { $0.reactions.isEmpty })
    }
  }

  /// Moves the cursor of the room behind the next change, as if its page had been taken.
  private func passOneChange(_ world: CommunityWorld, _ messenger: Messenger) async throws {
    try await messenger.context.database.write { [room = world.conversation.address] transaction in
      let thread = try #require(try transaction.thread(at: room))
      var record = try #require(try transaction.community(thread.id))
      record.sequenceNumber += 1
      try transaction.put(record)
    }
  }

  /// A message that gets a reaction while we catch up leaves the pages that are still to come.
  @Test(arguments: [nil, 400, 401, 500]) func aMessageOfWhichOnlyTheReactionComesIsFetched(
    refusal: Int?
  ) async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      try await bob.post("first")
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      let (one, _) = (try await bob.post("one"), try await bob.post("two"))
      try await passOneChange(world, alice)
      _ = try await bob.call(try .react("🦆", to: one, in: world.room))
      if let refusal {
        world.server.decide { _, path in path.contains("/lobby/message/") ? .refused(refusal) : .asUsual }
        _ = await world.poll(alice)
        guard refusal != 400 else {
          // What the server never gives us does not hold up the others.
          #expect(try await world.texts(alice) == ["first", "two"])
          return
        }
        // The page comes again, and the message with it.
        #expect(try await world.texts(alice) == ["first"])
        world.server.decide { _, _ in .asUsual }
        world.world.clock.advance(by: 60_000)
      }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["first", "one", "two"])
    }
  }

  /// Half of all keys are those of no account, and have no ids in communities.
  @Test func somebodyBlockedWhoCannotExistDoesNotHoldTheRooms() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let impossible = try (2...99).lazy
        .map { try SessionID(.standard, key: [$0] + [UInt8](repeating: 0, count: 31)) }
        .first { (try? $0.blinded(on: world.server.key)) == nil }
      try await alice.block(try #require(impossible))
      try await bob.post("one")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one"])
    }
  }

  @Test func badMessagesDoNotHoldTheOthers() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      for number in 1...3 { try await bob.post("forged \(number)", isForged: true) }
      try await bob.post("good")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["good"])
      let asked = world.server.requests.count
      #expect(await world.poll(alice))
      // Their bytes will not change: they are not fetched again.
      #expect(world.server.requests.dropFirst(asked).contains { $0.contains("messages/since/4?") })
    }
  }

  @Test func aPageThatIsFullIsFollowedByTheNext() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("0")
      #expect(await world.poll(alice))
      try await world.post((1...250).map { "\($0)" }, by: bob)
      var polls = 0
      while try await world.texts(alice).count < 251, polls < 10 {
        #expect(await world.poll(alice))
        polls += 1
      }
      #expect(try await world.texts(alice) == (0...250).map { "\($0)" })
      #expect(polls <= 3)
    }
  }

  /// The reply to a request may be too large for the network. The server must not be given up for that.
  @Test func aPageThatIsTooLargeComesInParts() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      world.server.change { $0.addRoom("quiet") }
      let quiet = try CommunityLink(parsing: world.link.description.replacing("/lobby?", with: "/quiet?"))
      for link in [world.link, quiet] { _ = try await alice.joinRoom(link) }
      try await bob.post("0")
      #expect(await world.poll(alice))
      try await world.post((1...40).map { "\($0)" }, by: bob)
      world.server.limitReplies(to: 10_000)
      world.server.change {
        $0.rooms["quiet"]?.name = "Quiet"
        $0.rooms["quiet"]?.infoUpdates += 1
      }
      // The other room is polled at once.
      #expect(await world.poll(alice))
      #expect(try await alice.rooms().map(\.name).sorted() == ["Lobby", "Quiet"])
      var polls = 0
      while try await world.texts(alice).count < 41, polls < 20 {
        world.world.clock.advance(by: 3_600_000)
        _ = await world.poll(alice)
        polls += 1
      }
      #expect(try await world.texts(alice) == (0...40).map { "\($0)" })
    }
  }

  @Test func aNewerVersionAsksForBadMessagesOnceMore() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let number = try await bob.post("forged", isForged: true)
      let gone = try await bob.post("forged, too", isForged: true)
      try await bob.post("good")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["good"])
      #expect(try await world.badPosts(alice).map(\.number) == [number, gone])

      // As if the older version had not been able to read what this one can.
      world.server.change { state in
        state.rooms["lobby"]?.messages.removeAll { $0.number == gone }
        guard let place = state.rooms["lobby"]?.messages.firstIndex(where: { $0.number == number }),
          var signature = state.rooms["lobby"]?.messages[place].signature
        else { return }
        signature[0] ^= 1
        state.rooms["lobby"]?.messages[place].signature = signature
      }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["good"])
      try await alice.context.database.write { transaction in
        for var item in try transaction.badItems(in: "lobby", of: CommunityWorld.url) {
          item.programVersion = "an older one"
          try transaction.put(item)
        }
      }
      let again = alice.inbox.makeInbox(ofServer: CommunityWorld.url)
      #expect(try await again.messagesToTryAgain(of: world.room) == [number, gone])
      let connection = try #require(try await alice.context.connection(to: CommunityWorld.url))
      let feed = CommunityFeed(
        again, LetterFeed(alice.inbox.makeLetterInbox(ofServer: CommunityWorld.url)),
        through: connection.client)
      _ = try await feed.poll()
      #expect(try await world.texts(alice) == ["forged", "good"])
      #expect(try await world.badPosts(alice).map(\.number) == [gone])
      #expect(try await again.messagesToTryAgain(of: world.room).isEmpty)
    }
  }

  @Test func aMessageThatIsTooLargeDoesNotEndTheRoom() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("0")
      #expect(await world.poll(alice))
      try await bob.post(String(repeating: "🦆", count: 1900))
      try await bob.post("after")
      world.server.limitReplies(to: 8000)
      for _ in 1...30 where try await world.texts(alice).count < 2 {
        world.world.clock.advance(by: 3_600_000)
        _ = await world.poll(alice)
      }
      #expect(try await world.texts(alice) == ["0", "after"])
    }
  }

  /// Its number in the order of changes is then the last one, and the newest message does not have it.
  @Test func anEditThatIsTooLargeDoesNotEndTheRoom() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let first = try await bob.post("0")
      try await bob.post("1")
      #expect(await world.poll(alice))
      try await bob.edit(first, String(repeating: "🦆", count: 1900))
      world.server.limitReplies(to: 8000)
      func cursor() async throws -> Int64? {
        try await alice.context.database.read { [room = world.conversation.address] transaction in
          try transaction.thread(at: room).flatMap { try transaction.community($0.id)?.sequenceNumber }
        }
      }
      for _ in 1...30 where try await cursor() != 3 {
        world.world.clock.advance(by: 3_600_000)
        _ = await world.poll(alice)
      }
      #expect(try await cursor() == 3)
      try await bob.post("2")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["0", "1", "2"])
    }
  }

  @Test func aMessageThatTheServerNeverTellsIsAskedForThreeTimes() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      try await bob.post("first")
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      let (one, _) = (try await bob.post("one"), try await bob.post("two"))
      try await passOneChange(world, alice)
      _ = try await bob.call(try .react("🦆", to: one, in: world.room))
      world.server.decide { _, path in path.contains("/lobby/message/") ? .refused(500) : .asUsual }
      for _ in 1...2 {
        #expect(await !world.poll(alice))
        #expect(try await world.texts(alice) == ["first"])
      }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["first", "two"])
    }
  }

  @Test func reactionsToWhatABlockedPersonWroteCostOneRequest() async throws {
    try await withCommunity { world in
      let (bob, carol) = (try world.visitor(), try world.visitor())
      let alice = try await world.device(of: .generate())
      try await bob.post("first")
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await alice.block(carol.account.id)
      let hidden = try await carol.post("hidden")
      #expect(await world.poll(alice))
      func asked() -> Int { world.server.requests.count { $0.contains("/lobby/message/\(hidden)") } }
      for (number, emoji) in ["🦆", "🐙", "🐝"].enumerated() {
        _ = try await bob.call(try .react(emoji, to: hidden, in: world.room))
        try await bob.post("\(number)")
        #expect(await world.poll(alice))
      }
      #expect(asked() == 1)
      #expect(try await world.texts(alice) == ["first", "0", "1", "2"])
    }
  }

  @Test func unreadableAuthorsAreBadMessagesToo() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let number = try await bob.post("one")
      try await bob.post("two")
      world.server.change { state in
        guard let place = state.rooms["lobby"]?.messages.firstIndex(where: { $0.number == number }) else {
          return
        }
        state.rooms["lobby"]?.messages[place].signature = [1, 2, 3]
      }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["two"])
      #expect(try await world.badPosts(alice).map(\.number) == [number])
    }
  }

  @Test func mentionsOfUsBeforeWeJoinedAreUnread() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let account = try Account.generate()
      let own = try BlindedIdentity(of: account, on: world.server.key, scheme: .blinded15).id
      for text in ["one", "two for @\(own)", "three"] { try await bob.post(text) }
      let alice = try await world.device(of: account)
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      #expect(try await alice.conversation(world.conversation)?.unreadMessages == 1)
      let unread = try await alice.messages(in: world.conversation).filter { !$0.isRead }
      #expect(unread.map(\.mentionsUs) == [true])
    }
  }

  @Test func pollsOfServersAreCounted() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      #expect(await alice.serverConditions().isEmpty)
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      let working = try #require(await alice.serverConditions()[CommunityWorld.url])
      #expect(working.polls > 0 && working.failures == 0 && working.failure == nil)
      world.server.decide { _, _ in .lost }
      #expect(await world.poll(alice) == false)
      let failing = try #require(await alice.serverConditions()[CommunityWorld.url])
      #expect(failing.failures > 0 && failing.failure != nil)
    }
  }

  @Test func aRoomThatIsGoneIsNotFailing() {
    var pace = RoomPace()
    let (gone, broken) = (NetworkFailure(.gone, "gone"), NetworkFailure(.transient, "broken"))
    #expect(pace.noteFailure(gone, at: 0) == nil && pace.noteFailure(gone, at: 0) == nil)
    // Only absences in a row count.
    #expect(pace.noteFailure(broken, at: 0) == nil && pace.isFailing)
    #expect(pace.noteFailure(gone, at: 0) == nil && pace.noteFailure(gone, at: 0) == nil)
    #expect(pace.noteFailure(gone, at: 0) == .gone)
    #expect(!pace.isFailing)
  }

  @Test func aRoomThatBringsTooMuchRestsForAnHour() {
    var pace = RoomPace()
    for page in 1..<200 {
      pace.noteSuccess(rows: 100, bytes: 1, at: Int64(page))
      #expect(pace.notBefore == 0)
    }
    pace.noteSuccess(rows: 100, bytes: 1, at: 200)
    #expect(pace.notBefore == 200 + 3_600_000)
    // The next day begins with nothing.
    pace.noteSuccess(rows: 100, bytes: 1, at: 25 * 3_600_000)
    #expect(pace.notBefore == 0)
    pace.noteSuccess(rows: 1, bytes: RoomQuota.maxBytes, at: 26 * 3_600_000)
    #expect(pace.notBefore == 27 * 3_600_000)
  }

  @Test func whispersForOthersAreNotShown() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let own = try BlindedIdentity(
        of: alice.context.account, on: world.server.key, scheme: .blinded15
      ).id
      world.server.change { [id = bob.identity.author.description] in
        _ = $0.rooms["lobby"]?.moderators.insert(id)
      }
      for (text, recipient) in [("for you", own), ("for nobody here", try Account.generate().id)] {
        let data = try bob.encode(text)
        _ = try await bob.call(
          .post(data, signature: bob.identity.sign(post: data), whisper: .person(recipient), in: world.room))
        world.world.clock.advance(by: 10)
      }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["for you"])
    }
  }

  // MARK: - Servers that fail

  @Test func theFailuresOfAServerOutlastTheProgram() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      func failures() async throws -> Int? {
        try await alice.context.database.read { try $0.communityServer(CommunityWorld.url)?.pollFailures }
      }
      func feed() throws -> CommunityFeed {
        CommunityFeed(
          alice.inbox.makeInbox(ofServer: CommunityWorld.url),
          LetterFeed(alice.inbox.makeLetterInbox(ofServer: CommunityWorld.url)),
          through: try #require(alice.context.environment.communities))
      }
      world.server.decide { _, path in path == "/batch" ? .lost : .asUsual }
      for count in 1...12 {
        let feed = try feed()
        await #expect(throws: NetworkFailure.self) { try await feed.poll() }
        #expect(try await failures() == count)
        #expect(await feed.delay(after: .failed(inARow: 1)) == .milliseconds(RoomPace.delay(after: count)))
      }
      world.server.decide { _, _ in .asUsual }
      _ = try await feed().poll()
      #expect(try await failures() == 0)
    }
  }

  @Test func noOneWaitsForAServerThatHasLongFailed() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      for (failures, isAsked) in [(14, true), (15, false)] {
        try await alice.context.database.write { transaction in
          var server = try #require(try transaction.communityServer(CommunityWorld.url))
          server.pollFailures = failures
          try transaction.put(server)
        }
        let before = world.server.requests.count
        #expect(await alice.poll())
        #expect((world.server.requests.count > before) == isAsked)
      }
      // Who names it waits for it.
      #expect(await world.poll(alice))
      let before = world.server.requests.count
      #expect(await alice.poll())
      #expect(world.server.requests.count > before)
    }
  }

  // MARK: - Access

  @Test func aRoomThatWeMayNotReadStaysWithItsMessages() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("one")
      #expect(await world.poll(alice))
      world.server.change { $0.rooms["lobby"]?.canRead = false }
      _ = await world.poll(alice)
      let closed = try #require(try await alice.rooms().first)
      #expect(closed.state == .noAccess && closed.permissions.isEmpty)
      #expect(try await world.texts(alice) == ["one"])
      world.server.change { $0.rooms["lobby"]?.canRead = true }
      world.world.clock.advance(by: 700_000)
      #expect(await world.poll(alice))
      #expect(try await alice.rooms().map(\.state) == [.joined])
    }
  }

  @Test func aRoomIsGoneAfterThreePolls() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      world.server.change { $0.rooms = [:] }
      for state in [RoomView.State.joined, .joined, .gone] {
        _ = await world.poll(alice)
        #expect(try await alice.rooms().map(\.state) == [state])
      }
    }
  }

  /// The server hides a room from people whom it bans there.
  @Test func aRoomThatIsHiddenFromUsIsNotGone() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      world.server.change { $0.rooms["lobby"]?.canRead = false }
      _ = await world.poll(alice)
      world.server.decide { _, path in path.hasPrefix("/room/lobby") ? .refused(404) : .asUsual }
      for _ in 1...4 {
        let before = world.server.requests.count
        _ = await world.poll(alice)
        #expect(world.server.requests[before...].contains("  GET /room/lobby"))
        #expect(try await alice.rooms().map(\.state) == [.noAccess])
      }
      world.server.decide { _, _ in .asUsual }
      world.server.change { $0.rooms["lobby"]?.canRead = true }
      #expect(await world.poll(alice))
      #expect(try await alice.rooms().map(\.state) == [.joined])
    }
  }

  @Test func aRoomThatHasLongBeenGoneIsPolledOnRequestOnly() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      world.server.change { $0.rooms = [:] }
      for _ in 1...3 { _ = await world.poll(alice) }
      #expect(try await alice.rooms().map(\.state) == [.gone])
      func feedOfTheLobby() throws -> CommunityFeed {
        CommunityFeed(
          alice.inbox.makeInbox(ofServer: CommunityWorld.url),
          LetterFeed(alice.inbox.makeLetterInbox(ofServer: CommunityWorld.url)),
          through: try #require(alice.context.environment.communities))
      }
      let feed = try feedOfTheLobby()
      func asksForTheRoom() async -> Bool {
        let before = world.server.requests.count
        _ = try? await feed.poll()
        return world.server.requests[before...].contains { $0.contains("/room/lobby") }
      }
      #expect(await asksForTheRoom())
      world.world.clock.advance(by: 8 * 24 * 3_600_000)
      #expect(await !asksForTheRoom())
      feed.resetBackoff()
      #expect(await asksForTheRoom())
      #expect(await !asksForTheRoom())
      // Also if that is the first poll of a program.
      let first = try feedOfTheLobby()
      first.resetBackoff()
      let before = world.server.requests.count
      _ = try? await first.poll()
      #expect(world.server.requests[before...].contains { $0.contains("/room/lobby") })
    }
  }

  @Test func aServerThatBannedUsIsLeftAlone() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let own = try BlindedIdentity(
        of: alice.context.account, on: world.server.key, scheme: .blinded15
      ).id.description
      world.server.change { state in for number in 1...20 { state.addRoom("room\(number)") } }
      for number in 1...20 {
        _ = try await alice.joinRoom(
          CommunityLink(parsing: world.link.description.replacing("/lobby?", with: "/room\(number)?")))
      }
      #expect(await world.poll(alice))
      world.server.change { _ = $0.bannedEverywhere.insert(own) }
      let asked = world.server.requests.count
      #expect(await !world.poll(alice))
      #expect(try await alice.rooms().allSatisfy { $0.state == .noAccess })
      world.world.clock.advance(by: 600_000)
      try await alice.waitUntilIdle()
      #expect(world.server.requests.count == asked + 1)
    }
  }

  @Test func aRefusedSignatureIsMadeAnewOnce() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await bob.post("one")
      world.server.decide { _, path in path == "/batch" ? .refused(401) : .asUsual }
      let asked = world.server.requests.count
      #expect(await !world.poll(alice))
      #expect(
        world.server.requests.dropFirst(asked) == ["POST /batch", "GET /capabilities", "POST /batch"])
      #expect(try await alice.rooms().map(\.state) == [.joined])
      world.server.decide { _, _ in .asUsual }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one"])
    }
  }

  @Test func aBrokenRoomDoesNotStopTheOthers() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      world.server.change { state in for number in 1...20 { state.addRoom("room\(number)") } }
      for number in 1...20 {
        _ = try await alice.joinRoom(
          CommunityLink(parsing: world.link.description.replacing("/lobby?", with: "/room\(number)?")))
      }
      _ = try await alice.joinRoom(world.link)
      world.server.decide { _, path in path.hasPrefix("/room/room7/") ? .refused(500) : .asUsual }
      try await bob.post("one")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one"])
      #expect(try await alice.rooms().allSatisfy { $0.state == .joined })
    }
  }

  @Test func aPollWithoutItsFailingRoomIsNoSuccess() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      world.server.decide { _, path in path.hasPrefix("/room/") ? .refused(500) : .asUsual }
      // The room waits during the second one.
      for _ in 1...2 { #expect(await !world.poll(alice)) }
      world.server.decide { _, _ in .asUsual }
      world.world.clock.advance(by: 60_000)
      #expect(await world.poll(alice))
      #expect(await world.poll(alice))
    }
  }

  /// Where both are accepted, a client may quote the id of the second scheme of somebody who posts with the first.
  @Test func quotedMessagesAreFoundByEachIDOfTheirAuthor() async throws {
    try await withCommunity { world in
      let (bob, carol) = (try world.visitor(), try world.visitor())
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("question")
      #expect(await world.poll(alice))
      let question = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
      let time = try MessageTime(milliseconds: UInt64(question.sentAt))
      let ids = try BlindedIdentity.Scheme.allCases.map {
        try BlindedIdentity(of: bob.account, on: world.server.key, scheme: $0).id
      }
      for author in ids + [bob.account.id] {
        try await carol.post("answer", quote: Quote(sentAt: time, author: author))
        #expect(await world.poll(alice))
        let answer = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
        #expect(answer.body == "answer" && answer.quoted?.message == question.id)
      }
      try await carol.post("answer", quote: Quote(sentAt: time, author: carol.identity.author))
      #expect(await world.poll(alice))
      let other = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
      #expect(other.quoted != nil && other.quoted?.message == nil)
    }
  }

  @Test func aRequestedPollEndsTheRestOfARoom() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await bob.post("one")
      world.server.decide { _, path in path.hasPrefix("/room/") ? .refused(500) : .asUsual }
      for _ in 1...10 { #expect(await !world.poll(alice)) }
      world.server.decide { _, _ in .asUsual }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one"])
    }
  }

  @Test func boxesAndOtherRoomsDoNotWaitForABrokenRoom() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      let connection = try #require(try await alice.context.connection(to: CommunityWorld.url))
      let feed = CommunityFeed(
        alice.inbox.makeInbox(ofServer: CommunityWorld.url),
        LetterFeed(alice.inbox.makeLetterInbox(ofServer: CommunityWorld.url)), through: connection.client)
      func delay() async -> Duration {
        await #expect(throws: NetworkFailure.self) { try await feed.poll() }
        feed.resetBackoff()
        return await feed.delay(after: .failed(inARow: 12))
      }
      world.server.decide { _, path in path.hasPrefix("/room/") ? .refused(500) : .asUsual }
      #expect(await delay() == .seconds(10))
      world.server.decide { _, path in path == "/batch" ? .lost : .asUsual }
      #expect(await delay() > .seconds(3000))
    }
  }

  @Test func contactsHaveTheirNamesInRooms() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("one")
      #expect(await world.poll(alice))
      #expect(try await alice.names(in: world.conversation)[bob.identity.author] == nil)
      try await alice.author.edit { configs, _ in
        try configs.contacts.update(bob.account.id) { contact in
          (contact.name, contact.isApproved, contact.hasApprovedMe) = ("Bob", true, true)
        }
      } writing: { _, _, _ in
      }
      #expect(try await alice.names(in: world.conversation)[bob.identity.author] == "Bob")
    }
  }

  @Test func aLostReplyIsRepeatedWithoutDoubles() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      try await bob.post("one")
      world.server.decide { _, path in path == "/batch" ? .lost : .asUsual }
      #expect(await !world.poll(alice))
      world.server.decide { _, _ in .asUsual }
      #expect(await world.poll(alice))
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one"])
    }
  }
}
