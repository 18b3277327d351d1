import FoundationEssentials
import SeededNumbers
import SessionCore
import Testing

@testable import SessionMessaging

struct ConversationIDTests {
  private typealias ID = Conversation.ID

  private static let digits = String(repeating: "0a", count: 32)
  private static let address = "https://chat.example.org/lobby"

  // MARK: Round trips

  @Test("the text form of a conversation reads back as the same conversation")
  func roundTrips() throws {
    var random = SeededGenerator(seed: 21)
    var texts: Set<String> = []
    for _ in 0..<10_000 {
      let id = try Self.any(&random)
      let text = id.description
      texts.insert(text)
      #expect(ID(text) == id)
      #expect(try JSONDecoder().decode(ID.self, from: JSONEncoder().encode(id)) == id)
      #expect(id.isValid)
    }
    #expect(texts.count == 10_000)
  }

  @Test("damaged text is refused, or names a conversation that reads back", arguments: [1, 2, 3] as [UInt64])
  func damagedText(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      var text = Array(try Self.any(&random).description.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let at = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text[at] = UInt8.random(in: .min ... .max, using: &random)
        case 1: text.remove(at: at)
        default: text.insert("/:.?#@%A\u{7f}".utf8.randomElement(using: &random) ?? 0, at: at)
        }
      }
      Self.check(String(decoding: text, as: UTF8.self))
    }
  }

  @Test("any text is refused, or names a conversation that reads back", arguments: [1, 2, 3] as [UInt64])
  func anyText(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let starts = [
      "", "05", "03", "25", "http://", "https://", "https://a.org/", "https://a.org/r/", "HTTPS://",
    ]
    let letters = Array("0123456789abcdefABCDEF/:.?#@%=&-_[] \n\0ßİ漢👍🏽\u{301}\u{202e}\u{fffd}public_key")
    for _ in 0..<5000 {
      let length = Int.random(in: 0...90, using: &random)
      let rest = (0..<length).compactMap { _ in letters.randomElement(using: &random) }
      Self.check((starts.randomElement(using: &random) ?? "") + String(rest))
    }
  }

  /// Texts that are read, in one form or another.
  private static let readable = [
    "05" + digits, "03" + digits, "15" + digits, address, "http://chat.example.org:8080/lobby",
    "https://Chat.example.org/r/Lobby?public_key=" + digits,
  ]

  @Test("each text with one wrong character is refused, or names a conversation", arguments: readable)
  func everyCharacter(text: String) throws {
    let bytes = Array(text.utf8)
    #expect((try? ID(parsing: text)) != nil)
    for place in bytes.indices {
      Self.check(String(decoding: bytes[..<place], as: UTF8.self))
      for byte in UInt8.min...(.max) {
        var changed = bytes
        changed[place] = byte
        Self.check(String(decoding: changed, as: UTF8.self))
        Self.check(String(decoding: bytes[..<place] + [byte] + bytes[place...], as: UTF8.self))
      }
    }
  }

  /// A text is read in its one form only, or leniently as a conversation whose text is read as the same.
  private static func check(_ text: String) {
    let strict = ID(text)
    let lenient = try? ID(parsing: text)
    guard strict != nil || lenient != nil else { return }
    if let strict { #expect(strict.description == text && lenient == strict) }
    if let lenient { #expect(ID(lenient.description) == lenient && lenient.isValid) }
  }

  // MARK: What each kind of id names

  @Test func peopleAndGroupsAreNamedByTheirIDs() throws {
    for prefix in ["05", "15", "25"] {
      let person = try SessionID(parsing: prefix + Self.digits)
      #expect(ID(person) == .person(person))
      #expect(ID(person)?.account == person)
    }
    let group = try SessionID(parsing: "03" + Self.digits)
    #expect(ID(group) == .group(group))
    #expect(ID(Self.address)?.account == nil)
  }

  @Test("no conversation has an id that begins with 00 or 07", arguments: ["00", "07"])
  func silentIDs(prefix: String) throws {
    #expect(ID(try SessionID(parsing: prefix + Self.digits)) == nil)
    let error = #expect(throws: SessionError.self) { try ID(parsing: prefix + Self.digits) }
    #expect(error?.code == .recipient)
  }

  @Test func casesWithAnIDOfAnotherKindAreInvalid() throws {
    let group = try SessionID(parsing: "03" + Self.digits)
    let person = try SessionID(parsing: "05" + Self.digits)
    #expect(!ID.person(group).isValid)
    #expect(!ID.group(person).isValid)
    #expect(ReadMark.Place(.person(group)) == nil)
    #expect(ReadMark.Place(.group(person)) == nil)
  }

  // MARK: Spellings

  /// Texts that are not in canonical form, each with the id that lenient parsing returns; nil if it returns none.
  private static let spellings: [(String, String?)] = [
    ("", nil), ("05", nil), ("05" + String(digits.dropLast()), nil), ("03" + String(digits.dropLast()), nil),
    ("05" + digits + "0", nil), ("09" + digits, nil), (" 05" + digits, nil), ("05" + digits + "\n", nil),
    ("05" + digits.uppercased(), "05" + digits), ("me", nil),
    ("https://chat.example.org", nil), ("https://chat.example.org/", nil), (address + "/", nil),
    ("https://Chat.Example.org/Lobby", address), ("HTTPS://chat.example.org/lobby", address),
    ("https://chat.example.org/r/lobby", address), ("https://chat.example.org:443/lobby", address),
    ("http://chat.example.org:80/lobby", "http://chat.example.org/lobby"),
    (address + "?public_key=" + digits, address), (address + "?public_key=12", nil), (address + "?x=1", nil),
    ("https://user@chat.example.org/lobby", nil), ("https://ch\u{e4}t.example.org/lobby", nil),
    ("https://chat/lobby", nil), ("ftp://chat.example.org/lobby", nil), ("chat.example.org/lobby", nil),
    ("https://chat.example.org:99999/lobby", nil), ("https://chat.example.org/lob by", nil),
    ("https://chat.example.org/" + String(repeating: "a", count: 65), nil),
    ("https://" + String(repeating: "a.", count: 300) + "org/lobby", nil),
  ]

  @Test("a conversation has one text form; other spellings are read only as people's", arguments: spellings)
  func spelling(text: String, meaning: String?) throws {
    #expect(ID(text) == nil)
    if let meaning {
      #expect(try ID(parsing: text).description == meaning)
    } else {
      #expect(throws: SessionError.self) { try ID(parsing: text) }
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ID.self, from: JSONEncoder().encode(text))
    }
  }

  @Test func roomsThatDifferInCaseOnlyAreOne() throws {
    #expect(try ID(parsing: "https://chat.example.org/LOBBY") == ID(parsing: Self.address))
    #expect(try ID(parsing: "http://chat.example.org/lobby") != ID(parsing: Self.address))
  }

  @Test("the longest room has a text form") func longestRoom() throws {
    let server = "https://" + String(repeating: "a", count: 255) + ".org"
    let text = server + "/" + String(repeating: "r", count: 64)
    #expect(server.utf8.count == 267)
    #expect(ID(text)?.description == text)
    #expect(
      try ID(parsing: server + "/r/" + String(repeating: "R", count: 64) + "?public_key=" + Self.digits)
        == ID(text))
  }

  @Test func anIDThatWasStoredAsAnAccountReadsBackAsAPerson() throws {
    let person = try SessionID(parsing: "05" + Self.digits)
    #expect(try JSONDecoder().decode(ID.self, from: JSONEncoder().encode(person)) == .person(person))
  }

  // MARK: Order and read marks

  @Test func peopleComeBeforeGroupsAndGroupsBeforeRooms() throws {
    let sorted = try ["03" + Self.digits, "25" + Self.digits, Self.address, "05" + Self.digits]
      .map { try ID(parsing: $0) }.sorted()
    #expect(
      sorted.map(\.description) == ["05" + Self.digits, "25" + Self.digits, "03" + Self.digits, Self.address])
  }

  @Test func aConversationIsWhereItsReadMarkIs() throws {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<1000 {
      let id = try Self.any(&random)
      #expect(ReadMark.Place(id)?.conversation == id)
    }
    #expect(ReadMark.Place.legacyGroup(try SessionID(parsing: "05" + Self.digits)).conversation == nil)
  }

  private static func any(_ random: inout SeededGenerator) throws -> ID {
    func word(_ characters: String, _ count: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: count, using: &random)).compactMap { _ in characters.randomElement(using: &random)
        })
    }
    let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let kinds: [SessionID.Kind] = [.standard, .blinded15, .blinded25]
      return .person(try SessionID(kinds.randomElement(using: &random) ?? .standard, key: key))
    case 1:
      return .group(try SessionID(.group, key: key))
    default:
      let host = word("abcz019-", 1...20) + "." + word("abcz019", 2...20)
      let port = Bool.random(using: &random) ? "" : ":\(Int.random(in: 1...65535, using: &random))"
      let server = (Bool.random(using: &random) ? "http://" : "https://") + host + port
      return .room(try Community.Place(server: server, room: word("abcXYZ019-_", 1...64)))
    }
  }
}
