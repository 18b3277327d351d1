import SessionCore
import SessionNodeCore
import Testing

@Suite struct MessagePartsTests {
  @Test func partsComeBack() {
    let parts: [[UInt8]] = [[], [1, 2, 3], [UInt8](repeating: 9, count: 100_000)]
    #expect(MessageParts.unpack(MessageParts.pack(parts)) == parts)
    #expect(MessageParts.readAnswer(MessageParts.answer(421, [7]))?.code == 421)
  }

  @Test(arguments: ["", "l", "le ", "l3:ab", "l01:ae", "l-1:e", "l1:a", "de", "li5ee", "l999999999:e", "l:e"])
  func invalidListsAreRejected(_ text: String) {
    #expect(MessageParts.unpack(Array(text.utf8)) == nil)
  }

  @Test func anAnswerHasACode() {
    #expect(MessageParts.readAnswer(MessageParts.pack([Array("20".utf8), []])) == nil)
    #expect(MessageParts.readAnswer(MessageParts.pack([Array("999".utf8), []])) == nil)
    #expect(MessageParts.readAnswer(MessageParts.pack([Array("200".utf8)])) == nil)
  }
}
