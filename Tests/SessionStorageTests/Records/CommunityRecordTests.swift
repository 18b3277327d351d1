import Testing

@testable import SessionStorage

@Suite struct CommunityRecordTests {
  private let database: Database
  private let blinded, bob: ThreadRecord

  init() throws {
    let database = try ExampleAccount.inMemory()
    self.database = database
    (blinded, bob) = try database.write { transaction in
      try transaction.put(CommunityServerRecord(ExampleAccount.server, publicKey: ExampleAccount.key))
      return (
        try transaction.obtainThread(at: ExampleAccount.blinded, .contact, createdAt: 5),
        try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 9)
      )
    }
  }

  private func add(_ body: String, to thread: ThreadRecord, at time: Int64) throws {
    try database.write { transaction in
      _ = try transaction.insert(
        ExampleAccount.message(body, in: thread.id, at: time, by: ExampleAccount.me))
    }
  }

  private func merge() throws {
    try database.write { transaction in
      let now = try transaction.thread(blinded.id) ?? blinded
      try transaction.merge(now, into: bob.id)
    }
  }

  @Test func aMergedConversationHasTheMessagesOfBothInOrder() throws {
    try add("second", to: blinded, at: 2)
    try add("first", to: bob, at: 1)
    try add("the same", to: blinded, at: 3)
    try add("the same", to: bob, at: 3)
    try merge()
    try database.read { transaction in
      let (old, new) = (try transaction.thread(at: ExampleAccount.blinded), try transaction.thread(bob.id))
      #expect(old == nil && new?.createdAt == 5)
      let page = try transaction.page(of: bob.id, limit: 9)
      #expect(page.reversed().map(\.body) == ["first", "second", "the same"])
      let found = try transaction.search("second", in: bob.id).found
      #expect(found.map(\.body) == ["second"])
    }
  }

  @Test func aMergedConversationKeepsItsDraftAndWhatIsRead() throws {
    try database.write { transaction in
      var read = blinded
      (read.lastReadAt, read.isMarkedUnread) = (7, true)
      try transaction.update(read)
      try transaction.put(DraftRecord(in: blinded.id, body: "unfinished", updatedAt: 1))
    }
    try merge()
    try database.read { transaction in
      let (thread, draft) = (try transaction.thread(bob.id), try transaction.draft(of: bob.id))
      #expect(thread?.lastReadAt == 7 && draft?.body == "unfinished")
      #expect(thread?.isMarkedUnread == true)
    }
  }

  @Test func jobsOfAMergedConversationGoOn() throws {
    let id = try database.write { transaction in
      var job = JobRecord("delivery", payload: [1], queue: "q", createdAt: 1)
      job.threadID = blinded.id
      return try transaction.insert(job).id
    }
    try merge()
    #expect(try database.read { transaction in try transaction.job(id)?.threadID } == bob.id)
  }

  private func bad(_ number: Int64, _ place: String = ">inbox", bytes: Int = 1) -> BadItemRecord {
    BadItemRecord(
      number, in: place, of: ExampleAccount.server, reason: "unreadable",
      bytes: [UInt8](repeating: 1, count: bytes), programVersion: "1")
  }

  @Test func theNewestUnreadableLettersOfBothBoxesAreKept() throws {
    try database.write { transaction in
      try transaction.put(bad(0, "room"))
      for number in 1...Int64(BadItemRecord.maxLetters + 10) {
        try transaction.put(bad(number, number.isMultiple(of: 2) ? ">inbox" : ">outbox"))
      }
    }
    func kept(in place: String) throws -> [Int64] {
      try database.read { transaction in
        try transaction.badItems(in: place, of: ExampleAccount.server).map(\.number)
      }
    }
    let letters = try kept(in: ">inbox") + kept(in: ">outbox")
    #expect(letters.sorted() == (11...Int64(BadItemRecord.maxLetters + 10)).map(\.self))
    #expect(try kept(in: "room") == [0])
  }

  @Test func anUnreadableLetterThatIsTooLargeIsKeptWithoutItsBytes() throws {
    try database.write { transaction in try transaction.put(bad(1, bytes: BadItemRecord.maxBytes + 1)) }
    let kept = try database.read { transaction in
      try transaction.badItems(in: ">inbox", of: ExampleAccount.server)
    }
    #expect(kept.map(\.bytes) == [nil])
  }

  @Test func unreadableItemsGoWithTheirServer() throws {
    try database.write { transaction in
      try transaction.put(bad(1))
      try transaction.deleteServer(ExampleAccount.server)
    }
    #expect(try database.value("SELECT count(*) FROM communityBadItem") == 0)
  }
}
