import FailingStorage
import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// No message of an inbox is lost, and no bad one holds up the others.
@Suite(.timeLimit(.minutes(1))) struct LetterCursorTests {
  /// Adds a letter to the server as it is.
  private func plant(
    _ data: [UInt8], from sender: SessionID, to recipient: SessionID, _ world: CommunityWorld
  ) {
    world.server.change { $0.deliver(data, from: "\(sender)", to: "\(recipient)") }
  }

  @Test func badLettersAreKeptAsBytesAndHoldUpNothing() async throws {
    try await withCommunity { world in
      let (alice, own) = try await world.guest()
      let bob = try world.visitor()
      let author = bob.identity.author
      let good = try bob.seal("good", for: own, on: world)
      let flipped = good.dropLast() + [good[good.count - 1] ^ 1]
      var otherVersion = good
      otherVersion[0] = 1
      let others = try world.visitor()
      let typing = try MessageTime(milliseconds: UInt64(world.world.clock.now))
      let bad: [([UInt8], SessionID)] = [
        (Array(flipped), author), (otherVersion, author), (Array(good.prefix(72)), author), ([], author),
        // Another one's name, our own, one of another generation, and points that are none.
        (good, others.identity.author), (good, own),
        (good, try BlindedIdentity(of: bob.account, on: world.server.key, scheme: .blinded25).id),
        (good, try SessionID(.blinded15, key: [UInt8](repeating: 0, count: 32))),
        (good, try SessionID(.blinded15, key: [UInt8](repeating: 255, count: 32))),
        (
          try BlindedIdentity(of: bob.account, on: world.server.key, scheme: .blinded15).seal(
            Message(.typing(TypingIndicator(.started, sentAt: typing)), sentAt: typing).bytes() + [0x80],
            for: own), author
        ),
      ]
      for (data, sender) in bad { plant(data, from: sender, to: own, world) }
      plant(good, from: author, to: own, world)
      #expect(await world.poll(alice))
      #expect(try await alice.bodies(in: bob.account.id) == ["good"])
      #expect(try await world.badLetters(alice).count == bad.count)
      #expect(try await world.badLetters(alice).allSatisfy { $0.bytes != nil && !$0.reason.isEmpty })
      let cursor = try await world.record(alice).inboxLatest
      let asked = world.server.requests.count
      #expect(await world.poll(alice))
      #expect(world.server.requests.dropFirst(asked).contains { $0.contains("/inbox/since/\(cursor)?") })
    }
  }

  /// The reply to a request may be too large for the network, and so may that about the boxes alone.
  @Test func aBoxThatIsTooLargeComesInPartsAndHoldsNoRoom() async throws {
    try await withCommunity { world in
      let (alice, own) = try await world.guest()
      let bob = try world.visitor()
      for number in 1...40 {
        world.world.clock.advance(by: 1)
        try await bob.write("\(number)", to: own, on: world)
      }
      try await bob.post("in the room")
      world.server.limitReplies(to: 10_000)
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["in the room"])
      var polls = 0
      while try await world.record(alice).inboxLatest < 40, polls < 20 {
        _ = await world.poll(alice)
        polls += 1
      }
      let bodies = try await alice.bodies(in: bob.account.id)
      #expect(bodies == (1...40).map { "\($0)" })
    }
  }

  @Test func lettersOfOthersAndForgedCopiesAreNotTaken() async throws {
    try await withCommunity { world in
      let (alice, own) = try await world.guest()
      let (bob, carol) = (try world.visitor(), try world.visitor())
      // Not to us.
      plant(
        try bob.seal("for Carol", for: carol.identity.author, on: world), from: bob.identity.author, to: own,
        world)
      // In our outbox, but written by the recipient.
      let forged = try bob.seal("I love you", for: own, on: world)
      plant(forged, from: own, to: bob.identity.author, world)
      #expect(await world.poll(alice))
      #expect(try await alice.conversations().filter(\.id.isPerson).isEmpty)
      #expect(try await alice.requests().isEmpty)
      #expect(try await world.badLetters(alice).count == 1)
      #expect(try await world.badLetters(alice, in: .outbox).count == 1)
    }
  }

  @Test func aNewerVersionTriesBadLettersOnceMore() async throws {
    try await withCommunity { world in
      let (alice, own) = try await world.guest()
      let bob = try world.visitor()
      let good = try bob.seal("now I can read it", for: own, on: world)
      plant(Array(good.dropLast()), from: bob.identity.author, to: own, world)
      #expect(await world.poll(alice))
      let bad = try #require(try await world.badLetters(alice).first)
      // As if the older version had not been able to read what this one can.
      plant(good, from: bob.identity.author, to: own, world)
      let letters = try await alice.fetch(.inbox(since: bad.number), from: world).letters
      let content = try #require(letters.first?.content)
      world.server.change { $0.letters.removeAll() }
      try await alice.context.database.write { transaction in
        try transaction.put(
          BadItemRecord(
            bad.number, in: bad.place, of: bad.server, reason: bad.reason, bytes: content.bytes,
            programVersion: "an older one"))
      }
      #expect(await world.poll(alice))
      #expect(try await alice.requests().isEmpty)
      let feed = LetterFeed(alice.inbox.makeLetterInbox(ofServer: CommunityWorld.url))
      _ = try await feed.spans()
      #expect(try await alice.bodies(in: bob.account.id) == ["now I can read it"])
      #expect(try await world.badLetters(alice).isEmpty)
      #expect(try await world.record(alice).inboxLatest == bad.number)
    }
  }

  /// The disk fails with every statement that a page of the inbox writes.
  @Test func aFullDiskLosesNoLetter() async throws {
    try await withCommunity { world in
      let fuse = FailingConnection.Fuse()
      let database = try Database.failing(fuse)
      let alice = try await world.world.start(
        Messenger(.generate(), database, world.environment))
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      let own = try BlindedIdentity(of: alice.context.account, on: world.server.key, scheme: .blinded15).id
      let bob = try world.visitor()
      for number in 1...3 {
        world.world.clock.advance(by: 10)
        try await bob.write("\(number)", to: own, on: world)
      }
      let inbox = alice.inbox.makeLetterInbox(ofServer: CommunityWorld.url)
      let reply = try await alice.fetch(.inbox(since: 0), from: world)
      var (statements, failures) = (0, 0)
      while failures < 500 {
        let cursor = try await world.record(alice).inboxLatest
        fuse.set(statements)
        let hasFailed = try await fails {
          _ = try await inbox.take(reply, of: LetterSpan(box: .inbox, cursor: cursor))
        }
        fuse.set(nil)
        let record = try await world.record(alice)
        let isThere = try await alice.conversation(.person(bob.account.id)) != nil
        let stored = isThere ? try await alice.bodies(in: bob.account.id) : []
        // The cursor is exactly behind what is stored.
        let taken = reply.letters.filter { $0.number <= record.inboxLatest }
        #expect(stored == (1...3).prefix(taken.count).map { "\($0)" })
        guard hasFailed else { break }
        failures += 1
        statements += 1
      }
      #expect(failures > 3)
      #expect(try await alice.bodies(in: bob.account.id) == ["1", "2", "3"])
    }
  }

  private func fails(_ body: () async throws -> Void) async throws -> Bool {
    do { try await body() } catch { return true }
    return false
  }

  /// It was restored from a backup, and gives its numbers again.
  @Test func aNewLetterWithAnOldNumberIsTaken() async throws {
    try await withCommunity { world in
      let (alice, own) = try await world.guest()
      let bob = try world.visitor()
      let before = world.server.change { $0 }
      try await bob.write("first", to: own, on: world)
      #expect(await world.poll(alice))
      world.server.change { $0 = before }
      world.world.clock.advance(by: 1000)
      try await bob.write("second", to: own, on: world)
      try await alice.context.database.write { transaction in
        var record = try #require(try transaction.communityServer(CommunityWorld.url))
        record.inboxLatest = 0
        try transaction.put(record)
      }
      #expect(await world.poll(alice))
      #expect(try await alice.bodies(in: bob.account.id) == ["first", "second"])
    }
  }

  @Test func aBoxThatCannotBeReadStopsNeitherTheRoomsNorTheOtherBox() async throws {
    try await withCommunity { world in
      let (alice, _, id) = try await world.guests()
      world.server.decide { _, path in path.hasPrefix("/inbox") ? .refused(500) : .asUsual }
      let desk = try await world.device(of: alice.context.account)
      try await world.world.settle(rounds: 1)
      world.server.decide { method, path in
        method == "GET" && path.hasPrefix("/inbox") ? .refused(500) : .asUsual
      }
      try await world.write("hello", to: id, from: alice)
      try await world.post("everybody", from: alice)
      #expect(await world.poll(desk))
      #expect(try await desk.bodies(in: id) == ["hello"])
      #expect(try await world.texts(desk).last == "everybody")
    }
  }
}
