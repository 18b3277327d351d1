import SessionBase
import SessionCore
import SessionStorage
import Testing

@testable import SessionServers

/// Pages that are made once, and given to many readers.
@Suite(.onBothStorages) struct CommunityPageMemoryTests {
  /// Asks until an answer comes from memory, and returns it. A server that shares its rows may not hear yet of what others
  /// change.
  private func remembered(_ site: CommunitySite, _ reader: Member?, _ path: String) async throws -> String {
    let memory = site.server.store.memory
    while true {
      let count = memory.answerCount
      let answer = try await site.call(reader, "GET", path)
      try #require(answer.status == 200, "\(answer.text)")
      if memory.answerCount > count { return answer.text }
    }
  }

  /// Has a server know the rights of a reader.
  private func meet(_ site: CommunitySite, _ readers: [Member]) async throws {
    for reader in readers { _ = try await site.call(reader, "GET", "/room/lobby/messages/since/1000000") }
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      "/room/lobby/messages/since/0?t=r&reactors=5", "/room/lobby/messages/recent", "/lobby",
      "/r/lobby/recent.html", "/room/lobby", "/room/lobby/pollInfo/99",
    ])
  func whatHappensIsReadForTheFirstReaderAlone(path: String) async throws {
    try await withCommunity { (site) async throws in
      let (author, readers) = (try site.member(), [try site.member(), try site.member(.blinded25)])
      try await site.post("one", as: author)
      try await meet(site, readers)
      let first = try await site.call(nil, "GET", path).text
      #expect(try await remembered(site, nil, path) == first)
      let count = site.server.store.memory.answerCount
      for reader in readers { #expect(try await site.call(reader, "GET", path).text == first) }
      if !site.server.store.isShared { #expect(site.server.store.memory.answerCount == count + 2) }
      try await site.post("two", as: author)
      let second = try await site.call(readers[0], "GET", path).text
      #expect(second != first)
      #expect(try await remembered(site, readers[0], path) == second)
    }
  }

  @Test(.timeLimit(.minutes(5))) func readersWhoReactedSeeThatTheyHave() async throws {
    try await withCommunity { (site) async throws in
      let (author, other) = (try site.member(), try site.member())
      try await site.post("one", as: author)
      #expect(try await site.call(author, "PUT", "/room/lobby/reaction/1/👍", json: [:]).status == 200)
      try await meet(site, [author, other])
      for path in ["/room/lobby/messages/recent", "/room/lobby/messages/since/0?t=r"] {
        let others = try await remembered(site, other, path)
        #expect(!others.contains("\"you\""))
        #expect(try await site.call(author, "GET", path).text.contains("\"you\":true"))
        #expect(try await remembered(site, nil, path) == others)
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func pagesThatVeryManyReactedToAreForStrangersAlone() async throws {
    try await withCommunity { (site) async throws in
      let (author, reader) = (try site.member(), try site.member())
      try await site.post("one", as: author)
      #expect(try await site.call(author, "PUT", "/room/lobby/reaction/1/👍", json: [:]).status == 200)
      try await meet(site, [reader])
      let path = "/room/lobby/messages/recent"
      _ = try await remembered(site, reader, path)
      try await site.server.store.write { transaction in
        for number in 1...PageAudience.maxOthers {
          let key = (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) }
          try transaction.run("INSERT INTO person (key, created, active) VALUES (?1, 0, 0)", key)
          try transaction.run(
            """
            INSERT INTO reaction (message, emoji, place, person, at)
            SELECT 1, 'x', 2, id, 0 FROM person WHERE key = ?1
            """, key)
        }
        try transaction.noteReactions(to: 1, of: 1)
      }
      let page = try await remembered(site, nil, path)
      let count = site.server.store.memory.answerCount
      #expect(try await site.call(reader, "GET", path).text == page)
      #expect(site.server.store.memory.answerCount == count)
    }
  }

  @Test(.timeLimit(.minutes(5))) func whispersAreInNoOnesPageButTheirs() async throws {
    try await withCommunity { (site) async throws in
      let (admin, reader, other) = (try await site.admin(), try site.member(), try site.member())
      try await meet(site, [admin, reader, other])
      try await site.post("public", as: reader)
      let whisper = try admin.post(
        data: bytes("psst") + [0x80, 0],
        [.init("whisper_to", .string(reader.id)), .init("whisper_mods", true)])
      #expect(try await site.call(admin, "POST", "/room/lobby/message", json: whisper).status == 201)
      for path in ["/room/lobby/messages/recent", "/room/lobby/messages/since/0"] {
        // The first reader.
        for people in [[reader, admin, other, nil], [nil, other, admin, reader]] as [[Member?]] {
          site.server.store.memory.forgetAll()
          for person in people + people {
            let texts = try await site.texts(person, path)
            let hears = person.map { [reader.id, admin.id].contains($0.id) } ?? false
            #expect(texts.contains("psst") == hears)
          }
        }
        #expect(try await !remembered(site, nil, path).contains("whisper"))
      }
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: ["/batch", "/sequence"])
  func largeBatchesFromMemoryEndLikeThoseFromRows(path: String) async throws {
    try await withCommunity {
      $0.postLimit = .init(1000, within: 1)
    } body: { (site) async throws in
      let author = try site.member()
      let post = try author.post(data: [UInt8](repeating: 7, count: 60_000))
      for _ in 0..<3 {
        #expect(try await site.call(author, "POST", "/room/lobby/message", json: post).status == 201)
      }
      let element = #"{"method":"GET","path":"/room/lobby/messages/recent"}"#
      let body = bytes("[" + Array(repeating: element, count: 100).joined(separator: ",") + "]")
      let memory = site.server.store.memory
      memory.forgetAll()
      let first = try await site.call(nil, "POST", path, body)
      #expect(first.json.elements.last?["code"] == 413)
      while true {
        let count = memory.answerCount
        let answer = try await site.call(nil, "POST", path, body)
        #expect(answer.body == first.body)
        if memory.answerCount > count { break }
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func manyDescriptionsAreNotMadeFromMemory() async throws {
    try await withCommunity { (site) async throws in
      _ = try await remembered(site, nil, "/room/lobby")
      let (memory, rules) = (site.server.store.memory, site.server.rules)
      func count(_ reads: Int) -> Int? {
        let reads = Array(repeating: RestingRead.room("lobby"), count: reads)
        return memory.answers(to: reads, of: nil, rules, now: Int64(site.clock.now))?.count
      }
      if !site.server.store.isShared { #expect(count(10) == 10) }
      #expect(count(10_000) == nil)
    }
  }

  @Test(.timeLimit(.minutes(5))) func messagesThatARoomKeepsNoLongerAreOnNoPage() async throws {
    try await withCommunity { (site) async throws in
      let path = "/room/lobby/messages/recent"
      try await site.post("old", as: try site.member())
      var settings = RoomSettings(token: "lobby")
      settings.retention = 1
      _ = try await site.server.carryOut(.changeRoom(settings))
      site.clock.advance(.seconds(2 * 86_400))
      #expect(try await remembered(site, nil, path).contains("seqno"))
      try await site.tidy()
      #expect(try await site.texts(nil, path) == [])
    }
  }

  @Test(.timeLimit(.minutes(5))) func pinsShowTheNewIDOfAFormerAdmin() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      try await site.post("one", as: admin)
      #expect(try await site.call(admin, "POST", "/room/lobby/pin/1", json: [:]).status == 200)
      try await site.server.store.write { try $0.run("UPDATE person SET role = 0") }
      // So that the upkeep has nothing else to write later.
      try await site.tidy()
      #expect(try await remembered(site, nil, "/room/lobby").contains(admin.id))
      let other = try admin.with(.blinded25)
      #expect(try await site.call(other, "GET", "/rooms").status == 200)
      try await site.tidy()
      let pins = try await site.call(nil, "GET", "/room/lobby").json["pinned_messages"]?.elements
      #expect(pins?.map { $0["pinned_by"]?.string } == [other.id])
    }
  }

  @Test(.timeLimit(.minutes(5))) func aRoomThatIsClosedIsOnNoPage() async throws {
    try await withCommunity { (site) async throws in
      let reader = try site.member()
      try await site.post("one", as: reader)
      try await meet(site, [reader])
      for path in ["/room/lobby/messages/recent", "/lobby", "/room/lobby"] {
        for person in [nil, reader] { _ = try await remembered(site, person, path) }
      }
      var settings = RoomSettings(token: "lobby")
      settings.permissions = PermissionSettings(["-ra"])
      _ = try await site.server.carryOut(.changeRoom(settings))
      for path in ["/room/lobby/messages/recent", "/lobby", "/room/lobby"] {
        for person in [nil, reader] { #expect(try await site.call(person, "GET", path).status == 404) }
      }
    }
  }
}

/// What is remembered of rooms, and how much.
@Suite struct RememberedPagesTests {
  private func page(_ bytes: Int) -> CommunityAnswer {
    CommunityAnswer(200, .text(String(repeating: "x", count: bytes)))
  }

  private func read(_ number: Int64, of room: String = "a") -> RestingRead {
    .changes(room: room, since: number, PageForm(limit: 100, reactors: 4))
  }

  @Test func onlyAnswersThatOthersGetAreKeptToBeRemembered() {
    var answer = page(1)
    #expect(Answered(read(1), answer).shared == nil)
    answer.audience = .strangers
    #expect(Answered(read(1), answer).shared?.bytes == 1)
  }

  @Test func readersGetTheirOwnPages() {
    var pages = RememberedPages(of: 8 * 1024 * 1024)
    pages.add(page(1), for: .everybody(but: [7]), to: read(1), in: 1, now: 0)
    pages.add(page(2), for: .strangers, to: read(2), in: 1, now: 0)
    #expect([nil, 7, 8].map { pages.answer(to: read(1), in: 1, for: $0, now: 1)?.bytes } == [1, nil, 1])
    #expect([nil, 7].map { pages.answer(to: read(2), in: 1, for: $0, now: 1)?.bytes } == [2, nil])
    #expect(pages.answer(to: read(1), in: 2, for: nil, now: 1) == nil)
  }

  @Test func pagesAreForgottenWithTheirRoomAndAfterTenMinutes() {
    var pages = RememberedPages(of: 8 * 1024 * 1024)
    for room in 1...2 as ClosedRange<Int64> {
      pages.add(page(100), for: .strangers, to: read(1), in: room, now: 0)
    }
    pages.forget(1)
    #expect(pages.answer(to: read(1), in: 1, for: nil, now: 1) == nil)
    #expect(pages.answer(to: read(1), in: 2, for: nil, now: RememberedPages.span - 1) != nil)
    #expect(pages.answer(to: read(1), in: 2, for: nil, now: RememberedPages.span) == nil)
    pages.forgetOld(now: 2 * RememberedPages.span - 2)
    #expect(pages.bytes > 0)
    pages.forgetOld(now: 2 * RememberedPages.span - 1)
    #expect(pages.bytes == 0)
  }

  @Test func roomsThatWereReadLongestAgoMakeRoom() {
    var pages = RememberedPages(of: 8 * 1024 * 1024)
    let size = pages.maxBytes / 8
    for room in 1...7 as ClosedRange<Int64> {
      pages.add(page(size), for: .strangers, to: read(1), in: room, now: room)
    }
    #expect(pages.answer(to: read(1), in: 1, for: nil, now: 8) != nil)
    pages.add(page(size), for: .strangers, to: read(1), in: 8, now: 9)
    #expect(pages.bytes <= pages.maxBytes)
    #expect(pages.answer(to: read(1), in: 1, for: nil, now: 10) != nil)
    #expect(pages.answer(to: read(1), in: 2, for: nil, now: 10) == nil)
    #expect(pages.answer(to: read(1), in: 8, for: nil, now: 10) != nil)
  }

  @Test func pagesTakeAnEighthOfTheMemory() async throws {
    try await withCommunity {
      $0.memory = 64 * 1024 * 1024
    } body: { (site) async throws in
      #expect(site.server.store.memory.pageBytes == 8 * 1024 * 1024)
    }
  }

  @Test func thePageThatWasReadLongestAgoMakesRoomInItsRoom() {
    var pages = RememberedPages(of: 8 * 1024 * 1024)
    let last = Int64(RememberedPages.maxPages)
    for number in 1...last {
      pages.add(page(1), for: .strangers, to: read(number), in: 1, now: number)
    }
    #expect(pages.answer(to: read(1), in: 1, for: nil, now: last + 1) != nil)
    let bytes = pages.bytes
    // The same page again takes no more.
    pages.add(page(1), for: .strangers, to: read(last), in: 1, now: last + 2)
    #expect(pages.bytes == bytes)
    pages.add(page(1), for: .strangers, to: read(last + 1), in: 1, now: last + 3)
    #expect(pages.bytes == bytes)
    let lost = (1...last + 1).filter { pages.answer(to: read($0), in: 1, for: nil, now: last + 4) == nil }
    #expect(lost == [2])
  }
}
