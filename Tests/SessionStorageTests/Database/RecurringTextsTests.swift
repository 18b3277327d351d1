import Testing

@testable import SessionStorage

@Suite struct RecurringTextsTests {
  private static func read(_ text: [UInt8], _ texts: inout RecurringTexts) -> String {
    text.withUnsafeBufferPointer { texts.text($0) }
  }

  /// Texts with the same ending share a slot and are compared by all of their bytes.
  @Test func everyTextIsReadAsItIs() {
    let ids = (0..<100).map { "05\($0)" + String(repeating: "f", count: 60) }
    var texts = RecurringTexts()
    for _ in 0..<3 {
      for id in ids + ["", "a", "é", "\0", "conversation"] {
        #expect(Self.read(Array(id.utf8), &texts) == id)
        #expect(Self.read(Array(id.utf8), &texts) == id)
      }
    }
  }

  @Test func invalidUTF8IsDecodedConsistently() {
    let bytes: [UInt8] = [0x61, 0xFF, 0x62]
    var texts = RecurringTexts()
    for _ in 0..<2 { #expect(Self.read(bytes, &texts) == String(decoding: bytes, as: UTF8.self)) }
  }

  @Test func authorsAreReadFromTheirColumn() throws {
    let database = try ExampleAccount.inMemory()
    let authors = (0..<60).map { "05\($0 % 7)" + String(repeating: "e", count: 63) }
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
      for (number, author) in authors.enumerated() {
        try transaction.insert(ExampleAccount.message("m", in: thread, at: Int64(number), by: author))
      }
    }
    let read = try database.read { transaction in
      let thread = try #require(try transaction.thread(at: ExampleAccount.bob))
      return try transaction.page(of: thread.id, limit: 100).map(\.author)
    }
    #expect(read.reversed() == authors)
  }
}
