import SessionCore
import Testing

@Suite struct SessionLinkTests {
  private static let id = "05" + String(repeating: "a1", count: 32)
  private static let room = "https://example.org/lobby?public_key=\(String(repeating: "0f", count: 32))"

  @Test func linksAreRead() throws {
    let id = try SessionID(parsing: Self.id)
    #expect(try SessionLink(parsing: "session:\(Self.id)") == .person(id, text: nil, name: nil))
    #expect(
      try SessionLink(parsing: "Session:\(Self.id)?text=see%20you%0A%F0%9F%91%8D&name=Bob&attach=/etc/passwd")
        == .person(id, text: "see you\n👍", name: "Bob"))
    let room = SessionLink.room(try CommunityLink(parsing: Self.room))
    #expect(try SessionLink(parsing: Self.room) == room)
    #expect(try SessionLink(parsing: room.description) == room)
    #expect(try SessionLink(parsing: "session:?chat=12") == .conversation(12))
  }

  @Test func writtenLinksAreReadAsTheSame() throws {
    let id = try SessionID(parsing: Self.id)
    for text in ["", "a&b=c?d#e%f", "zwei Zeilen\nund 👍", "\u{1B}]52;c;x\u{7}"] {
      let link = SessionLink.person(id, text: text, name: "Ä & Ö")
      #expect(try SessionLink(parsing: link.description) == link)
    }
    #expect(try SessionLink(parsing: SessionLink.conversation(3).description) == .conversation(3))
  }

  @Test func longLinksAreWrittenAsLongAsTheyWere() throws {
    for sign in ["/", "?", "=", ":", "@", ",", "+", "!", "x"] {
      let start = "session:\(Self.id)?text="
      let text = start + String(repeating: sign, count: 4096 - start.count)
      let link = try SessionLink(parsing: text)
      #expect(link.description == text)
      #expect(try SessionLink(parsing: link.description) == link)
    }
  }

  @Test func signsOfCommandLinesAreEscaped() throws {
    let signs = "$&#%;'\"`\\|<>(){}*[] \n"
    let link = SessionLink.person(try SessionID(parsing: Self.id), text: signs, name: nil)
    let written = try #require(link.description.split(separator: "text=").last)
    #expect(written.allSatisfy { $0 == "%" || $0.isHexDigit })
    #expect(try SessionLink(parsing: link.description) == link)
  }

  @Test func mistakesAreNamed() {
    for (text, code) in [
      ("file:///etc/passwd", SessionError.Code.link),
      ("session:\(Self.id)?text=\(String(repeating: "x", count: 5000))", .linkLength),
      ("session:\(Self.id)?text=%C0%80", .linkEncoding), ("session:\(Self.id)?text=%00", .linkEncoding),
      ("session:\(Self.id)?text=a&text=b", .linkRepeated), ("session:03\(Self.id.dropFirst(2))", .linkTarget),
      ("session://\(Self.id)", .linkTarget),
    ] {
      #expect(throws: SessionError.self, "\(text)") { try SessionLink(parsing: text) }
      do throws(SessionError) { _ = try SessionLink(parsing: text) } catch { #expect(error.code == code) }
    }
    #expect(throws: SessionError.self) { try SessionLink(parsing: "https://example.org/lobby") }
  }
}
