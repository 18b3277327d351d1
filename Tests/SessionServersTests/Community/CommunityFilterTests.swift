import SessionBase
import SessionCore
import SessionHTTP
import Testing

@testable import SessionServers

/// What an operator does not want to be said.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityFilterTests {
  private static func rules(_ outcome: FilterRules.Outcome = .refuse) -> FilterRules {
    var rules = FilterRules()
    rules.words = ["turnip", "*beet", "leek*", "*swede*", "", "*", "kohl-rabi*", "can't"]
    rules.alphabets = [.cyrillic]
    rules.linkHosts = ["example.org"]
    (rules.wordsOutcome, rules.alphabetsOutcome, rules.linksOutcome) = (outcome, outcome, outcome)
    return rules
  }

  @Test(
    arguments: [
      ("a turnip!", "profanity"), ("TÜRNÍP", "profanity"), ("7urn1p", "profanity"), ("turnips", nil),
      ("sugarbeet", "profanity"), ("beets", nil), ("leeks", "profanity"), ("a leek", "profanity"),
      ("xleek", nil),
      ("preswedes", "profanity"), ("a kohl, rabis", "profanity"), ("kohl and rabi", nil), ("kohl", nil),
      ("I can't", "profanity"), ("can", nil), ("привет", "alphabet"), ("see https://example.org/a", nil),
      ("see https://www.example.org", nil), ("see https://example.org.evil/", "links"),
      ("http://me@evil:80/x", "links"), ("www.evil", "links"), ("(http://evil)", "links"), ("a/b c:d", nil),
      ("", nil),
    ] as [(String, String?)])
  func textsAreJudged(text: String, reason: String?) {
    let verdict = MessageFilter(Self.rules()).judge([text])
    #expect(verdict == (reason.flatMap { MessageFilter.Name(rawValue: $0) }.map { .refuse($0) } ?? .accept))
  }

  /// A message as clients write them.
  private func post(_ text: String, name: String? = nil, by member: Member, at now: UInt64) throws
    -> JSONValue
  {
    let profile = try name.map { try MessageProfile(name: $0) }
    let message = try Message(
      .visible(VisibleMessage(body: text, profile: profile)), sentAt: MessageTime(milliseconds: now))
    return try member.post(data: try member.account.encode(message, for: .community))
  }

  @Test func refusalsNameTheFilter() async throws {
    try await withCommunity {
      $0.filter = Self.rules()
    } body: { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      let bad = try post("a turnip", by: member, at: site.clock.now)
      let answer = try await site.call(member, "POST", "/room/lobby/message", json: bad)
      #expect(answer.status == 429)
      #expect(answer.text == "filtration rejected message (profanity)")
      let name = try post("hello", name: "Turnip", by: member, at: site.clock.now)
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: name).status == 429)
      let good = try post("hello", by: member, at: site.clock.now)
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: good).status == 201)
      #expect(try await site.call(member, "PUT", "/room/lobby/message/1", json: bad).status == 429)
      let own = try post("a turnip", by: admin, at: site.clock.now)
      #expect(try await site.call(admin, "POST", "/room/lobby/message", json: own).status == 201)
      // Bytes that are no message pass.
      try await site.post("turnip", as: member)
    }
  }

  @Test func theAuthorOfARefusedMessageIsToldWhy() async throws {
    try await withCommunity {
      $0.filter = Self.rules()
      $0.filter.replies = [#"\@ (\p) in \r/\t:\nno \\ \x"#]
      $0.filter.replyName = "Warden"
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      let bad = try post("a turnip", name: "Ann", by: member, at: site.clock.now)
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: bad).status == 429)
      let path = "/room/lobby/messages/recent"
      #expect(try await site.call(other, "GET", path).json.elements.isEmpty)
      let reply = try #require(try await site.call(member, "GET", path).json.elements.first)
      #expect(reply["whisper"] == true && reply["whisper_to"]?.string == "\(member.id)")
      let data = try [UInt8](base64: try #require(reply["data"]?.string).utf8)
      #expect(data.suffix(2) == [0x80, 0])
      let said = try #require(
        PostedText(data, postedAt: try MessageTime(milliseconds: site.clock.now)))
      #expect(said.text == "@\(member.id) (Ann) in Lobby/lobby:\nno \\ \\x")
      #expect(said.name == "Warden")
      let author = try SessionID(parsing: try #require(reply["session_id"]?.string))
      #expect(author.kind == .blinded15)
      try author.verify(try [UInt8](base64: try #require(reply["signature"]?.string).utf8), of: data)
      // The next reply has the same author.
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: bad).status == 429)
      let replies = try await site.call(member, "GET", path).json.elements
      #expect(replies.map { $0["session_id"]?.string } == ["\(author)", "\(author)"])
    }
  }

  @Test func repliesOfFiltersEndWithTheLimitOfChanges() async throws {
    try await withCommunity {
      $0.filter = Self.rules()
      $0.filter.replies = ["no"]
      $0.filter.repliesArePublic = true
      $0.requests.changesPerMinute = 3
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      for number in 0..<6 {
        let bad = try post("turnip \(number)", by: member, at: site.clock.now)
        #expect(try await site.call(member, "POST", "/room/lobby/message", json: bad).status == 429)
      }
      let seen = try await site.call(other, "GET", "/room/lobby/messages/recent").json.elements
      #expect(seen.count == 3)
      #expect(seen.allSatisfy { $0["whisper"] == nil })
    }
  }

  @Test func publicRepliesRepeatNoNames() async throws {
    try await withCommunity {
      $0.filter = Self.rules()
      $0.filter.replies = [#"\p: no"#]
      $0.filter.repliesArePublic = true
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      let bad = try post("hello", name: "Turnip", by: member, at: site.clock.now)
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: bad).status == 429)
      let reply = try #require(
        try await site.call(other, "GET", "/room/lobby/messages/recent").json.elements.first)
      let data = try [UInt8](base64: try #require(reply["data"]?.string).utf8)
      let said = PostedText(data, postedAt: try MessageTime(milliseconds: site.clock.now))
      #expect(said?.text == "\(member.id): no")
    }
  }

  @Test func moderatorsGetNoRepliesOfFilters() async throws {
    try await withCommunity {
      $0.filter = Self.rules(.silent)
      $0.filter.replies = ["no"]
    } body: { (site) async throws in
      let admin = try await site.admin()
      let own = try post("a turnip", by: admin, at: site.clock.now)
      #expect(try await site.call(admin, "POST", "/room/lobby/message", json: own).status == 201)
      #expect(try await site.call(admin, "GET", "/room/lobby/messages/recent").json.elements.count == 1)
    }
  }

  @Test func silentFiltersAreNotSeenByTheAuthor() async throws {
    try await withCommunity {
      $0.filter = Self.rules(.silent)
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      let bad = try post("a turnip", by: member, at: site.clock.now)
      let answer = try await site.call(member, "POST", "/room/lobby/message", json: bad)
      #expect(answer.status == 201)
      #expect(answer.json["filtered"] == true)
      for path in ["messages/recent", "messages/since/0"] {
        let own = try await site.call(member, "GET", "/room/lobby/\(path)").json.elements
        #expect(own.map { $0["filtered"] } == [true])
        #expect(try await site.call(other, "GET", "/room/lobby/\(path)").json == [])
      }
      #expect(try await site.call(member, "GET", "/room/lobby/message/1").status == 200)
      #expect(try await site.call(other, "GET", "/room/lobby/message/1").status == 404)
      #expect(try await site.call(other, "PUT", "/room/lobby/reaction/1/x", json: [:]).status == 404)
    }
  }

  @Test func othersLearnNothingOfTheDeletionOfAHiddenMessage() async throws {
    try await withCommunity {
      $0.filter = Self.rules(.silent)
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      try await site.post("hello", as: member)
      let bad = try post("a turnip", by: member, at: site.clock.now)
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: bad).status == 201)
      #expect(try await site.call(member, "DELETE", "/room/lobby/message/2").status == 200)
      let path = "/room/lobby/messages/since/2"
      #expect(try await site.call(other, "GET", path).json == [])
      #expect(try await site.call(member, "GET", path).json.elements.map { $0["deleted"] } == [true])
    }
  }

  @Test func anEditThatIsCaughtIsADeletionForOthers() async throws {
    try await withCommunity {
      $0.filter = Self.rules(.silent)
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      let good = try post("hello", by: member, at: site.clock.now)
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: good).status == 201)
      let bad = try post("a turnip", by: member, at: site.clock.now)
      #expect(try await site.call(member, "PUT", "/room/lobby/message/1", json: bad).status == 200)
      let seen = try await site.call(other, "GET", "/room/lobby/messages/since/1").json.elements
      #expect(seen.map { $0["deleted"] } == [true])
      #expect(seen.first?["data"] == .null)
      let own = try await site.call(member, "GET", "/room/lobby/messages/since/1").json.elements
      #expect(own.map { $0["data"] } == [bad["data"]])
      // Another edit brings it back.
      #expect(try await site.call(member, "PUT", "/room/lobby/message/1", json: good).status == 200)
      let again = try await site.call(other, "GET", "/room/lobby/messages/since/2").json.elements
      #expect(again.map { $0["data"] } == [good["data"]])
    }
  }

  @Test func aPinnedMessageThatAnEditHidesIsNotPinned() async throws {
    try await withCommunity {
      $0.filter = Self.rules(.silent)
    } body: { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      #expect(try await site.call(member, "POST", "/room/lobby/file", bytes("content")).status == 201)
      var good = try post("hello", by: member, at: site.clock.now)
      if case .object(let members) = good { good = .object(members + [.init("files", [1])]) }
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: good).status == 201)
      #expect(try await site.call(admin, "POST", "/room/lobby/pin/1", json: [:]).status == 200)
      let pinned = try await site.call(nil, "GET", "/room/lobby").json
      #expect(pinned["pinned_messages"]?.elements.count == 1)
      site.clock.advance(.seconds(20 * 86_400))
      let bad = try post("a turnip", by: member, at: site.clock.now)
      #expect(try await site.call(member, "PUT", "/room/lobby/message/1", json: bad).status == 200)
      let room = try await site.call(nil, "GET", "/room/lobby").json
      #expect(room["pinned_messages"] == nil)
      #expect(room["info_updates"]?.integer == (pinned["info_updates"]?.integer ?? 0) + 1)
      // Its file goes like those of other messages.
      let expires = try await site.call(member, "GET", "/room/lobby/file/1").headers["Expires"]
      #expect(expires == HTTPDate.text(site.clock.now + 3_600_000))
    }
  }

  @Test(
    arguments: [
      ("greek", "αβγ", true), ("Greek", "latin ω", true), ("greek", "abc", false), ("han", "漢", true),
      ("han", "かな", false), ("hebrew", "שלום", true), ("Old_Italic", "\u{10300}", true),
      // The marks of a letter count, and nothing that scripts share.
      ("latin", "é", true), ("latin", "1 !", false), ("cyrillic", "ж", true), ("arabic", "ب", true),
    ] as [(String, String, Bool)])
  func scriptsOfUnicodeAreAlphabets(name: String, text: String, isCaught: Bool) throws {
    var rules = FilterRules()
    rules.alphabets = [try #require(FilterRules.Alphabet(name))]
    let verdict = MessageFilter(rules).judge([text])
    #expect(verdict == (isCaught ? .refuse(.alphabet) : .accept))
  }

  @Test(arguments: ["", "klingonese", "greek}", "a b", "\\p", "gr-eek", "Grêek"])
  func otherNamesAreNoScripts(name: String) {
    #expect(FilterRules.Alphabet(name) == nil)
  }
}
