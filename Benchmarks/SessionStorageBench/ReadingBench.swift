import Measuring
import SessionStorage
import StorageFloor

/// Reading an account with a long history: a conversation of 100,000 messages, and 1,000 where ten are unread each.
final class ReadingBench {
  private static let history = 100_000
  private static let batch = 1000
  private static let conversations = 1000
  private static let unread = 10

  /// A search, and the query for the engine.
  private struct Search {
    let name: String
    let words: String
    let query: String
  }

  private let account: BenchAccount
  private let thread: ThreadRecord.ID
  private let searches: [Search]
  /// The ends of pages, spread over the conversation.
  private let places: [InteractionPlace]

  init(in folder: String) throws {
    account = try BenchAccount(folder + "/history.db")
    var talk = Talk()
    var addresses = Addresses()
    let address = addresses.next()
    let messages = talk.messages(Self.history)
    for start in stride(from: 0, to: messages.count, by: Self.batch) {
      try account.insertTogether(
        Array(messages[start..<start + Self.batch]), into: address, areRead: true)
    }
    for _ in 0..<Self.conversations {
      try account.insertTogether(talk.messages(Self.unread), into: addresses.next())
    }
    thread = ThreadRecord.ID(rawValue: 1)
    places = (0..<1000).map { _ in
      let index = talk.number(below: Self.history)
      return InteractionPlace(sentAt: messages[index].sentAt, id: .init(rawValue: Int64(index + 1)))
    }
    searches = [
      Search(name: "a common word", words: talk.common, query: "\"\(talk.common)*\""),
      Search(
        name: "two words", words: "\(talk.common) \(talk.uncommon)",
        query: "\"\(talk.common)\" \"\(talk.uncommon)*\""),
      Search(name: "a rare word", words: talk.rare, query: "\"\(talk.rare)*\""),
      Search(name: "one letter", words: "s", query: "\"s*\""),
      Search(name: "two letters", words: "ka", query: "\"ka*\""),
      Search(name: "three letters", words: "sun", query: "\"sun*\""),
      Search(name: "Chinese", words: "天气", query: "\"天气\""),
      Search(name: "one Chinese letter", words: "天", query: "\"天*\""),
    ]
  }

  func run() throws {
    let floor = account.openFloor()
    try compare(with: floor)
    runPages(floor)
    runCounts(floor)
    runSearches(floor)
    floor_close(floor)
    try UpkeepBench(account).run()
    try account.database.close()
    OwnProcess.run(IdleAccount.argument, account.path)
  }

  /// Checks that both read the same.
  private func compare(with floor: OpaquePointer) throws {
    for place in places.prefix(10) {
      expectSame(
        try account.page(of: thread, before: place),
        floor_page(floor, thread.rawValue, place.sentAt, place.id.rawValue, 50))
    }
    for search in searches {
      expectSame(try account.search(search.words), floor_search(floor, search.query, 50))
    }
    let counts = try account.unreadCounts()
    let sum = counts.reduce(0) { $0 + $1.thread.rawValue + Int64($1.messages + $1.mentions) }
    let theirs = floor_unread_counts(floor)
    precondition(theirs.rows == counts.count && theirs.numbers == sum, "the floor counts something else")
  }

  private func expectSame(_ ours: [InteractionRecord], _ theirs: floor_sum) {
    let bytes = ours.reduce(0) { bytes, record in
      bytes + [record.author, record.body, record.serverHash].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
    let numbers = ours.reduce(0) { $0 + $1.id.rawValue }
    precondition(
      !ours.isEmpty && theirs.rows == ours.count && theirs.text_bytes == bytes && theirs.numbers == numbers,
      "the floor reads something else")
  }

  private func runPages(_ floor: OpaquePointer) {
    Figure(
      name: "storage/last 50 of 100000 messages", floorName: "C, the same statements", amount: 1,
      goal: .timesFloor(1.3)
    ).run {
      _ = try self.account.page(of: self.thread, before: .end)
    } floor: {
      let end = InteractionPlace.end
      _ = floor_page(floor, self.thread.rawValue, end.sentAt, end.id.rawValue, 50)
    }
    var ours = 0
    var theirs = 0
    Figure(
      name: "storage/any 50 of 100000 messages", floorName: "C, the same statements", amount: 1,
      goal: .timesFloor(1.3)
    ).run {
      ours = (ours + 1) % self.places.count
      _ = try self.account.page(of: self.thread, before: self.places[ours])
    } floor: {
      theirs = (theirs + 1) % self.places.count
      let place = self.places[theirs]
      _ = floor_page(floor, self.thread.rawValue, place.sentAt, place.id.rawValue, 50)
    }
  }

  private func runCounts(_ floor: OpaquePointer) {
    Figure(
      name: "storage/unread counts of 1000 conversations", floorName: "C, the same statements", amount: 1
    ).run {
      _ = try self.account.unreadCounts()
    } floor: {
      _ = floor_unread_counts(floor)
    }
  }

  private func runSearches(_ floor: OpaquePointer) {
    for search in searches {
      Figure(
        name: "storage/search 100000 messages for \(search.name)", floorName: "C, the same statements",
        amount: 1, goal: .atMost(30_000)
      ).run {
        _ = try self.account.search(search.words)
      } floor: {
        _ = floor_search(floor, search.query, 50)
      }
    }
    Figure(
      name: "storage/search 100000 messages for the first time", floorName: "", amount: 1,
      goal: .atMost(30_000)
    ).run(
      ours: {
        self.account.database.releaseMemory()
        _ = try self.account.search(self.searches[0].words)
      }, floor: nil)
  }
}
