import Testing

@testable import SessionStorage

@Suite struct RecordTests {
  private let database: Database
  private let thread: ThreadRecord.ID

  init() throws {
    let database = try ExampleAccount.inMemory()
    self.database = database
    thread = try database.write { transaction in
      try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
    }
  }

  @discardableResult
  private func add(_ messages: InteractionRecord...) throws -> [InteractionRecord] {
    try database.write { transaction in try messages.map { try transaction.insert($0) } }
  }

  private func message(_ body: String?, at time: Int64, by author: String = ExampleAccount.bob)
    -> InteractionRecord
  {
    ExampleAccount.message(body, in: thread, at: time, by: author)
  }

  @Test func anEmptyDatabaseHasNoFirstOrLastRecord() throws {
    let empty = try Database.inMemory(schema: .account)
    #expect(try empty.read { transaction in try transaction.nextInteractionExpiry() } == nil)
    #expect(try empty.read { transaction in try transaction.lastEvent() } == nil)
    #expect(try empty.read { transaction in try transaction.oldestWaitingJob() } == nil)
  }

  @Test func messagesOfASenderAtATimeAreFoundInAllConversations() throws {
    let other = try database.write { transaction in
      try transaction.obtainThread(at: ExampleAccount.me, .contact, createdAt: 1).id
    }
    try add(
      message("here", at: 5), ExampleAccount.message("there", in: other, at: 5, by: ExampleAccount.bob),
      message("later", at: 6))
    let found = try database.read { transaction in
      try transaction.interactions(by: ExampleAccount.bob, sentAt: 5)
    }
    #expect(Set(found.map(\.body)) == ["here", "there"])
  }

  // MARK: Threads

  @Test func aThreadIsMadeOnce() throws {
    let again = try database.write { transaction in
      try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 9)
    }
    #expect(again.id == thread && again.createdAt == 1)
  }

  @Test func changesOfAThreadAreStored() throws {
    var changed = try #require(try database.read { transaction in try transaction.thread(thread) })
    changed.isVisible = false
    changed.priority = 3
    changed.mutedUntil = 5
    changed.notifies = .mentions
    changed.sound = "bell"
    changed.isMarkedUnread = true
    changed.lastReadAt = 7
    changed.expiry = ExpiryTimer(.afterSend, seconds: 8)
    let kept = changed
    try database.write { transaction in try transaction.update(kept) }
    #expect(try database.read { transaction in try transaction.thread(thread) } == kept)
  }

  @Test func conversationsAreSortedByPinThenByLastMessage() throws {
    let ids = try database.write { transaction in
      try (1...4).map { try transaction.obtainThread(at: "t\($0)", .contact, createdAt: Int64($0)).id }
    }
    try database.write { transaction in
      try transaction.insert(ExampleAccount.message("x", in: ids[0], at: 1000))
      try transaction.put(DraftRecord(in: ids[1], body: "draft", updatedAt: 2000))
      try transaction.put(DraftRecord(in: ids[2], body: "", updatedAt: 9000))
      var pinned = try #require(try transaction.thread(ids[3]))
      pinned.priority = 1
      try transaction.update(pinned)
    }
    let listed = try database.read { transaction in try transaction.threads(areVisible: true).map(\.id) }
    #expect(listed == [ids[3], ids[1], ids[0], ids[2], thread])
  }

  @Test func aThreadTakesEverythingWithIt() throws {
    let account = try ExampleAccount.inMemory()
    try account.write { transaction in
      try ExampleAccount.fill(transaction)
      try transaction.insert(
        SeenMessage("kept", in: ExampleAccount.bob, expiresAt: nil, diesWithThread: false))
      try transaction.insert(
        SeenMessage("gone", in: ExampleAccount.bob, expiresAt: nil, diesWithThread: true))
    }
    try account.write { transaction in
      let bob = try #require(try transaction.thread(at: ExampleAccount.bob))
      try transaction.deleteThread(bob.id)
    }
    for table in ["interaction", "quote", "reaction", "attachment", "messageText", "draft", "notification"] {
      let count = try account.maintain { statements in
        let count = try statements.connection.prepare("SELECT count(*) FROM \(table)")
        _ = try count.step()
        return count.int64(0)
      }
      // A message that is sent later outlives the conversation, with its file.
      #expect(count == (table == "attachment" ? 1 : 0), "\(table)")
    }
    #expect(try account.values("SELECT identifier FROM seenMessage ORDER BY identifier") == ["hash", "kept"])
    // The picture of the profile is still there; what was attached is to be swept.
    let orphans = try account.read { transaction in try transaction.orphanFiles(announcedBefore: 0) }
    #expect(orphans.map(\.path) == ["attachments/bb/file"])
    #expect(try account.read { transaction in try transaction.search("hello").found } == [])
  }

  @Test func threadsThatNothingNeedsAreFound() throws {
    let ids = try database.write { transaction in
      try ["me", "shadow", ExampleAccount.groupID, "contact"].map {
        try transaction.obtainThread(at: $0, .contact, createdAt: 1, isVisible: false).id
      }
    }
    let found = try database.write { transaction in
      try transaction.put(GroupRecord(ids[2], name: "g", formedAt: 1))
      try transaction.put(ContactRecord("contact", createdAt: 1))
      return try transaction.shadowThreads(own: "me")
    }
    #expect(found == [ids[1]])
  }

  // MARK: Messages

  @Test func oneMessageIsKeptOnce() throws {
    var first = message("one", at: 10)
    first.serverHash = "h"
    first.uuid = "u"
    first.serverID = 1
    try add(first)
    func expectDuplicate(_ change: (inout InteractionRecord) -> Void) {
      var other = message("other", at: 99, by: ExampleAccount.me)
      change(&other)
      let same = other
      expectFailure(.duplicate) { try add(same) }
    }
    expectFailure(.duplicate) { try add(message("two", at: 10)) }
    expectDuplicate { $0.serverHash = "h" }
    expectDuplicate { $0.uuid = "u" }
    expectDuplicate { $0.serverID = 1 }
    // The same time of somebody else, and notes of one time, are no duplicates.
    var note = message(nil, at: 10)
    note.kind = InteractionRecord.Kind(rawValue: 1000)
    let kept = note
    try add(message("three", at: 10, by: ExampleAccount.me), kept, kept)
  }

  @Test func pagesFollowEachOtherWithoutGaps() throws {
    for time in 1...25 { try add(message("\(time)", at: Int64(time / 2 + 1), by: "author \(time)")) }
    var seen: [String] = []
    var place = InteractionPlace.end
    while true {
      let from = place
      let page = try database.read { transaction in try transaction.page(of: thread, before: from, limit: 4) }
      guard let last = page.last else { break }
      seen += page.compactMap(\.body)
      place = last.place
    }
    #expect(seen == (1...25).reversed().map(String.init))
  }

  @Test func unreadMessagesAreCounted() throws {
    var mention = message("me", at: 2)
    mention.hasMention = true
    let read = mention
    try add(message("one", at: 1), read, message("three", at: 3))
    let counts = try database.read { transaction in try transaction.unreadCounts() }
    #expect(counts.map(\.messages) == [3] && counts.map(\.mentions) == [1])
    let observation = database.observations.observe(.unread(in: thread))
    let marked = try database.write { transaction in try transaction.markRead(in: thread, upTo: 2) }
    #expect(marked.map(\.sentAt) == [1, 2] && marked.allSatisfy(\.wasRead))
    #expect(observation.fetch() != nil)
    #expect(try database.read { transaction in try transaction.unreadCounts() }.map(\.messages) == [1])
    #expect(try database.write { transaction in try transaction.markRead(in: thread, upTo: 2) } == [])
    #expect(observation.fetch() == nil)
  }

  @Test func messagesDisappearWhenTheirTimeIsOver() throws {
    var short = message("short", at: 1)
    short.expiry = ExpiryTimer(.afterSend, seconds: 1)
    short.expiryStartedAt = 1000
    var long = message("long", at: 2)
    long.expiry = ExpiryTimer(.afterSend, seconds: 100)
    long.expiryStartedAt = 500
    try add(short, long, message("for ever", at: 3))
    #expect(try database.read { transaction in try transaction.nextInteractionExpiry() } == 2000)
    for (now, expected) in [(1999, []), (2000, ["short"]), (100_500, ["short", "long"])]
      as [(Int64, [String])]
    {
      let found = try database.read { transaction in try transaction.expiredInteractions(at: now, limit: 9) }
      #expect(found.compactMap(\.body) == expected)
    }
  }

  @Test func interruptedSendsAreFound() throws {
    for (time, state) in InteractionRecord.State.allCases.enumerated() {
      var sent = message("\(state)", at: Int64(time), by: ExampleAccount.me)
      sent.state = state
      let kept = sent
      try add(kept)
    }
    let found = try database.read { transaction in try transaction.unsettledInteractions() }
    #expect(found.map(\.state) == [.sending, .syncing])
  }

  @Test func aDeletedMessageIsFoundNoMoreAndANumberIsNotUsedTwice() throws {
    let first = try #require(try add(message("walrus", at: 1)).first)
    var emptied = first
    emptied.kind = .incomingDeleted
    emptied.body = nil
    let kept = emptied
    try database.write { transaction in try transaction.update(kept) }
    #expect(try database.read { transaction in try transaction.search("walrus").found } == [])
    try database.write { transaction in try transaction.delete(kept) }
    let second = try #require(try add(message("walrus", at: 1)).first)
    #expect(second.id > first.id)
  }

  @Test func aReactionIsReplaced() throws {
    let target = try #require(try add(message("x", at: 1)).first).id
    var reaction = ReactionRecord(to: target, by: "a", emoji: "👍", sentAt: 1)
    reaction.count = 4
    let second = reaction
    try database.write { transaction in
      try transaction.put(ReactionRecord(to: target, by: "a", emoji: "👍", sentAt: 1))
      try transaction.put(second)
      try transaction.put(ReactionRecord(to: target, by: "b", emoji: "👍", sentAt: 2))
      try transaction.deleteReaction(to: target, by: "b", emoji: "👍")
    }
    #expect(try database.read { transaction in try transaction.reactions(to: target) } == [second])
  }

  @Test func linksOfOneTimeShareAPreview() throws {
    let ids = try database.write { transaction in
      try [1, 2, LinkPreviewRecord.windowLength].map {
        try transaction.obtainLinkPreview(of: "u", at: $0, .page, title: nil)
      }
    }
    #expect(ids[0] == ids[1] && ids[0] != ids[2])
    var linked = message("x", at: 1)
    linked.linkPreviewID = ids[2]
    let kept = linked
    try add(kept)
    #expect(try database.write { transaction in try transaction.deleteUnusedLinkPreviews() } == 1)
    #expect(try database.read { transaction in try transaction.linkPreview(ids[2]) } != nil)
  }

  // MARK: Files

  private func attachment(_ transaction: borrowing WriteTransaction, path: String) throws -> AttachmentRecord
  {
    var attachment = AttachmentRecord(.file, .downloaded, contentType: "a/b", byteCount: 1, createdAt: 1)
    attachment.fileID =
      try transaction.file(at: path)?.id
      ?? transaction.insertFile(at: path, localKey: [1], byteCount: 1, createdAt: 1)
    return try transaction.insert(attachment)
  }

  private var orphans: [String] {
    get throws {
      try database.read { transaction in try transaction.orphanFiles(announcedBefore: 0).map(\.path) }
    }
  }

  @Test func aFileGoesWithItsLastReference() throws {
    let messages = try add(message("one", at: 1), message("two", at: 2))
    let shared = try database.write { transaction in
      let shared = try attachment(transaction, path: "shared")
      for message in messages { try transaction.attach([shared.id], to: message.id) }
      return shared.id
    }
    #expect(try database.read { transaction in try transaction.referenceCount(of: shared) } == 2)
    try database.write { transaction in try transaction.delete(messages[0]) }
    #expect(try orphans == [])
    try database.write { transaction in try transaction.detachAll(from: messages[1].id) }
    #expect(try database.read { transaction in try transaction.attachment(shared) } == nil)
    #expect(try orphans == ["shared"])
    try database.write { transaction in try transaction.forgetOrphan(at: "shared") }
    #expect(try orphans == [])
  }

  @Test func twoAttachmentsMayShareAFile() throws {
    let messages = try add(message("one", at: 1), message("two", at: 2))
    try database.write { transaction in
      for message in messages {
        try transaction.attach([try attachment(transaction, path: "file").id], to: message.id)
      }
    }
    try database.write { transaction in try transaction.delete(messages[0]) }
    #expect(try orphans == [])
    try database.write { transaction in try transaction.delete(messages[1]) }
    #expect(try orphans == ["file"])
  }

  @Test func anotherPictureReleasesTheOneBefore() throws {
    try database.write { transaction in
      var profile = ProfileRecord("p", name: "P", updatedAt: 1)
      for path in ["first", "second"] {
        profile.pictureFileID = try transaction.insertFile(
          at: path, localKey: [1], byteCount: 1, createdAt: 1)
        try transaction.put(profile)
      }
      // Keeping it once more changes nothing.
      try transaction.put(profile)
    }
    #expect(try orphans == ["first"])
    try database.write { transaction in try transaction.deleteProfile("p") }
    #expect(try orphans == ["first", "second"])
  }

  @Test func anAnnouncedFileIsSweptUnlessItCame() throws {
    try database.write { transaction in
      try transaction.announceFile(at: "came", at: 10)
      try transaction.announceFile(at: "never", at: 10)
      _ = try transaction.insertFile(at: "came", localKey: [1], byteCount: 1, createdAt: 11)
    }
    #expect(try orphans == [])
    let swept = try database.read { transaction in try transaction.orphanFiles(announcedBefore: 11) }
    #expect(swept.map(\.path) == ["never"] && swept.map(\.reason) == [.arriving])
  }

  @Test func aDraftKeepsItsAttachmentsUntilTheyAreSent() throws {
    let id = try database.write { transaction in
      let id = try attachment(transaction, path: "drafted").id
      try transaction.put(DraftRecord(in: thread, body: "x", updatedAt: 1), attachments: [id])
      // The same again, as when one goes on writing.
      try transaction.put(DraftRecord(in: thread, body: "xy", updatedAt: 2), attachments: [id])
      return id
    }
    #expect(
      try database.read { transaction in try transaction.draftAttachments(of: thread).map(\.id) } == [id])
    try database.write { transaction in
      let sent = try transaction.insert(message("xy", at: 3, by: ExampleAccount.me))
      try transaction.attach([id], to: sent.id)
      try transaction.deleteDraft(of: thread)
    }
    #expect(try database.read { transaction in try transaction.referenceCount(of: id) } == 1)
    #expect(try orphans == [])
  }

  @Test func attachmentsThatNothingCameToReferToAreDeleted() throws {
    try database.write { transaction in
      _ = try attachment(transaction, path: "alone")
      #expect(try transaction.deleteUnusedAttachments(createdBefore: 1) == 0)
      #expect(try transaction.deleteUnusedAttachments(createdBefore: 2) == 1)
    }
    #expect(try orphans == ["alone"])
  }

  @Test func aDraftHasALimit() throws {
    let draft = DraftRecord(
      in: thread, body: String(repeating: "x", count: DraftRecord.maxBody + 1), updatedAt: 1)
    expectFailure(.tooLarge) { try database.write { transaction in try transaction.put(draft) } }
  }

  // MARK: What was received

  @Test func theLastHashIsThatOfTheSameNodeAndStillValid() throws {
    func last(_ node: String = "n", namespace: Int = 0, at now: Int64 = 0) throws -> String? {
      try database.read { transaction in
        try transaction.lastHash(from: node, of: "s", namespace: namespace, at: now)
      }
    }
    let isNew = try database.write { transaction in
      try [("one", 10), ("two", 30), ("three", 20), ("one", 10)].map { hash, expiry in
        try transaction.insert(
          ReceivedHash(hash, from: "n", of: "s", namespace: 0, expiresAt: expiry, storedAt: 0, receivedAt: 0))
      }
    }
    #expect(isNew == [true, true, true, false])
    #expect(try last() == "three")
    #expect(try last("other") == nil)
    #expect(try last(namespace: 2) == nil)
    #expect(try last(at: 20) == "two")
    try database.write { transaction in try transaction.invalidate(["three"], of: "s") }
    #expect(try last() == "two")
    #expect(try database.write { transaction in try transaction.deleteHashes(expiredAt: 10) } == 1)
    try database.write { transaction in try transaction.forgetHashes(of: "s", namespace: 0) }
    #expect(try last() == nil)
  }

  /// Hashes of two nodes, stored at times that are their names.
  private func insert(_ times: [Int64], from node: String, receivedAt: Int64 = 0) throws {
    try database.write { transaction in
      for time in times {
        try transaction.insert(
          ReceivedHash(
            "\(time)", from: node, of: "s", namespace: 0, expiresAt: 1000, storedAt: time,
            receivedAt: receivedAt))
      }
    }
  }

  @Test func newNodeIsReadBehindAnOldMessageOfAnother() throws {
    func last(before time: Int64, at now: Int64 = 0) throws -> String? {
      try database.read { transaction in
        try transaction.lastHash(fromOthersThan: "new", of: "s", namespace: 0, storedBefore: time, at: now)
      }
    }
    try insert([10, 30, 20], from: "a")
    try insert([15], from: "b")
    try insert([25], from: "new")
    #expect(try last(before: 100) == "30")
    #expect(try last(before: 30) == "20")
    #expect(try last(before: 20) == "15")
    #expect(try last(before: 10) == nil)
    #expect(try last(before: 100, at: 1000) == nil)
    try database.write { transaction in try transaction.invalidate(["30"], of: "s") }
    #expect(try last(before: 100) == "20")
    let hasHashes = try database.read { transaction in
      try ["a", "new", "c"].map { try transaction.hasHashes(from: $0, of: "s", namespace: 0) }
    }
    #expect(hasHashes == [true, true, false])
  }

  @Test func nodeThatLacksAMessageOfTwoOthersIsFound() throws {
    func lacks(_ node: String = "c", after start: Int64 = 0, knownBefore end: Int64 = 50) throws -> Bool {
      try database.read { transaction in
        try transaction.lacksMessages(
          node, of: "s", namespace: 0, storedAfter: start, knownBefore: end, at: 0)
      }
    }
    try database.write { transaction in
      for hash in ["10", "20"] {
        try transaction.insert(SeenMessage(hash, in: "s", expiresAt: nil, diesWithThread: false))
      }
    }
    try insert([10, 20, 30], from: "a", receivedAt: 40)
    try insert([10], from: "c")
    #expect(try !lacks())
    try insert([10, 20, 30], from: "b", receivedAt: 49)
    #expect(try lacks())
    // One of them gave it too late, or the node was not read so far back.
    #expect(try !lacks(knownBefore: 48))
    #expect(try !lacks(after: 20))
    #expect(try !lacks("a"))
    // Unreadable messages are not remembered for each node.
    try insert([20], from: "c")
    #expect(try !lacks())
  }

  @Test func hashKeepsTheTimeOfItsFirstReceipt() throws {
    try insert([10], from: "a", receivedAt: 5)
    try database.write { transaction in
      try transaction.insertLast(
        ReceivedHash("10", from: "a", of: "s", namespace: 0, expiresAt: 1000, storedAt: 10, receivedAt: 9))
    }
    #expect(try database.values("SELECT receivedAt FROM receivedHash") == [5])
  }

  @Test func onlyTheEndOfWhatANodeGaveIsKept() throws {
    func known(_ node: String, _ namespace: Int = 0) throws -> [Int] {
      try database.read { transaction in
        try (0..<10).filter { number in
          try transaction.isKnown(
            ReceivedHash(
              "\(number)", from: node, of: "s", namespace: namespace, expiresAt: 0, storedAt: 0, receivedAt: 0
            ))
        }
      }
    }
    try database.write { transaction in
      for number in 0..<10 {
        for (node, namespace) in [("n", 0), ("other", 0), ("n", 2)] {
          try transaction.insert(
            ReceivedHash(
              "\(number)", from: node, of: "s", namespace: namespace, expiresAt: 100, storedAt: 0,
              receivedAt: 0))
        }
      }
      try transaction.trimHashes(from: "n", of: "s", namespace: 0, keeping: 4)
    }
    #expect(try known("n") == [6, 7, 8, 9])
    #expect(try known("other").count == 10)
    #expect(try known("n", 2).count == 10)
  }

  @Test func handledMessagesAreNotHandledAgain() throws {
    let seen = SeenMessage("h", in: ExampleAccount.bob, expiresAt: 5, diesWithThread: false)
    try database.write { transaction in try transaction.insert(seen) }
    expectFailure(.duplicate) { try database.write { transaction in try transaction.insert(seen) } }
    #expect(try database.read { transaction in try transaction.seenMessages(expiredBefore: 6).count } == 1)
    #expect(try database.write { transaction in try transaction.deleteSeenMessages(expiredBefore: 5) } == 0)
    #expect(try database.write { transaction in try transaction.deleteSeenMessages(expiredBefore: 6) } == 1)
  }

  // MARK: Events

  @Test func eventsAreReadFromWhereAReaderStopped() throws {
    let ids = try database.write { transaction in
      try (0..<5).map { try transaction.appendEvent("e\($0)", at: Int64($0)) }
    }
    #expect(ids == ids.sorted())
    let rest = try database.read { transaction in try transaction.events(after: ids[2], limit: 1) }
    #expect(rest.map(\.kind) == ["e3"])
    try database.write { transaction in
      try transaction.acknowledge(ids[3], by: "slow", at: 1)
      try transaction.acknowledge(ids[1], by: "slow", at: 2)
      try transaction.acknowledge(ids[4], by: "fast", at: 3)
    }
    #expect(try database.read { transaction in try transaction.acknowledgedEvent(by: "slow") } == ids[3])
    #expect(try database.write { transaction in try transaction.trimEvents(.unread(100), at: .max) } == 4)
    try database.write { transaction in try transaction.removeReader("slow") }
    #expect(try database.write { transaction in try transaction.trimEvents(.unread(100), at: .max) } == 1)
    // Numbers go on where they were, though there is no event any more.
    let next = try database.write { transaction in try transaction.appendEvent("next", at: 9) }
    #expect(next.rawValue == ids[4].rawValue + 1)
  }

  @Test func eventsOfReadersThatNeverComeAreBounded() throws {
    try database.write { transaction in
      for number in 0..<10 { try transaction.appendEvent("e\(number)", at: 1) }
      try transaction.acknowledge(EventRecord.ID(rawValue: 0), by: "gone", at: 1)
    }
    #expect(try database.read { transaction in try transaction.eventFloor() }.rawValue == 0)
    #expect(try database.write { transaction in try transaction.trimEvents(.unread(3), at: .max) } == 7)
    #expect(try database.read { transaction in try transaction.eventFloor() }.rawValue == 7)
    #expect(try database.write { transaction in try transaction.trimEvents(.unread(3), at: .max) } == 0)
    #expect(try database.read { transaction in try transaction.eventFloor() }.rawValue == 7)
  }

  /// The numbers of the events that are left, of ten that were made a day apart.
  private func rest(
    _ retention: EventRetention, acknowledged: [(reader: String, cursor: Int64)]
  ) throws -> ClosedRange<Int64>? {
    let day = GarbageRules.day
    let ids = try database.write { transaction -> [Int64] in
      for number in 1...10 { try transaction.appendEvent("e", at: Int64(number) * day) }
      for (reader, cursor) in acknowledged {
        try transaction.acknowledge(EventRecord.ID(rawValue: cursor), by: reader, at: 1)
      }
      try transaction.trimEvents(retention, at: 10 * day)
      return try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 99).map(\.id.rawValue)
    }
    return ids.first.map { $0...ids[ids.count - 1] }
  }

  private static let retained: [(EventRetention, [(String, Int64)], Int64)] = [
    // Seven days, without a reader; the day itself counts.
    (EventRetention(settledCount: 0), [], 3),
    (EventRetention(settledAge: 2 * GarbageRules.day, settledCount: 5), [], 6),
    (EventRetention(settledAge: 0, settledCount: 5), [("slow", 2), ("fast", 9)], 3),
    (EventRetention(limit: 4, settledAge: 0, settledCount: 0), [("slow", 2)], 7),
    (EventRetention(settledAge: 0, settledCount: 0), [("ui", 1), ("notify", 1), ("bot", 8)], 9),
  ]

  @Test(arguments: retained.indices) func eventsAreKeptForReadersAndForAWhile(index: Int) throws {
    let (retention, acknowledged, first) = Self.retained[index]
    #expect(try rest(retention, acknowledged: acknowledged) == first...10)
  }

  @Test func eventNumbersBeginAboveAllOfEarlierDatabases() throws {
    let first = try database.write { transaction in
      try transaction.beginEventNumbers(at: 1_800_000_000_999)
      return try transaction.appendEvent("e", at: 1)
    }
    #expect(first.rawValue == 1_800_000_000 << 20 + 1)
    #expect(try database.read { transaction in try transaction.eventFloor().rawValue } == 1_800_000_000 << 20)
    let next = try database.write { transaction in
      // The clock goes back.
      try transaction.beginEventNumbers(at: 1_700_000_000_000)
      return try transaction.appendEvent("e", at: 1)
    }
    #expect(next.rawValue == first.rawValue + 1)
  }

  private func dead(of reader: String) throws -> [Int64] {
    try database.read { transaction in try transaction.deadEvents(of: reader).map(\.event.id.rawValue) }
  }

  @Test func deadEventsOutliveTheEventsThatTheyCopy() throws {
    try database.write { transaction in
      for number in 1...3 { try transaction.appendEvent("e\(number)", at: 1) }
      let isBuried = try transaction.bury(
        EventRecord.ID(rawValue: 2), of: "bot", tries: 5, reason: nil, at: 7)
      #expect(isBuried)
      try transaction.trimEvents(.unread(0), at: .max)
    }
    let (reader, dead) = try database.read { transaction in
      (try transaction.eventReader("bot"), try transaction.deadEvents())
    }
    #expect(reader?.acknowledged.rawValue == 2)
    #expect(dead.map(\.event.kind) == ["e2"] && dead.map(\.tries) == [5] && dead.map(\.diedAt) == [7])
    #expect(try database.read { transaction in try transaction.deadEventCounts() } == ["bot": 1])
    try database.write { transaction in try transaction.removeReader("bot") }
    #expect(try self.dead(of: "bot") == [])
  }

  @Test func retriedEventsStayUntilTheyWereDeliveredAndAcknowledged() throws {
    let ids = (1...4).map { EventRecord.ID(rawValue: $0) }
    try database.write { transaction in
      for id in ids { try transaction.appendEvent("e\(id)", at: 1) }
      for id in ids.prefix(3) { _ = try transaction.bury(id, of: "bot", tries: 2, reason: "no", at: 7) }
      let count = try transaction.retryDeadEvents(ids[1], of: "bot")
      #expect(count == 1)
      try transaction.acknowledge(ids[3], by: "bot", at: 8)
    }
    #expect(try dead(of: "bot") == [1, 2, 3])
    try database.write { transaction in
      try transaction.noteDelivery(ofRetried: ids[1], to: "bot", tries: 1)
      try transaction.acknowledge(ids[1], by: "bot", at: 9)
    }
    #expect(try dead(of: "bot") == [1, 3])
    try database.write { transaction in
      let counts = [
        try transaction.retryDeadEvents(ids[1], of: "bot"), try transaction.retryDeadEvents(nil, of: "bot"),
        try transaction.retryDeadEvents(nil, of: "other"),
      ]
      #expect(counts == [0, 2, 0])
      // It dies again.
      let isBuried = try transaction.bury(ids[0], of: "bot", tries: 2, reason: "again", at: 10)
      #expect(isBuried)
    }
    let rest = try database.read { transaction in try transaction.deadEvents(of: "bot") }
    #expect(rest.map(\.isRetried) == [false, true] && rest[0].reason == "again")
  }

  @Test func aReaderHasALimitOfDeadEvents() throws {
    try database.write { transaction in
      for _ in 0...DeadEventRecord.limit { try transaction.appendEvent("e", at: 1) }
      for number in 1...Int64(DeadEventRecord.limit) {
        _ = try transaction.bury(EventRecord.ID(rawValue: number), of: "bot", tries: 1, reason: nil, at: 1)
      }
      let last = EventRecord.ID(rawValue: Int64(DeadEventRecord.limit) + 1)
      let isBuried = try transaction.bury(last, of: "bot", tries: 1, reason: nil, at: 1)
      #expect(!isBuried)
    }
    let reader = try database.read { transaction in try transaction.eventReader("bot") }
    #expect(reader?.acknowledged.rawValue == Int64(DeadEventRecord.limit))
  }

  // MARK: Jobs

  private func job(_ kind: String = "k", _ change: (inout JobRecord) -> Void = { _ in }) -> JobRecord {
    var job = JobRecord(kind, payload: [1], queue: "q", createdAt: 1)
    change(&job)
    return job
  }

  private func waiting(_ id: JobRecord.ID) throws -> [JobDependency] {
    try database.read { transaction in try transaction.waits(of: id).map(\.dependency) }
  }

  @Test func jobsAreFoundByTheirState() throws {
    let ids = try database.write { transaction in
      try JobRecord.State.allCases.map { state in try transaction.insert(job { $0.state = state }).id }
    }
    for (state, id) in zip(JobRecord.State.allCases, ids) {
      #expect(try database.read { transaction in try transaction.jobs(state, limit: 9).map(\.id) } == [id])
      #expect(try database.read { transaction in try transaction.jobs(state, after: id, limit: 9) } == [])
    }
    let waiting = try database.read { transaction in
      var found: [JobRecord] = []
      try transaction.forEachWaitingJob { found.append($0) }
      return found
    }
    #expect(waiting.map(\.id) == [ids[0]] && waiting[0].payload.isEmpty)
    #expect(try database.read { transaction in try transaction.oldestWaitingJob() } == ids[0])
    #expect(try database.read { transaction in try transaction.waitingJobCount() } == 1)
    #expect(try database.read { transaction in try transaction.jobCounts() }.values.allSatisfy { $0 == 1 })
  }

  /// There may be a hundred thousand of them.
  @Test(arguments: [
    "SELECT id FROM job WHERE state = 0 AND state <> 2 ORDER BY id",
    "SELECT min(id) FROM job WHERE state = 0 AND state <> 2",
    "SELECT id FROM job WHERE state = ? AND state <> 2 AND id > ? ORDER BY id",
    "SELECT id FROM job WHERE kind = ? AND uniqueKey = ? AND state IN (0, 1)",
    "DELETE FROM job WHERE state IN (2, 4) AND finishedAt < ?",
  ]) func jobsAreSearchedByAnIndex(statement: String) throws {
    let plan = try database.maintain { statements in
      let plan = try statements.connection.prepare("EXPLAIN QUERY PLAN " + statement)
      return try plan.step() ? plan.text(3) : ""
    }
    #expect(plan.hasPrefix("SEARCH TABLE job USING"), "\(plan)")
  }

  @Test func aRunnerHoldsWhatItClaimed() throws {
    let id = try database.write { transaction in try transaction.insert(job()).id }
    let claimed = try database.write { transaction in
      [
        try transaction.claimJob(id, for: "one", at: 5), try transaction.claimJob(id, for: "two", at: 6),
        try transaction.setProgress(0.5, of: id, by: "one"),
        try transaction.setProgress(0.7, of: id, by: "two"),
        try transaction.isRunning(id, by: "one"), try transaction.isRunning(id, by: "two"),
        try transaction.finishJob(id, of: "two", at: 7),
      ]
    }
    #expect(claimed == [true, false, true, false, true, false, false])
    var running = try #require(try database.read { transaction in try transaction.job(id) })
    #expect(running.state == .running && running.attempts == 1 && running.startedAt == 5)
    #expect(running.progress == 0.5)
    running.state = .waiting
    (running.failures, running.notBefore, running.failure) = (1, 99, "no")
    let failed = running
    let settled = try database.write { transaction in
      [
        try transaction.settle(failed, of: "two"), try transaction.settle(failed, of: "one"),
        try transaction.finishJob(id, of: "one", at: 7), try transaction.claimJob(id, for: "one", at: 100),
        try transaction.finishJob(id, of: "one", at: 101),
        try transaction.endJob(id, .cancelled, because: "late", at: 102),
      ]
    }
    #expect(settled == [false, true, false, true, true, false])
    let done = try #require(try database.read { transaction in try transaction.job(id) })
    #expect(done.state == .done && done.finishedAt == 101 && done.attempts == 2 && done.failures == 1)
    #expect(done.runner == nil && done.failure == nil)
  }

  @Test func rescheduledJobsAreNotFinished() throws {
    let isFinished = try database.write { transaction in
      let added = try transaction.insert(job { $0.againAt = 9 })
      _ = try transaction.claimJob(added.id, for: "one", at: 5)
      return try transaction.finishJob(added.id, of: "one", at: 7)
    }
    #expect(!isFinished)
  }

  @Test func aRunnerIsNotifiedOnlyOfChangesByOthers() throws {
    let observation = database.observations.observe(.jobRequests)
    func told() -> Set<ObservationKey> { Set(observation.fetch()?.changes.keys.map { $0 } ?? []) }
    let id = try database.write { transaction in try transaction.insert(job()).id }
    #expect(told() == [.jobRequest(id)])
    try database.write { transaction in
      _ = try transaction.claimJob(id, for: "one", at: 5)
      try transaction.setProgress(0.5, of: id, by: "one")
      try transaction.putEffect("store", of: id, isDone: false)
    }
    #expect(told() == [])
    let other = try database.write { transaction in
      try transaction.endJob(id, .cancelled, because: "no", at: 6)
      return try transaction.insert(job(), after: [.job(id), .event("e")]).id
    }
    #expect(told() == [.jobRequest(id), .jobRequest(other)])
    try database.write { transaction in try transaction.fulfil(event: "e") }
    #expect(told() == [.jobRequest(other)])
    try database.write { transaction in try transaction.deleteJob(id) }
    #expect(told() == [.jobRequest(id), .jobRequest(other)])
  }

  @Test func anEventFreesThoseThatWaitForIt() throws {
    let (one, all, any) = try database.write { transaction in
      let one = try transaction.insert(job("one")).id
      return (
        one,
        try transaction.insert(job("all"), after: [.job(one), .end(one), .event("pushed")]).id,
        try transaction.insert(job("any") { $0.needsAny = true }, after: [.job(one), .event("pushed")]).id
      )
    }
    #expect(try database.read { transaction in try transaction.dependants(of: one) } == [all, any])
    let waits = try database.read { transaction in try transaction.jobWaits() }
    #expect(waits.map(\.job) == [all, all, all, any, any])
    #expect(waits.map(\.state) == [.waiting, .waiting, nil, .waiting, nil])
    try database.write { transaction in try transaction.fulfil(event: "other") }
    try database.write { transaction in try transaction.fulfil(event: "pushed") }
    #expect(try waiting(all) == [.job(one), .end(one)])
    #expect(try waiting(any) == [])
    try database.write { transaction in try transaction.deleteWaits(of: all, on: one) }
    #expect(try waiting(all) == [])
  }

  @Test func aKeyIsTakenUntilItsJobIsOver() throws {
    var first = try database.write { transaction in try transaction.insert(job { $0.uniqueKey = "u" }) }
    expectFailure(.duplicate) {
      try database.write { transaction in _ = try transaction.insert(job { $0.uniqueKey = "u" }) }
    }
    #expect(try database.read { transaction in try transaction.job("k", for: "u") } == first)
    first.state = .failed
    first.failure = "no"
    first.finishedAt = 5
    let over = first
    try database.write { transaction in
      try transaction.update(over)
      try transaction.insert(job { $0.uniqueKey = "u" })
    }
    #expect(try database.read { transaction in try transaction.job(over.id) } == over)
    // A failure stays until somebody has seen it.
    #expect(try database.write { transaction in try transaction.deleteJobs(finishedBefore: 9) } == 0)
  }

  @Test func effectsAreKeptWithTheirJob() throws {
    let id = try database.write { transaction in
      let id = try transaction.insert(job()).id
      try transaction.putEffect("store", of: id, isDone: false)
      try transaction.putEffect("store", of: id, isDone: true, result: [1])
      return id
    }
    let effects = try database.read { transaction in try transaction.effects(of: id) }
    #expect(effects.map(\.isDone) == [true] && effects[0].result == [1])
    #expect(try database.read { transaction in try transaction.effect("store", of: id) } == effects[0])
    #expect(try database.read { transaction in try transaction.effect("other", of: id) } == nil)
    try database.write { transaction in try transaction.deleteJob(id) }
    #expect(try database.value("SELECT count(*) FROM jobEffect") == 0)
  }

  // MARK: The rest

  @Test func settingsAreOfTheirType() throws {
    let number = Setting<Int>("number")
    try database.write { transaction in
      try transaction.set(number, to: 5)
      try transaction.set(number, to: 6)
    }
    #expect(try database.read { transaction in try transaction.value(of: number) } == 6)
    try database.write { transaction in try transaction.set(number, to: nil) }
    #expect(try database.read { transaction in try transaction.value(of: number) } == nil)
  }

  @Test func aRevocationIsValidFromItsTimeOn() throws {
    try database.write { transaction in
      try transaction.setProRevocations([ProRevocation([1], effectiveAt: 10, keptUntil: 20)])
    }
    for (tag, now, expected) in [(1, 9, false), (1, 10, true), (2, 10, false)] as [(UInt8, Int64, Bool)] {
      #expect(try database.read { transaction in try transaction.isRevoked([tag], at: now) } == expected)
    }
    #expect(try database.write { transaction in try transaction.deleteProRevocations(keptBefore: 21) } == 1)
  }

  @Test func notificationsAreTakenBackWhenTheirMessagesWereRead() throws {
    let ids = try database.write { transaction in
      try [10, 20].map { try transaction.insertNotification(.message, thread: thread, createdAt: $0) }
    }
    try database.write { transaction in try transaction.markShown(ids[0], at: 11) }
    #expect(
      try database.read { transaction in try transaction.waitingNotifications(limit: 9).map(\.id) } == [
        ids[1]
      ])
    let shown = try database.read { transaction in try transaction.notifications(of: thread, upTo: 15) }
    #expect(shown.map(\.shownAt) == [11])
    try database.write { transaction in try transaction.deleteNotifications(of: thread, upTo: 15) }
    #expect(try database.value("SELECT count(*) FROM notification") == 1)
  }

  @Test func partsBesideADumpAreWrittenOnce() throws {
    let whole = ConfigPartRecord.Whole([1], count: 3)
    let parts = (0..<3).map {
      ConfigPartRecord($0, of: whole, hash: "hash\($0)", content: [UInt8($0)], expiresAt: 9)
    }
    func keep(_ parts: [ConfigPartRecord]) throws -> [Int64] {
      try database.write { transaction in try transaction.keep(parts, besideDump: "contacts", of: "me") }
      return try database.values("SELECT id FROM configPart ORDER BY id")
    }
    #expect(try keep([parts[2], parts[0]]) == [1, 2])
    #expect(try keep(parts) == [1, 2, 3])
    #expect(
      try database.read { transaction in try transaction.configParts("contacts", of: "me") } == [
        parts[2], parts[0], parts[1],
      ])
    #expect(try keep([parts[0]]) == [2])
    #expect(try database.read { transaction in try transaction.configParts("profile", of: "me") } == [])
    try database.write { transaction in try transaction.deleteConfigDumps(of: "me") }
    #expect(try database.value("SELECT count(*) FROM configPart") == 0)
  }

  @Test func serversWithoutRoomsAreForgotten() throws {
    try database.write { transaction in
      for url in ["official", "used", "unused"] {
        try transaction.put(CommunityServerRecord(url, publicKey: [1]))
        try transaction.setCapabilities([CapabilityRecord("a")], of: url)
      }
      let room = try transaction.obtainThread(at: "used/r", .community, createdAt: 1)
      try transaction.put(CommunityRecord(room.id, server: "used", room: "r", name: "R"))
      #expect(try transaction.deleteUnusedServers(except: "official") == 1)
    }
    #expect(try database.values("SELECT server FROM capability ORDER BY server") == ["official", "used"])
  }
}

extension EventRetention {
  /// Events are kept as long as a reader has not acknowledged them, up to a limit.
  fileprivate static func unread(_ limit: Int) -> EventRetention {
    EventRetention(limit: limit, settledAge: 0, settledCount: 0)
  }
}
