import SessionCore
import SessionMessaging
import Testing

@testable import SessionCLI
@testable import SessionMessaging

@Suite struct PeopleTests {
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
        isBlocked: contact.3, hasPicture: false, downloadsByItself: false)
    }
  }

  @Test(arguments: rows) private func aNameFindsContactsAlone(row: Row) throws {
    let own = try SessionID(parsing: Example.aliceID)
    let contacts = try contacts(row)
    let people = People(own: own, contacts)
    let found = try? people.person(row.word, MemoryIO().io())
    #expect(found == row.meant.map { contacts[$0].id })
    #expect(try people.person("me", MemoryIO().io()) == own)
  }

  @Test(arguments: ["me", "ME", "m\u{435}", "\u{200B}me", "ｍｅ"])
  func onlyTheOwnerIsShownAsMe(name: String) throws {
    let row = Row(testDescription: "", contacts: [(name, nil, true, false)], word: "me", meant: nil)
    let (own, contacts) = (try SessionID(parsing: Example.aliceID), try contacts(row))
    let people = People(own: own, contacts)
    #expect(try people.person(name, MemoryIO().io()) != contacts[0].id || NameKey(name).text != "me")
    #expect(people.name(contacts[0].id).hasSuffix(" (0511…1111)"))
    #expect(people.name(own) == "me")
  }

  @Test func anIDThatIsAlmostKnownIsASlip() throws {
    let row = Row(testDescription: "", contacts: [("bob", nil, true, false)], word: "", meant: nil)
    let people = People(own: try SessionID(parsing: Example.aliceID), try contacts(row))
    let slip = "05" + String(repeating: "1", count: 63) + "2"
    #expect(throws: CommandFailure.self) { try people.person(slip, MemoryIO().io()) }
    #expect(throws: CommandFailure.self) { try people.person(String(slip.dropLast()), MemoryIO().io()) }
    #expect(try people.person(Example.bobID, MemoryIO().io()).description == Example.bobID)
  }
}
