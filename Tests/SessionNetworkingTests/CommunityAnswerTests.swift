import SessionBase
import SessionCore
import Testing

@testable import SessionNetworking

/// How replies of community servers are read, whatever is in them.
@Suite struct CommunityAnswerTests {
  private static let author = "15" + String(repeating: "ab", count: 32)
  private static let other = "05" + String(repeating: "cd", count: 32)
  private let room: Community.Place

  init() throws { room = try Community.Place(server: "https://example.org", room: "lobby") }

  private func reply(_ text: String, status: Int = 200) -> CommunityReply {
    CommunityReply(status: status, body: Array(text.utf8))
  }

  private func room(_ change: (inout String) -> Void = { _ in }) throws -> CommunityRoom {
    var text = Self.roomText
    change(&text)
    return try CommunityCall<CommunityRoom>.room(room).answer(from: reply(text))
  }

  private static let roomText = """
    {"token":"Lounge","name":"Lounge","description":"…","info_updates":7,"message_sequence":12345,
    "created":1650000000.25,"active_users":210,"active_users_cutoff":604800,"image_id":88,
    "pinned_messages":[{"id":12,"pinned_at":1650000100.5,"pinned_by":"\(author)"},{"id":11,"pinned_at":1650000000}],
    "moderators":["\(author)",5,"\(author.uppercased())","15ab"],"admins":["\(other)"],
    "hidden_moderators":["\(author)"],"hidden_admins":["\(author)"],
    "read":true,"write":true,"upload":true,"moderator":false,"admin":false,"new":{"member":[]}}
    """

  @Test func aRoomWithUnknownMembersIsRead() throws {
    let room = try room()
    #expect(room.token == "Lounge" && room.infoUpdates == 7 && room.messageSequence == 12345)
    #expect(room.createdAt?.milliseconds == 1_650_000_000_250 && room.imageID == 88)
    #expect(
      room.pins.map(\.number) == [11, 12] && room.pins.map { $0.pinnedBy?.description } == [nil, Self.author])
    #expect(room.permissions == [.read, .write, .upload])
    // In a visible list and in two hidden ones, of which one is of admins.
    #expect(room.moderators.map(\.id.description) == [Self.other, Self.author])
    #expect(
      room.moderators.map(\.isAdmin) == [true, true] && room.moderators.map(\.isHidden) == [false, false])
  }

  @Test(arguments: [
    #""token":"Lounge""#, #""name":"Lounge""#, #""info_updates":7"#, #""read":true"#, #""description":"…""#,
  ])
  func aRoomWithAMemberOfAnotherTypeIsMalformed(member: String) throws {
    let name = member.prefix { $0 != ":" }
    let failure = #expect(throws: NetworkFailure.self) {
      try room { $0 = $0.replacing(member, with: "\(name):[]") }
    }
    #expect(failure?.kind == .transient)
  }

  @Test(arguments: ["", "a/b", "a b", "..", "ä", "a.b", String(repeating: "x", count: 65)])
  func aRoomWhoseTokenCannotStandInAPathIsMalformed(token: String) throws {
    #expect(throws: NetworkFailure.self) {
      try room { $0 = $0.replacing("\"token\":\"Lounge\"", with: "\"token\":\"\(token)\"") }
    }
  }

  @Test(arguments: ["a", "A-b_9", String(repeating: "x", count: 64)])
  func aRoomKeepsTheSpellingOfItsToken(token: String) throws {
    let room = try room { $0 = $0.replacing("\"token\":\"Lounge\"", with: "\"token\":\"\(token)\"") }
    #expect(room.token == token)
  }

  @Test func longListsAndTextsAreCut() throws {
    let many = (0..<2000).map { "\"15\(String(repeating: "0", count: 60))\(1000 + $0)\"" }
    let room = try room {
      $0 = $0.replacing("\"admins\":[", with: "\"admins\":[\(many.joined(separator: ",")),")
      $0 = $0.replacing("\"name\":\"Lounge\"", with: "\"name\":\"\(String(repeating: "x", count: 5000))\"")
    }
    #expect(room.moderators.count == CommunityRoom.maxModerators && room.name.count == CommunityRoom.maxName)
  }

  @Test(
    arguments: [
      ("\"88\"", 88), ("\"x\"", nil), ("-1", nil), ("1.5", nil), ("[]", nil), ("null", nil),
      ("9007199254740993", nil),
    ] as [(String, Int64?)])
  func thePictureOfARoomHasANumber(text: String, number: Int64?) throws {
    #expect(try room { $0 = $0.replacing("\"image_id\":88", with: "\"image_id\":\(text)") }.imageID == number)
  }

  @Test func adminsMayDoEverything() throws {
    let text = #"{"active_users":3,"read":false,"admin":true,"details":null}"#
    let poll = try CommunityCall<CommunityPoll>.poll(room, knowing: 1).answer(from: reply(text))
    #expect(poll.permissions == [.read, .write, .upload, .moderator, .admin] && poll.details == nil)
  }

  @Test(arguments: [
    #"{"capabilities":["sogs","blind","x y"]}"#: ["blind", "sogs", "x y"], #"{"capabilities":[]}"#: [],
    #"{"capabilities":["a",1]}"#: nil, #"{"capabilities":"sogs"}"#: nil, "[]": nil, "": nil, "{": nil,
  ])
  func capabilitiesAreAListOfShortTexts(body: String, names: [String]?) throws {
    let answer = try? CommunityCall<CommunityCapabilities>.capabilities.answer(from: reply(body))
    #expect(answer?.names == names)
  }

  // MARK: - Messages

  private static func row(_ members: String...) -> String {
    let signature = [UInt8](repeating: 1, count: 64).base64
    let all: [String: String] = [
      "id": "5", "seqno": "9", "session_id": "\"\(author)\"", "posted": "1650000000.123", "data": "\"AQ==\"",
      "signature": "\"\(signature)\"",
    ]
    var changed = all
    for member in members {
      let parts = member.split(separator: "=", maxSplits: 1)
      changed[String(parts[0])] = parts.count > 1 ? String(parts[1]) : nil
    }
    return "{\(changed.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
  }

  private func page(_ rows: String...) throws -> CommunityPage {
    try CommunityCall<CommunityPage>.messages(.recent, in: room).answer(
      from: reply("[\(rows.joined(separator: ","))]"))
  }

  @Test func aRowIsAPostADeletionOrAChangeOfReactions() throws {
    let reactions =
      #"reactions={"🦆":{"index":1,"count":1,"reactors":["\#(Self.author)","\#(Self.other)","\#(Self.author)"],"you":true},"👍":{"index":0,"count":3},"x":{"count":0},"much too long for it":{"count":1}}"#
    let page = try page(
      Self.row("edited=1650000001"), Self.row("data=null", "signature", "deleted=true"),
      Self.row("data", "signature", "posted", "session_id", reactions),
      Self.row("whisper=true", "whisper_mods=true"),
      Self.row("whisper=true", "whisper_to=\"\(Self.other)\""))
    #expect(page.count == 5)
    guard case .post(let post) = page.messages[0].change,
      case .post(let toModerators) = page.messages[3].change,
      case .post(let toOther) = page.messages[4].change
    else { throw NetworkFailure(.rejected, "not posts") }
    #expect(post.author.description == Self.author && post.data == [1] && post.whisper == nil)
    #expect(
      post.postedAt.milliseconds == 1_650_000_000_123 && post.editedAt?.milliseconds == 1_650_000_001_000)
    #expect(page.messages[1].change == .deletion && page.messages[2].change == .reactions)
    #expect(toModerators.whisper == .moderators)
    #expect(toOther.whisper == .person(try SessionID(parsing: Self.other)))
    let found = try #require(page.messages[2].reactions)
    #expect(
      found.map(\.emoji) == ["👍", "🦆"] && found.map(\.count) == [3, 2]
        && found.map(\.isOurs) == [false, true])
    #expect(found[1].reactors.map(\.description) == [Self.author, Self.other])
  }

  @Test(arguments: [
    ("data=5", CommunityMessage.Flaw.data), ("data=\"?\"", .data), ("data=\"\"", .data), ("data", .data),
    ("signature=\"AQ==\"", .signature), ("signature", .signature),
    ("session_id=\"00\(author.dropFirst(2))\"", .author),
    ("session_id=\"\(author.uppercased())\"", .author), ("session_id=7", .author), ("posted=-1", .time),
    ("posted=8796093022208", .time), ("posted=\"1650000000\"", .time), ("posted=0", .time),
    ("whisper=true", .whisper), ("whisper_to=\"05\"", .whisper), ("whisper_to=7", .whisper),
  ])
  func aRowThatCannotBeReadKeepsItsNumbers(member: String, flaw: CommunityMessage.Flaw) throws {
    let message = try #require(try page(Self.row(member)).messages.first)
    #expect(message.number == 5 && message.sequence == 9 && message.change == .unreadable(flaw))
  }

  @Test(arguments: [
    "id=0", "id=-1", "id=1.5", "id", "id=\"5\"", "seqno=-1", "seqno", "seqno=9007199254740993",
  ])
  func aRowWithoutUsableNumbersIsLeftOut(member: String) throws {
    let page = try page(Self.row(member), Self.row())
    #expect(page.count == 2 && page.messages.count == 1)
  }

  /// The other clients compute the same.
  @Test(
    arguments: [
      ("1650000000.123", 1_650_000_000_123), ("1650000000.001", 1_650_000_000_001),
      ("1650000000.999", 1_650_000_000_999), ("1650000000", 1_650_000_000_000),
      ("1672531199.9999999", 1_672_531_199_999),
    ] as [(String, UInt64)])
  func timesAreRoundedDownFromTheNearestDouble(posted: String, milliseconds: UInt64) throws {
    let expected = UInt64((Double(posted)! * 1000).rounded(.down))
    guard case .post(let post)? = try page(Self.row("posted=\(posted)")).messages.first?.change else {
      throw NetworkFailure(.rejected, "not a post")
    }
    #expect(post.postedAt.milliseconds == expected && expected.distance(to: milliseconds).magnitude <= 1)
  }

  @Test func aPageOfTooManyRowsIsRefused() throws {
    let rows = [String](repeating: Self.row(), count: 257).joined(separator: ",")
    #expect(throws: NetworkFailure.self) {
      try CommunityCall<CommunityPage>.messages(.recent, in: room).answer(from: reply("[\(rows)]"))
    }
  }

  /// The number of rows decides if there are more.
  @Test func aPageOfAnInboxCountsRowsWithoutUsableNumbers() throws {
    let text =
      #"[{"id":1,"message":"AQ==","sender":"\#(Self.author)","recipient":"\#(Self.author)","posted_at":1.5,"expires_at":2},{"id":0},7]"#
    let page = try CommunityCall<CommunityLetterPage>.inbox(since: 0).answer(from: reply(text))
    #expect(page.count == 3 && page.letters.map(\.number) == [1])
    #expect(page.letters.first?.content?.data == [1])
  }

  /// Some servers end a page after so many bytes, whatever was asked for.
  @Test(arguments: [(1, false), (1_100_000, true)]) func alsoAShortPageMayHaveAnotherBehindIt(
    bytes: Int, isFull: Bool
  ) throws {
    let padding = String(repeating: " ", count: bytes)
    let page = try CommunityCall<CommunityPage>.messages(.recent, in: room).answer(
      from: reply("[\(Self.row())\(padding)]"))
    #expect(page.count == 1 && page.isFull() == isFull)
    let letters = try CommunityCall<CommunityLetterPage>.inbox(since: 0).answer(from: reply("[{}\(padding)]"))
    #expect(letters.count == 1 && letters.isFull() == isFull)
  }

  // MARK: - Batches and statuses

  @Test func aPartOfABatchIsReadLikeAReplyOfItsOwn() throws {
    let text = """
      [{"code":200,"headers":{"Content-Type":"application/json"},"body":{"capabilities":["sogs"]}},
      {"code":200,"headers":{"content-type":"application/octet-stream"},"body":"AQI="},
      {"code":304,"headers":{},"body":""},{"code":500,"content-type":"text/plain","body":""}, 7,
      {"code":403,"headers":{"content-type":"text/plain"},"body":"QmFubmVk"}]
      """
    let replies = try reply(text).replies(toBatchOf: 6, inOrder: false)
    #expect(replies.map(\.status) == [200, 200, 304, 500, 500, 403])
    #expect(try CommunityCall<CommunityCapabilities>.capabilities.answer(from: replies[0]).names == ["sogs"])
    #expect(try CommunityCall<[UInt8]>.file(1, in: room, upTo: 2).answer(from: replies[1]) == [1, 2])
    #expect(try CommunityCall<CommunityLetterPage>.inbox(since: 3).answer(from: replies[2]) == .empty)
    #expect(replies[5].isBan && !replies[0].isBan)
    #expect(throws: NetworkFailure.self) {
      try CommunityCall<[UInt8]>.file(1, in: room, upTo: 1).answer(from: replies[1])
    }
  }

  @Test(arguments: [
    "[]", "{}", "[{\"code\":200}]", "[{\"code\":200},{\"code\":200},{\"code\":200}]", "", "null",
  ])
  func aBatchOfAnotherLengthIsRefused(text: String) throws {
    #expect(throws: NetworkFailure.self) { try reply(text).replies(toBatchOf: 2, inOrder: false) }
  }

  @Test func aSequenceEndsWithTheFirstFailure() throws {
    #expect(try reply(#"[{"code":404}]"#).replies(toBatchOf: 2, inOrder: true).map(\.status) == [404])
    #expect(throws: NetworkFailure.self) {
      try reply(#"[{"code":200}]"#).replies(toBatchOf: 2, inOrder: true)
    }
  }

  @Test(arguments: [
    (400, "", NetworkFailure.Kind.rejected), (401, "", .unauthorized), (403, "Banned", .unauthorized),
    (404, "", .gone), (405, "", .rejected), (406, "", .rejected), (412, "", .rejected), (413, "", .tooLarge),
    (425, "", .clock), (429, "Rate limited", .throttled), (429, "filtration rejected message (x)", .rejected),
    (500, "", .transient), (502, "<html>", .transient), (503, "", .transient), (302, "", .rejected),
    (304, "", .rejected),
  ])
  func eachStatusMeansOneThing(status: Int, body: String, kind: NetworkFailure.Kind) throws {
    let failure = #expect(throws: NetworkFailure.self) {
      try CommunityCall<CommunityCapabilities>.capabilities.answer(from: reply(body, status: status))
    }
    #expect(failure?.kind == kind)
  }

  @Test(arguments: [
    (nil, 20), ("0", 20), ("7", 20), ("90", 90), ("99999999", 3600), ("-5", 20), ("soon", 20),
  ])
  func aServerDecidesWhenToTryAgainWithinLimits(header: String?, seconds: Int) throws {
    let headers = header.map { [ServerResponse.Header("retry-after", $0)] } ?? []
    let failure = NetworkFailure(communityAnswered: CommunityReply(status: 429, headers: headers, body: []))
    #expect(failure.kind == .throttled && failure.isWorthRepeating && failure.retryDelay == .seconds(seconds))
  }

  @Test func theSentenceAboutBlindingIsFoundInsideTheText() {
    let text = "Invalid authentication: this server requires the use of blinded ids, as others do"
    #expect(reply(text, status: 400).requiresBlinding)
    #expect(!reply(text, status: 401).requiresBlinding && !reply("Invalid", status: 400).requiresBlinding)
  }
}
