import SessionCore
import SessionMessaging
import Testing

@testable import SessionCLI
@testable import SessionMessaging

@Suite struct DirectoryTests {
  private struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Name, nickname, whether accepted, whether blocked; the first is the one who should be meant.
    let contacts: [(String, String?, Bool, Bool)]
    let word: String
    /// The index of the expected person; nil for no match.
    let meant: Int?
  }

  private static let rows: [Row] = [
    Row(testDescription: "a name", contacts: [("bob", nil, true, false)], word: "bob", meant: 0),
    Row(testDescription: "case and width", contacts: [("Bob", nil, true, false)], word: "ｂＯＢ", meant: 0),
    Row(
      testDescription: "composition", contacts: [("José", nil, true, false)], word: "jose\u{301}", meant: 0),
    Row(
      testDescription: "a request with the same name",
      contacts: [("bob", nil, true, false), ("bob", nil, false, false)], word: "bob", meant: 0),
    Row(testDescription: "a request alone", contacts: [("bob", nil, false, false)], word: "bob", meant: nil),
    Row(
      testDescription: "the beginning of a request", contacts: [("bobby", nil, false, false)], word: "bob",
      meant: nil),
    Row(
      testDescription: "the beginning of a contact beside a request",
      contacts: [("bobby", nil, true, false), ("bob", nil, false, false)], word: "bob", meant: 0),
    Row(
      testDescription: "a nickname before a name",
      contacts: [("x", "bob", true, false), ("bob", nil, true, false)], word: "bob", meant: 0),
    Row(
      testDescription: "two contacts of one name",
      contacts: [("bob", nil, true, false), ("bob", nil, true, false)], word: "bob", meant: nil),
    Row(
      testDescription: "an invisible character",
      contacts: [("bob", nil, true, false), ("bo\u{200B}b", nil, true, false)], word: "bob", meant: nil),
    Row(
      testDescription: "a mark of direction",
      contacts: [("bob", nil, true, false), ("\u{202E}bob", nil, true, false)], word: "bob", meant: nil),
    Row(
      testDescription: "a homoglyph", contacts: [("b\u{43E}b", nil, true, false)], word: "bob", meant: nil),
    Row(
      testDescription: "a blocked contact of the same name",
      contacts: [("bob", nil, true, false), ("bob", nil, true, true)], word: "bob", meant: 0),
    Row(
      testDescription: "a blocked contact alone", contacts: [("bob", nil, true, true)], word: "bob", meant: 0),
    Row(
      testDescription: "a blocked stranger", contacts: [("bob", nil, false, true)], word: "bob", meant: nil),
    Row(
      testDescription: "a name that is the beginning of a nickname",
      contacts: [("x", "robert", true, false), ("rob", nil, true, false)], word: "rob", meant: nil),
    Row(
      testDescription: "a name that is the beginning of a name",
      contacts: [("robert", nil, true, false), ("rob", nil, true, false)], word: "rob", meant: nil),
    Row(
      testDescription: "a name that is the beginning of an id",
      contacts: [("x", nil, true, false), ("0511", nil, true, false)], word: "0511", meant: nil),
    Row(
      testDescription: "a blocked contact's name that is the beginning of a nickname",
      contacts: [("x", "robert", true, false), ("rob", nil, true, true)], word: "rob", meant: nil),
    Row(
      testDescription: "a name that is the beginning of a blocked contact's",
      contacts: [("rob", nil, true, false), ("robert", nil, true, true)], word: "rob", meant: 0),
    Row(
      testDescription: "a nickname that is the beginning of a name",
      contacts: [("x", "rob", true, false), ("robert", nil, true, false)], word: "rob", meant: 0),
    Row(
      testDescription: "the beginning of one's own name",
      contacts: [("rob", nil, true, false), ("bob", nil, true, false)], word: "rob", meant: 0),
    Row(
      testDescription: "a name of spaces", contacts: [(" \u{200B}", nil, true, false)], word: "b", meant: nil),
  ]

  private func contacts(_ row: Row) throws -> [ContactView] {
    try row.contacts.enumerated().map { number, contact in
      let digit = Character("\(number + 1)")
      let id = try SessionID(parsing: "05" + String(repeating: digit, count: 64))
      return ContactView(
        id: id, name: contact.0, nickname: contact.1, isApproved: contact.2, hasApprovedUs: true,
        isBlocked: contact.3, hasPicture: false, downloadsByItself: false, verification: .never)
    }
  }

  @Test(arguments: rows) private func aNameFindsContactsAlone(row: Row) throws {
    let own = try SessionID(parsing: Example.aliceID)
    let contacts = try contacts(row)
    let directory = Directory(own: own, contacts)
    let found = try? directory.person(row.word, MemoryIO().io())
    #expect(found == row.meant.map { contacts[$0].id })
    #expect(try directory.person("me", MemoryIO().io()) == own)
  }

  @Test(arguments: ["me", "ME", "m\u{435}", "\u{200B}me", "ｍｅ"])
  func onlyTheOwnerIsShownAsMe(name: String) throws {
    let row = Row(testDescription: "", contacts: [(name, nil, true, false)], word: "me", meant: nil)
    let (own, contacts) = (try SessionID(parsing: Example.aliceID), try contacts(row))
    let directory = Directory(own: own, contacts)
    #expect(try directory.person(name, MemoryIO().io()) != contacts[0].id || NameKey(name).text != "me")
    #expect(directory.name(contacts[0].id).hasSuffix(" (0511…1111)"))
    #expect(directory.name(own) == "me")
  }

  @Test func anIDThatIsAlmostKnownIsASlip() throws {
    let row = Row(testDescription: "", contacts: [("bob", nil, true, false)], word: "", meant: nil)
    let directory = Directory(own: try SessionID(parsing: Example.aliceID), try contacts(row))
    let slip = "05" + String(repeating: "1", count: 63) + "2"
    #expect(throws: CommandFailure.self) { try directory.person(slip, MemoryIO().io()) }
    #expect(throws: CommandFailure.self) { try directory.person(String(slip.dropLast()), MemoryIO().io()) }
    #expect(try directory.person(Example.bobID, MemoryIO().io()).description == Example.bobID)
  }

  // MARK: - Groups

  private struct GroupRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The name and standing of each group.
    var groups: [(String, GroupView.Standing)] = []
    /// As in the rows of people.
    var contacts: [(String, String?, Bool, Bool)] = []
    let word: String
    /// The id that is meant; nil for none.
    let meant: String?
  }

  private static func id(_ prefix: String, _ digit: Int) -> String {
    prefix + String(repeating: "\(digit)", count: 64)
  }

  private static let groupRows: [GroupRow] = [
    GroupRow(testDescription: "a name", groups: [("Trip", .joined)], word: "trip", meant: id("03", 1)),
    GroupRow(
      testDescription: "the beginning of a name", groups: [("Trip", .joined)], word: "tr", meant: id("03", 1)),
    GroupRow(
      testDescription: "the beginning of an id", groups: [("Trip", .joined)], word: "0311", meant: id("03", 1)
    ),
    GroupRow(testDescription: "an invitation", groups: [("Trip", .invited)], word: "trip", meant: nil),
    GroupRow(
      testDescription: "the id of an invitation", groups: [("Trip", .invited)], word: id("03", 1),
      meant: id("03", 1)),
    GroupRow(testDescription: "the id of another group", word: id("03", 1), meant: nil),
    GroupRow(
      testDescription: "two groups of one name", groups: [("Trip", .joined), ("trip", .joined)], word: "trip",
      meant: nil),
    GroupRow(
      testDescription: "an invitation of the same name", groups: [("Trip", .joined), ("trip", .invited)],
      word: "trip", meant: id("03", 1)),
    GroupRow(
      testDescription: "a group that has ended", groups: [("Trip", .joined), ("trip", .kicked)], word: "trip",
      meant: id("03", 1)),
    GroupRow(
      testDescription: "a group that has ended, alone", groups: [("Trip", .destroyed)], word: "trip",
      meant: id("03", 1)),
    GroupRow(
      testDescription: "a group and a contact of one name", groups: [("bob", .joined)],
      contacts: [("bob", nil, true, false)], word: "bob", meant: nil),
    GroupRow(
      testDescription: "a nickname before the name of a group", groups: [("bob", .joined)],
      contacts: [("x", "bob", true, false)], word: "bob", meant: id("05", 1)),
    GroupRow(
      testDescription: "a stranger called like a group", groups: [("Trip", .joined)],
      contacts: [("Trip", nil, false, false)], word: "trip", meant: id("03", 1)),
    GroupRow(
      testDescription: "a group called me", groups: [("me", .joined)], word: "me", meant: Example.aliceID),
    GroupRow(
      testDescription: "characters that are not drawn", groups: [("\u{202E}Tr\u{200B}ip", .joined)],
      word: "trip", meant: id("03", 1)),
  ]

  private func directory(_ row: GroupRow) throws -> Directory {
    let people = Row(testDescription: "", contacts: row.contacts, word: "", meant: nil)
    let groups = try row.groups.enumerated().map { number, group in
      GroupView(
        id: .group(try SessionID(parsing: Self.id("03", number + 1))), standing: group.1, isExpired: false,
        hasLostAccess: false, isAdmin: false, name: group.0, description: "", timerSeconds: 0, memberCount: 2,
        inviter: nil, createdAt: 0, joinedAt: 0)
    }
    return Directory(own: try SessionID(parsing: Example.aliceID), try contacts(people), groups)
  }

  @Test(arguments: groupRows) private func aNameFindsContactsAndJoinedGroups(row: GroupRow) throws {
    let found = try? directory(row).conversation(row.word, MemoryIO().io())
    #expect(found?.description == row.meant)
  }

  @Test func ambiguousNamesListTheCandidates() throws {
    let row = GroupRow(
      testDescription: "", groups: [("bo\u{1B}b", .joined)], contacts: [("bob", nil, true, false)],
      word: "", meant: nil)
    let failure = #expect(throws: CommandFailure.self) {
      try directory(row).conversation("bo", MemoryIO().io())
    }
    #expect(failure?.message == "'bo' may mean 2 conversations")
    let advice = try #require(failure?.advice)
    #expect(advice.contains("  \(Self.id("05", 1))  bob\n"))
    #expect(advice.contains("  \(Self.id("03", 1))  "))
    #expect(advice.hasSuffix("  (group)"))
    #expect(!advice.contains("\u{1B}"))
    // A command that takes only people, or only groups, does not ask.
    #expect(try directory(row).person("bo", MemoryIO().io()).description == Self.id("05", 1))
    #expect(try directory(row).group("bo", MemoryIO().io()).description == Self.id("03", 1))
  }

  @Test func failuresNameTheCommandThatHelps() throws {
    let row = GroupRow(
      testDescription: "", groups: [("Trip", .invited)], contacts: [("bob", nil, true, false)], word: "",
      meant: nil)
    let (directory, io) = (try directory(row), MemoryIO().io())
    func failure(_ word: String) throws -> CommandFailure {
      try #require(#expect(throws: CommandFailure.self) { try directory.conversation(word, io) })
    }
    let invited = try failure("trip")
    #expect(invited.message == "no contact or group is called 'trip'; an invitation uses that name")
    #expect(invited.advice?.contains("session group list") == true)
    let unknown = try failure(Self.id("03", 7))
    #expect(unknown.message == "you are in no group with the id \(Self.id("03", 7))")
    #expect(unknown.advice == "'session group list' shows your groups.")
    let slip = try failure(String(Self.id("03", 1).dropLast()) + "2")
    #expect(slip.message == "this id differs from the id of Trip (0311…1111) in one digit")
    let cut = try failure(String(Self.id("03", 1).dropLast()))
    #expect(cut.message.hasSuffix("it has 65 of 66 digits"))
    #expect(throws: CommandFailure.self) { try directory.group(Self.id("05", 1), io) }
    #expect(throws: CommandFailure.self) { try directory.person(Self.id("03", 1), io) }
    #expect(throws: CommandFailure.self) { try directory.group("me", io) }
  }

  @Test func completionOffersOnlyWhatIsUnique() throws {
    let row = GroupRow(
      testDescription: "",
      groups: [("Trip", .joined), ("Choir", .joined), ("choir", .joined), ("Spam", .invited)],
      contacts: [("bob", nil, true, false)], word: "", meant: nil)
    let directory = try directory(row)
    #expect(directory.completions() == ["me", "Trip", "bob"])
    #expect(directory.completions(in: .contacts) == ["me", "bob"])
    #expect(directory.completions(in: .groups) == ["Trip"])
  }

  @Test func aGroupIsShownWithItsIDUnlessItsNameIsItsOwn() throws {
    let row = GroupRow(
      testDescription: "",
      groups: [("Trip", .joined), ("bob", .joined), ("Spam", .invited), ("me", .joined)],
      contacts: [("bob", nil, true, false)], word: "", meant: nil)
    let directory = try directory(row)
    let shown = try (1...4).map { directory.name(try SessionID(parsing: Self.id("03", $0))) }
    #expect(
      shown == ["Trip", "bob (0322…2222)", "Spam (0333…3333)", "\"me\" (0344…4444)"])
  }

  @Test(arguments: [SessionID.Kind.blinded15, .blinded25])
  func theIDOfSomebodyInACommunityIsTheirsUntilTheyAnswer(kind: SessionID.Kind) throws {
    let own = try SessionID(parsing: Example.aliceID)
    let account = try SessionID(parsing: Example.bobID)
    let id = try SessionID(kind, key: account.key)
    func directory(_ met: [CommunityPersonView]) -> Directory { Directory(own: own, [], [], [:], met) }
    func found(_ met: [CommunityPersonView], _ word: String) throws -> Conversation.ID {
      try directory(met).conversation(word, MemoryIO().io())
    }
    let silent = CommunityPersonView(id: id, name: "Bob", account: nil)
    let known = CommunityPersonView(id: id, name: "Bob", account: account)
    #expect(try found([], id.description) == .person(id))
    #expect(try found([silent], id.description.uppercased()) == .person(id))
    #expect(try found([known], id.description) == .person(account))
    #expect(directory([]).warning(beforeWritingTo: .person(id)) != nil)
    #expect(directory([silent]).warning(beforeWritingTo: .person(id)) == nil)
    // A name that they chose does not find them.
    #expect(throws: CommandFailure.self) { try found([silent], "Bob") }
    #expect(throws: CommandFailure.self) { try found([silent], String(id.description.dropLast())) }
  }
}
