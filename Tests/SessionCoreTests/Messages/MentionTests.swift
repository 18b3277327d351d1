import SessionCore
import Testing

@Suite struct MentionTests {
  private func mentions(_ body: String) throws -> [String] {
    let message = try VisibleMessage(body: body)
    for mention in message.mentions {
      #expect(body[mention.range] == "@" + mention.id.description)
    }
    return message.mentions.map(\.id.description)
  }

  @Test func everyIDAfterTheSignIsAMention() throws {
    let text = "é @\(Example.firstID), and @\(Example.secondID)@\(Example.firstID)"
    #expect(try mentions(text) == [Example.firstID, Example.secondID, Example.firstID])
  }

  @Test func anythingElseIsNone() throws {
    for text in [
      "@", "me@example.org", "@\(Example.firstID.dropLast())", "@@", "@\(Example.firstID.dropLast())é",
    ] {
      #expect(try mentions(text) == [])
    }
    #expect(try mentions("@@\(Example.firstID)") == [Example.firstID])
  }
}
