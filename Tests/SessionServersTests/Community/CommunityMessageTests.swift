import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Posts to rooms, and how they are fetched.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityMessageTests {
  @Test(arguments: Way.allCases) func aPostIsFetchedAsItWasSigned(way: Way) async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let post = try member.post("hello")
      let answer = try await site.call(member, "POST", "/room/lobby/message", json: post, over: way)
      #expect(answer.status == 201)
      let message = answer.json
      #expect(message["id"] == 1)
      #expect(message["session_id"]?.string == member.id)
      #expect(message["seqno"] == 1)
      #expect(message["posted"]?.double == Double(site.clock.now) / 1000)
      #expect(message["data"] == post["data"])
      #expect(message["signature"] == post["signature"])
      #expect(message["reactions"] == [:])
      for name in ["edited", "deleted", "filtered", "whisper", "whisper_mods", "whisper_to"] {
        #expect(message[name] == nil)
      }
      for path in ["messages/recent", "messages/before/2", "messages/since/0"] {
        #expect(try await site.call(nil, "GET", "/room/lobby/\(path)", over: way).json == [message])
      }
      #expect(try await site.call(nil, "GET", "/room/lobby/message/1", over: way).json == message)
      #expect(try await site.call(nil, "GET", "/room/lobby/message/2", over: way).status == 404)
      #expect(try await site.call(nil, "GET", "/room/lobby").json["message_sequence"] == 1)
    }
  }

  @Test func anyBytesComeBackAsTheyWere() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let all: [[UInt8]] = [
        [1], [0], [0, 0, 0], [0x80], [0x80, 0, 0], [1, 0], [1, 0x80], [1, 0x80, 0, 2], [0x80, 0x80, 0],
        [UInt8](repeating: 7, count: 100_000),
      ]
      for data in all {
        site.clock.advance(.seconds(4))
        let answer = try await site.call(
          member, "POST", "/room/lobby/message", json: try member.post(data: data))
        try #require(answer.status == 201, "\(answer.text)")
        #expect(answer.json["data"]?.string == data.base64)
      }
    }
  }

  @Test func unsignedPostsAreRefused() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let post = try member.post("x")
      #expect(try await site.call(nil, "POST", "/room/lobby/message", json: post).status == 401)
    }
  }

  @Test func malformedPostsAreRefused() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let (data, other) = (bytes("x"), try site.member())
      let signature = try member.identity.sign(post: data)
      func body(_ data: JSONValue, _ signature: JSONValue, _ more: [JSONValue.Member] = []) -> String {
        JSONValue.object([.init("data", data), .init("signature", signature)] + more).description
      }
      let right = JSONValue.string(signature.base64)
      let dataJSON = JSONValue.string(data.base64)
      let bodies: [String] = [
        "", "[]", "null", "{", "{}", "[" + body(dataJSON, right) + "]", body("?", right), body("", right),
        body(1, right), body(dataJSON, .null), body(dataJSON, .string(signature.dropLast().base64)),
        body(dataJSON, .string((signature + [0]).base64)),
        // By somebody else, and by another id of the same account.
        body(dataJSON, .string(try other.identity.sign(post: data).base64)),
        body(dataJSON, .string(try member.with(.blinded25).identity.sign(post: data).base64)),
        body(dataJSON, right, [.init("files", true)]), body(dataJSON, right, [.init("files", [true])]),
        body(dataJSON, right, [.init("files", ["x"])]),
        body(dataJSON, right, [.init("files", .array([JSONValue](repeating: 1, count: 10_000)))]),
        body(dataJSON, right, [.init("whisper_mods", 1)]), body(dataJSON, right, [.init("whisper_to", 1)]),
        body(dataJSON, right, [.init("whisper_to", "junk")]),
        body(dataJSON, right, [.init("x", [[[[[[[[[1]]]]]]]]])]),
      ]
      for body in bodies {
        let answer = try await site.call(member, "POST", "/room/lobby/message", bytes(body))
        #expect(answer.status == 400, "\(body.prefix(100))")
        #expect(answer.headers["Content-Type"]?.hasPrefix("text/plain") == true)
      }
      let large = try member.post(data: [UInt8](repeating: 7, count: 100_001))
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: large).status == 413)
      let endless = [UInt8](repeating: 32, count: 257 * 1024)
      #expect(try await site.call(member, "POST", "/room/lobby/message", endless).status == 413)
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == [])
      #expect(
        try await site.call(member, "POST", "/room/lobby/message", bytes(body(dataJSON, right))).status == 201
      )
    }
  }

  @Test func theSamePostTwiceIsTwoMessages() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      for _ in 0..<2 { try await site.post("again", as: member) }
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["again", "again"])
    }
  }

  @Test func pagesAreInOrder() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      for number in 1...5 { try await site.post("\(number)", as: member) }
      #expect(try await site.texts(nil, "/room/lobby/messages/recent?limit=2") == ["5", "4"])
      #expect(try await site.texts(nil, "/room/lobby/messages/before/4?limit=2") == ["3", "2"])
      #expect(try await site.texts(nil, "/room/lobby/messages/since/2?limit=2") == ["3", "4"])
      #expect(try await site.texts(nil, "/room/lobby/messages/since/5") == [])
      #expect(try await site.texts(nil, "/room/lobby/messages/recent?limit=0") == ["5"])
    }
  }

  @Test func timesGrowThoughTheClockGoesBack() async throws {
    let clock = TestClock()
    try await withCommunity(clock: clock) { (site) async throws in
      let member = try site.member()
      let first = try await site.post("1", as: member)
      clock.goBack(.seconds(3600))
      let second = try await site.post("2", as: member)
      #expect((second["posted"]?.double ?? 0) > (first["posted"]?.double ?? .infinity))
      #expect(second["id"] == 2)
      #expect(second["seqno"] == 2)
    }
  }

  @Test func membersPostFiveTimesInSixteenSeconds() async throws {
    try await withCommunity { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      func status(_ member: Member) async throws -> Int {
        let answer = try await site.call(
          member, "POST", "/room/lobby/message", json: try member.post("x"))
        if answer.status == 429 { #expect(answer.headers["Retry-After"].flatMap { Int($0) } ?? 0 > 0) }
        return answer.status
      }
      for _ in 0..<5 { #expect(try await status(member) == 201) }
      #expect(try await status(member) == 429)
      #expect(try await status(try member.with(.blinded25)) == 429)
      #expect(try await status(other) == 201)
      site.clock.advance(.seconds(17))
      #expect(try await status(member) == 201)
    }
  }

  // MARK: - Changes

  @Test func editsReplaceTheText() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("old", as: member)
      site.clock.advance(.seconds(4))
      let answer = try await site.call(
        member, "PUT", "/room/lobby/message/1", json: try member.post("new"))
      #expect(answer.status == 200)
      #expect(answer.json == [:])
      let message = try await site.call(nil, "GET", "/room/lobby/message/1").json
      #expect(Member.text(message) == "new")
      #expect(message["seqno"] == 2)
      #expect(message["edited"]?.double == Double(site.clock.now) / 1000)
      #expect(try await site.texts(nil, "/room/lobby/messages/since/1") == ["new"])
    }
  }

  @Test func noEditIsOlderThanItsMessage() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("before the clock is set back", as: member)
      site.clock.goBack(.seconds(3600))
      try await site.post("old", as: member)
      let answer = try await site.call(
        member, "PUT", "/room/lobby/message/2", json: try member.post("new"))
      #expect(answer.status == 200)
      let message = try await site.call(nil, "GET", "/room/lobby/message/2").json
      #expect(Member.text(message) == "new")
      #expect(message["posted"]?.double != nil && message["edited"]?.double == message["posted"]?.double)
    }
  }

  @Test func onlyAuthorsEdit() async throws {
    try await withCommunity { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      try await site.post("old", as: member)
      let post = try other.post("new")
      #expect(try await site.call(other, "PUT", "/room/lobby/message/1", json: post).status == 403)
      #expect(try await site.call(nil, "PUT", "/room/lobby/message/1", json: post).status == 401)
      #expect(try await site.call(other, "PUT", "/room/lobby/message/9", json: post).status == 404)
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["old"])
    }
  }

  @Test func deletionsAreToldToThoseWhoMayHaveTheText() async throws {
    try await withCommunity { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      try await site.post("gone", as: member)
      #expect(try await site.call(other, "DELETE", "/room/lobby/message/1").status == 403)
      #expect(try await site.call(nil, "DELETE", "/room/lobby/message/1").status == 401)
      #expect(try await site.call(member, "DELETE", "/room/lobby/message/1").status == 200)
      #expect(try await site.call(member, "DELETE", "/room/lobby/message/1").status == 404)
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == [])
      #expect(try await site.texts(nil, "/room/lobby/messages/since/0") == [])
      let told = try await site.call(nil, "GET", "/room/lobby/messages/since/1").json.elements
      #expect(told.count == 1)
      #expect(told.first?["deleted"] == true)
      #expect(told.first?["data"] == .null)
      #expect(told.first?["signature"] == nil)
      #expect(told.first?["seqno"] == 2)
    }
  }

  @Test func ownPostsAreDeletedWithoutPermissionToWrite() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("mine", as: member)
      try await site.server.store.write { try SQLText.defaults(1).run($0) }
      #expect(
        try await site.call(member, "POST", "/room/lobby/message", json: try member.post("x")).status == 403)
      #expect(try await site.call(member, "DELETE", "/room/lobby/message/1").status == 200)
    }
  }

  @Test func numbersAreNotGivenTwice() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("1", as: member)
      try await site.server.store.write { try $0.run("DELETE FROM message") }
      #expect(try await site.post("2", as: member)["id"] == 2)
    }
  }

  /// All pages of changes from the beginning, as a client fetches them.
  private func caughtUp(_ site: CommunitySite, _ query: String) async throws -> [JSONValue] {
    var (cursor, all): (Int64, [JSONValue]) = (0, [])
    while true {
      let page = try await site.call(nil, "GET", "/room/lobby/messages/since/\(cursor)?\(query)").json
        .elements
      guard let last = page.compactMap({ $0["seqno"]?.integer }).max() else { return all }
      try #require(last > cursor)
      cursor = last
      all += page
    }
  }

  @Test(arguments: ["limit=2&t=r", "limit=1&t=r", "limit=100&t=r", "limit=2"])
  func nothingIsLostToThoseWhoCatchUpInPages(query: String) async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      for number in 1...6 { try await site.post("\(number)", as: member) }
      // Reactions to the first two come after everything.
      for number in 1...2 {
        try await site.server.store.write { transaction in
          let sequence = try transaction.nextChange(of: 1)
          try transaction.run(
            "INSERT INTO reaction (message, emoji, place, person, at) VALUES (?1, ?2, 1, 1, 1)", number, "👍")
          try transaction.run("UPDATE message SET reactedSeq = ?2 WHERE id = ?1", number, sequence)
        }
      }
      let all = try await caughtUp(site, query)
      #expect(all.compactMap { Member.text($0) }.sorted() == ["1", "2", "3", "4", "5", "6"])
      let sequences = all.compactMap { $0["seqno"]?.integer }
      #expect(sequences == sequences.sorted())
      let reactions = all.filter { $0["data"] == nil }
      #expect(reactions.count == (query.contains("t=r") ? 2 : 0))
      #expect(reactions.allSatisfy { $0.names == ["id", "seqno", "reactions"] })
    }
  }
}
