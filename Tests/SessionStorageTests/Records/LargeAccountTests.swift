import Testing

@testable import SessionStorage

/// A conversation of 100,000 messages.
@Suite struct LargeAccountTests {
  private static let plain = 99_800
  private static let other = 200
  private static var count: Int { plain + other }

  private let database: Database
  private let thread: ThreadRecord.ID

  /// Made once for all tests, none of which changes it.
  private static let made = Result { try make() }

  init() throws { (database, thread) = try Self.made.get() }

  private static func make() throws -> (Database, ThreadRecord.ID) {
    let database = try ExampleAccount.inMemory()
    let thread = try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
      // Two messages at a time, so that their numbers count too.
      try transaction.run(
        """
        INSERT INTO interaction (threadID, author, kind, body, sentAt, receivedAt, serverHash, state) \
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?) \
        SELECT ?, 'author' || (i % 2), 0, 'message ' || i || ' kind' || (i % 10), 1000 + i / 2, 1, 'hash' || i, 0 FROM n
        """, plain, thread)
      try transaction.run(
        """
        INSERT INTO messageText (place, interactionID, text, threadID) \
        SELECT sentAt * 4096 + (id & 4095), id, body, threadID FROM interaction
        """)
      for number in 0..<other {
        // Spread over the whole conversation, by somebody else.
        let message = ExampleAccount.message("今天天气很好 😀 \(number)", in: thread, at: Int64(1000 + number * 200))
        try transaction.insert(message)
      }
      return thread
    }
    return (database, thread)
  }

  @Test func itIsReadInPagesFromEitherEnd() throws {
    let (forward, backward) = try database.read { transaction in
      #expect(try transaction.interactionCount(of: thread) == Self.count)
      var forward: [InteractionPlace] = []
      while case let page = try transaction.page(of: thread, after: forward.last ?? .start, limit: 1000),
        !page.isEmpty, forward.count < 2 * Self.count
      {
        forward += page.map(\.place)
      }
      var backward: [InteractionPlace] = []
      while case let page = try transaction.page(of: thread, before: backward.last ?? .end, limit: 1000),
        !page.isEmpty, backward.count < 2 * Self.count
      {
        backward += page.map(\.place)
      }
      return (forward, backward)
    }
    #expect(forward.count == Self.count)
    #expect(zip(forward, forward.dropFirst()).allSatisfy { ($0.sentAt, $0.id) < ($1.sentAt, $1.id) })
    #expect(backward == forward.reversed())
  }

  @Test func unreadMessagesAreCounted() throws {
    let counts = try database.read { transaction in try transaction.unreadCounts() }
    #expect(counts.map(\.messages) == [Self.count])
    try database.write { transaction in
      let read = try transaction.markRead(in: thread, upTo: 1099)
      // Two for each of a hundred times, and one of the others.
      #expect(read.count == 201)
      let rest = try transaction.unreadCounts()
      #expect(rest.map(\.messages) == [Self.count - 201])
      transaction.abandon()
    }
  }

  @Test(arguments: [
    ("kind7", 9980), ("message kind3", 9980), ("message", 99_800), ("天气", 200), ("很好 😀", 200), ("99000", 1),
    ("absent", 0),
  ]) func everythingIsFoundTheLastFirst(words: String, expected: Int) throws {
    try database.read { transaction in
      var next: SearchPlace?
      var pages = 0
      var times: [Int64] = []
      repeat {
        let page = try transaction.search(words, in: pages % 2 == 0 ? nil : thread, before: next, limit: 5000)
        times += page.found.map(\.sentAt)
        next = page.next
        pages += 1
      } while next != nil
      #expect(times.count == expected)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 >= $1 })
    }
  }
}
