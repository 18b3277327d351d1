import Foundation
import SessionCore
import Testing

@Suite struct SessionIDTests {
  @Test(arguments: SessionID.Kind.allCases)
  func theFirstByteTellsTheKind(kind: SessionID.Kind) throws {
    let text = kind.prefix + String(repeating: "ab", count: 32)
    let id = try SessionID(parsing: text)
    #expect(id.kind == kind)
    #expect(id.description == text)
    #expect(try SessionID(bytes: id.bytes) == id)
    #expect(try SessionID(kind, key: id.key) == id)
  }

  @Test func upperCaseIsReadAndLowerCaseWritten() throws {
    #expect(try SessionID(parsing: Example.firstID.uppercased()).description == Example.firstID)
  }

  @Test(arguments: [
    ("", SessionError.Code.idLength, "an id has 66 hexadecimal digits, this text has 0"),
    ("\(Example.firstID.dropLast())", .idLength, "an id has 66 hexadecimal digits, this text has 65"),
    ("\(Example.firstID)0", .idLength, "an id has 66 hexadecimal digits, this text has 67"),
    (
      "05g\(Example.firstID.dropFirst(3))", .idHex,
      "an id has only the digits 0-9 and a-f, but character 3 is ‘g’"
    ),
    (
      "\(Example.firstID.dropLast())é", .idHex,
      "an id has only the digits 0-9 and a-f, but character 66 is ‘é’"
    ),
    (
      "05\n\(Example.firstID.dropFirst(3))", .idHex,
      "an id has only the digits 0-9 and a-f, but character 3 is U+A"
    ),
    (
      "99\(Example.firstID.dropFirst(2))", .idPrefix,
      "no id begins with 99; the known beginnings are 00, 03, 05, 07, 15, 25"
    ),
  ])
  func theExactMistakeIsNamed(text: String, code: SessionError.Code, message: String) throws {
    let error = try #require(throws: SessionError.self) { try SessionID(parsing: text) }
    #expect(error.code == code)
    #expect(error.message == message)
    #expect(SessionID(text) == nil)
  }

  @Test func bytesOfAnotherNumberAreRefused() {
    #expect { try SessionID(bytes: [5, 1]) } throws: { SessionError.Code.idLength ~= $0 }
    #expect { try SessionID(.group, key: [1]) } throws: { SessionError.Code.keySize ~= $0 }
  }

  @Test func itIsCodedAsText() throws {
    let id = try SessionID(parsing: Example.firstID)
    let json = try JSONEncoder().encode([id])
    #expect(String(decoding: json, as: UTF8.self) == "[\"\(Example.firstID)\"]")
    #expect(try JSONDecoder().decode([SessionID].self, from: json) == [id])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([SessionID].self, from: Data("[\"05\"]".utf8))
    }
  }
}
