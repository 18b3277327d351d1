import Testing

@testable import SessionStorage

@Suite struct SearchTests {
  private let database: Database
  private let thread: ThreadRecord.ID

  init() throws {
    let database = try ExampleAccount.inMemory()
    self.database = database
    thread = try database.write { transaction in
      try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
    }
  }

  private func add(_ bodies: String...) throws {
    try database.write { transaction in
      for body in bodies {
        let time: Int64 = try transaction.value("SELECT ifnull(max(id), 0) FROM interaction") ?? 0
        try transaction.insert(ExampleAccount.message(body, in: thread, at: time))
      }
    }
  }

  private func found(_ words: String) throws -> [String] {
    try database.read { transaction in try transaction.search(words).found.compactMap(\.body) }
  }

  @Test(arguments: [
    ("hello", "Hello there"), ("HELLO th", "Hello there"), ("there hello", "Hello there"),
    ("cafe", "Café crème"),
    ("strasse", "Große STRASSE"), ("STRAẞE", "Große STRASSE"), ("ｆｕｌｌ", "full width"), ("日本", "私は日本語を話す"),
    ("本語", "私は日本語を話す"), ("話", "私は日本語を話す"), ("す", "私は日本語を話す"), ("語を話", "私は日本語を話す"), ("안녕", "안녕하세요"),
    ("하세", "안녕하세요"), ("你好 hi", "hi你好"), ("😀", "so😀funny"), ("funn", "so😀funny"), ("👍🏽", "yes 👍🏽"),
    ("❤️", "I ❤ you"), ("o'brien", "Tell O'Brien"), ("zero", "ze\u{200B}ro width"), ("สวัส", "สวัสดีครับ"),
    ("3.14", "pi is 3.14159"),
    ("-hello", "Hello there"),
  ]) func writtenTextIsFound(words: String, body: String) throws {
    try add("nothing of it", body, "something else")
    #expect(try found(words) == [body])
  }

  @Test(arguments: [
    "", " ", "\"", "*", "-", "\"unfinished", "hello OR nothing", "NEAR/2", "-nothing", "text:hello",
    "hello AND", "(", "%",
    "日語", "\u{0}", "hello there you", "😀",
  ]) func absentTextIsNeverFound(words: String) throws {
    try add("hello there", "日本語")
    #expect(try found(words) == [])
  }

  @Test func theLastWordMayBeUnfinishedAndOthersMayNot() throws {
    try add("hello world")
    #expect(try found("hello wor") == ["hello world"])
    #expect(try found("hel world") == [])
  }

  @Test func resultsAreSortedBySendTimeNotArrival() throws {
    let times: [Int64] = [500, 100, 900, 300, 700, .max - 1, 0, -5, .min, 1 << 41]
    try database.write { transaction in
      for time in times {
        try transaction.insert(ExampleAccount.message("same \(time)", in: thread, at: time))
      }
    }
    let expected = times.sorted(by: >).map { "same \($0)" }
    // Those before 1970 are of one time for the search, where the last to arrive comes first.
    #expect(try found("same").prefix(7) == expected.prefix(7))
    #expect(try Set(found("same")) == Set(expected))
  }

  @Test func pagesFollowEachOtherWithoutGapsAndRepetitions() throws {
    try database.write { transaction in
      for number in 0..<30 {
        // Several of one time, by different people.
        try transaction.insert(
          ExampleAccount.message("same \(number)", in: thread, at: Int64(number / 4), by: "\(number)"))
      }
    }
    var seen: [String] = []
    var next: SearchPlace?
    repeat {
      let page = try database.read { transaction in try transaction.search("same", before: next, limit: 7) }
      seen += page.found.compactMap(\.body)
      next = page.next
    } while next != nil
    #expect(seen == (0..<30).reversed().map { "same \($0)" })
  }

  /// Places of one millisecond are few, and numbers of messages many.
  @Test func messagesOfOneTimeAndPlaceAreBothFound() throws {
    try database.write { transaction in
      try transaction.insert(ExampleAccount.message("twin one", in: thread, at: 5, by: "a"))
      try transaction.run("UPDATE sqlite_sequence SET seq = seq + 4095 WHERE name = 'interaction'")
      var twin = try transaction.insert(ExampleAccount.message("twin two", in: thread, at: 5, by: "b"))
      #expect(twin.id.rawValue % 4096 == 1)
      twin.body = "twin three"
      try transaction.update(twin)
    }
    #expect(try found("twin") == ["twin three", "twin one"])
    try database.write { transaction in try transaction.checkSearch() }
  }

  @Test func aMessageWhoseTimeChangesMoves() throws {
    try database.write { transaction in
      var message = try transaction.insert(ExampleAccount.message("same first", in: thread, at: 10))
      try transaction.insert(ExampleAccount.message("same second", in: thread, at: 20))
      message.sentAt = 30
      try transaction.update(message)
    }
    #expect(try found("same") == ["same first", "same second"])
    try database.write { transaction in try transaction.checkSearch() }
  }

  @Test func oneConversationCanBeSearched() throws {
    try add("word here")
    let other = try database.write { transaction in
      let other = try transaction.obtainThread(at: "other", .contact, createdAt: 1).id
      try transaction.insert(ExampleAccount.message("word there", in: other, at: 1))
      return other
    }
    let hits = try database.read { transaction in try transaction.search("word", in: other).found }
    #expect(hits.compactMap(\.body) == ["word there"])
    // The number of a conversation is no word of it.
    #expect(try database.read { transaction in try transaction.search("\(other)", in: other).found } == [])
    #expect(try found("\(other)") == [])
    #expect(try found("word") == ["word there", "word here"])
  }

  @Test func messagesOfBlockedPeopleAreFoundInTheirConversationOnly() throws {
    try add("secret")
    try database.write { transaction in
      var contact = ContactRecord(ExampleAccount.bob, createdAt: 1)
      contact.isBlocked = true
      try transaction.put(contact)
    }
    #expect(try found("secret") == [])
    #expect(
      try database.read { transaction in try transaction.search("secret", in: thread).found.count } == 1)
  }

  @Test func editedMessagesAreFoundByTheirNewText() throws {
    try add("before")
    try database.write { transaction in
      var changed = try #require(try transaction.page(of: thread, limit: 1).first)
      changed.body = "after"
      try transaction.update(changed)
    }
    #expect(try found("before") == [])
    #expect(try found("after") == ["after"])
    try database.write { transaction in try transaction.checkSearch() }
  }

  @Test func theSearchIndexAgreesWithTheMessages() throws {
    for number in 0..<40 { try add("the same words \(number)", "and again the same") }
    try database.write { transaction in
      try transaction.run("DELETE FROM interaction WHERE id % 3 = 0")
      try transaction.checkSearch()
      try transaction.optimiseSearch()
      try transaction.checkSearch()
    }
    #expect(try found("same").count == 54)
  }

  @Test func mentionsAreFoundByName() throws {
    try database.write { transaction in
      var profile = ProfileRecord(ExampleAccount.bob, name: "Robert", updatedAt: 1)
      profile.nickname = "Bobby"
      try transaction.put(profile)
    }
    let known = "ask @\(ExampleAccount.bob), or mail a@b"
    let unknown = "ask @\(ExampleAccount.me)"
    let short = "ask @\(ExampleAccount.bob.dropLast())"
    try add(known, unknown, short, "@", "@@\(ExampleAccount.bob)x")
    #expect(try found("robert mail") == [known])
    #expect(try found("bobby") == ["@@\(ExampleAccount.bob)x", known])
    #expect(try found(ExampleAccount.bob) == [])
    #expect(try found(ExampleAccount.me) == [unknown])
    #expect(try found(String(ExampleAccount.bob.dropLast())) == [short])
  }

  @Test func notesOfTheProgramAreNotFound() throws {
    try database.write { transaction in
      var note = ExampleAccount.message("group changed", in: thread, at: 1)
      note.kind = InteractionRecord.Kind(rawValue: 2000)
      try transaction.insert(note)
    }
    #expect(try found("group") == [])
  }

  @Test func anInconsistentSearchIndexIsReported() throws {
    try add("walrus", "seal")
    try database.write { transaction in
      try transaction.run("DELETE FROM messageSearch WHERE docid = (SELECT max(place) FROM messageText)")
    }
    expectFailure(.corrupt) { try database.write { transaction in try transaction.checkSearch() } }
  }

  /// Any text is found by searching for all of it, and a search contains only words, no operators.
  @Test func anyTextIsFoundByItself() throws {
    let alphabet = [
      "a", "B", "é", "ß", "7", " ", " ", "\"", "*", "-", "(", ")", ":", "^", "OR ", "NEAR/2 ", "text:", "日",
      "本", "語", "한",
      "ก", "😀", "👍🏽", "\u{0}", "'", ";", "%", "_", "\u{301}", "\u{200B}",
    ]
    var random = SeededRandom(seed: 7)
    for round in 0..<200 {
      let body = (0..<random.next(below: 12) + 1).map { _ in alphabet[random.next(below: alphabet.count)] }
        .joined()
      try add(body)
      let isWritten = SearchText.query(body) != nil
      #expect(try found(body).contains(body) == isWritten, "seed 7, round \(round): \(body.debugDescription)")
      if isWritten {
        let snippet = SearchSnippet(of: body, for: body)
        #expect(!snippet.matches.isEmpty, "seed 7, round \(round): \(body.debugDescription)")
      }
    }
  }

  @Test func namesAreFoundByAnyPartOfThem() throws {
    try database.write { transaction in
      var profile = ProfileRecord(ExampleAccount.bob, name: "Robert 100%", updatedAt: 1)
      profile.nickname = "ÉMILE"
      try transaction.put(profile)
      let group = try transaction.obtainThread(at: ExampleAccount.groupID, .group, createdAt: 1)
      try transaction.put(GroupRecord(group.id, name: "The_Émigrés", formedAt: 1))
    }
    func named(_ text: String) throws -> Int {
      try database.read { transaction in try transaction.threads(named: text).count }
    }
    #expect(
      try named("ober") == 1 && named("ém") == 2 && named("0%") == 1 && named("%") == 1 && named("_") == 1)
    #expect(try named("x") == 0)
  }
}

/// Numbers that are the same every time.
private struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }
}
