import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct EventGapTests {
  @Test func aReaderThatWasAwayTooLongLearnsWhatItMissed() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let first = try #require(try await alice.events(limit: 1).first).id
      try await alice.acknowledge(first, by: "away")
      let last = try await alice.lastEvent()
      try await alice.context.write { transaction, _ in try transaction.trimEvents(keeping: 2) }
      let events = try await alice.events(after: first)
      #expect(events.map(\.kind).first == .gap)
      let floor = MessengerEvent.Cursor(rawValue: last.rawValue - 2)
      #expect(events.first?.lost == MessengerEvent.Cursor(rawValue: first.rawValue + 1)...floor)
      #expect(events.count == 3 && events.last?.id == last)

      var away = alice.events(for: "away").makeAsyncIterator()
      let gap = try #require(try await away.next())
      #expect(gap.kind == .gap)
      try await alice.acknowledge(gap.id, by: "away")
      var again = alice.events(for: "away").makeAsyncIterator()
      #expect(try await again.next()?.kind != .gap)
      // The beginning is wherever the kept ones begin.
      #expect(try await alice.events(after: .start).first?.kind != .gap)
      #expect(try await alice.events(after: floor).first?.kind != .gap)
    }
  }

  @Test func cursorBeyondTheNewestEventIsRefused() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let last = try await alice.lastEvent()
      #expect(try await alice.events(after: last).isEmpty)
      for number in [last.rawValue + 1, .max] {
        let error = await #expect(throws: MessengerError.self) {
          try await alice.events(after: MessengerEvent.Cursor(rawValue: number))
        }
        #expect(error?.code == .unknownCursor)
      }
      // If every event was deleted, the floor is the newest cursor.
      try await alice.context.write { transaction, _ in try transaction.trimEvents(keeping: 0) }
      #expect(try await alice.events(after: last).isEmpty)
    }
  }

  @Test func aReaderFarBehindIsToldOnceAndContinues() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let first = try #require(try await alice.events(limit: 1).first).id
      try await alice.context.write { transaction, now in
        for _ in 0..<150_000 { try transaction.appendEvent("profileChanged", at: now.stored) }
        try transaction.trimEvents(keeping: 100_000)
      }
      var (cursor, gaps, count) = (first, 0, 0)
      while true {
        let events = try await alice.events(after: cursor, limit: Messenger.maxEvents)
        guard let last = events.last else { break }
        gaps += events.count { $0.kind == .gap }
        count += events.count { $0.kind == .profileChanged }
        cursor = last.id
      }
      #expect(gaps == 1 && count == 100_000)
    }
  }

  /// Runs `body` with a messenger whose events up to 5,000 were deleted, and that has the next ten.
  private func withFloor(_ body: (Messenger) async throws -> Void) async throws {
    try await withAliceAndBob(areFriends: false) { (_, alice, _) async throws in
      let count = 5010 - Int(try await alice.lastEvent().rawValue)
      try await alice.context.write { transaction, now in
        for _ in 0..<count { try transaction.appendEvent("profileChanged", at: now.stored) }
        try transaction.trimEvents(keeping: 10)
      }
      try await body(alice)
    }
  }

  /// The numbers of the first events of a sequence.
  private func numbers(_ count: Int, of events: MessengerEvents) async throws -> [Int64] {
    var (numbers, events) = ([Int64](), events.makeAsyncIterator())
    while numbers.count < count, let event = try await events.next() { numbers.append(event.id.rawValue) }
    return numbers
  }

  @Test func startBeginsWithTheOldestEventThereIs() async throws {
    try await withFloor { (alice) async throws in
      let events = try await alice.events(after: .start)
      #expect(events.map(\.id.rawValue) == Array(5001...5010))
      #expect(!events.map(\.kind).contains(.gap))
      #expect(try await numbers(10, of: alice.events(from: .start)) == Array(5001...5010))
    }
  }

  @Test(arguments: [17, 4999] as [Int64]) func cursorBeforeTheFloorGetsOneGap(cursor: Int64) async throws {
    try await withFloor { (alice) async throws in
      let cursor = MessengerEvent.Cursor(rawValue: cursor)
      let events = try await alice.events(after: cursor)
      #expect(events.map(\.id.rawValue) == Array(5000...5010))
      #expect(events.filter { $0.kind == .gap }.map(\.id.rawValue) == [5000])
      let floor = MessengerEvent.Cursor(rawValue: 5000)
      #expect(events.first?.lost == MessengerEvent.Cursor(rawValue: cursor.rawValue + 1)...floor)
      #expect(try await numbers(11, of: alice.events(from: cursor)) == Array(5000...5010))
      // A page of one holds the gap alone; the next one continues after it.
      #expect(try await alice.events(after: cursor, limit: 1).map(\.kind) == [.gap])
    }
  }

  @Test func cursorAtTheFloorHasNoGap() async throws {
    try await withFloor { (alice) async throws in
      let floor = MessengerEvent.Cursor(rawValue: 5000)
      #expect(try await alice.events(after: floor).map(\.id.rawValue) == Array(5001...5010))
      #expect(try await numbers(10, of: alice.events(from: floor)) == Array(5001...5010))
    }
  }

  @Test(arguments: [5011, .max] as [Int64]) func cursorOfNoEventIsRefusedEverywhere(cursor: Int64)
    async throws
  {
    try await withFloor { (alice) async throws in
      let cursor = MessengerEvent.Cursor(rawValue: cursor)
      let refusals = [
        await #expect(throws: MessengerError.self) { try await alice.events(after: cursor) },
        await #expect(throws: MessengerError.self) { try await numbers(1, of: alice.events(from: cursor)) },
        await #expect(throws: MessengerError.self) { try await alice.acknowledge(cursor, by: "bot") },
      ]
      #expect(refusals.map { $0?.code } == [.unknownCursor, .unknownCursor, .unknownCursor])
      // The reader is as before.
      #expect(try await numbers(1, of: alice.events(for: "bot")) == [5001])
    }
  }

  @Test func eventsOfNewerProgramsArePassedOver() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = try await alice.lastEvent()
      try await alice.context.write { transaction, now in
        for number in 0..<250 { try transaction.appendEvent("kind\(number)", at: now.stored) }
        try transaction.appendEvent("gap", at: now.stored)
        try transaction.tell(.profileChanged, MessengerEvent.Content(), at: now)
      }
      #expect(try await alice.events(after: before).map(\.kind) == [.profileChanged])
      var events = alice.events(from: before).makeAsyncIterator()
      #expect(try await events.next()?.kind == .profileChanged)
    }
  }
}
