import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(10))) struct EventGapTests {
  @Test func aReaderThatWasAwayTooLongLearnsWhatItMissed() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let first = try #require(try await alice.events(limit: 1).first).id
      try await alice.acknowledge(first, by: "away")
      let last = try await alice.lastEvent()
      try await alice.context.write { transaction, _ in try transaction.trimEvents(.unread(2), at: .max) }
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
      try await alice.context.write { transaction, _ in try transaction.trimEvents(.unread(0), at: .max) }
      #expect(try await alice.events(after: last).isEmpty)
    }
  }

  @Test func aReaderFarBehindIsToldOnceAndContinues() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let first = try #require(try await alice.events(limit: 1).first).id
      try await alice.context.write { transaction, now in
        for _ in 0..<150_000 { try transaction.appendEvent("profileChanged", at: now.stored) }
        try transaction.acknowledge(EventRecord.ID(rawValue: first.rawValue), by: "away", at: 0)
        try transaction.trimEvents(.unread(100_000), at: .max)
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

  /// Runs `body` with a messenger that has ten events, and with the number of the event before them, which was deleted
  /// with many others.
  private func withFloor(_ body: (Messenger, Int64) async throws -> Void) async throws {
    try await withAliceAndBob(areFriends: false) { (_, alice, _) async throws in
      try await alice.context.write { transaction, now in
        for _ in 0..<5000 { try transaction.appendEvent("profileChanged", at: now.stored) }
        try transaction.acknowledge(EventRecord.ID(rawValue: 1), by: "away", at: 0)
        try transaction.trimEvents(.unread(10), at: .max)
      }
      try await body(alice, try await alice.lastEvent().rawValue - 10)
    }
  }

  /// The numbers of the first events of a sequence.
  private func numbers(_ count: Int, of events: MessengerEvents) async throws -> [Int64] {
    var (numbers, events) = ([Int64](), events.makeAsyncIterator())
    while numbers.count < count, let event = try await events.next() { numbers.append(event.id.rawValue) }
    return numbers
  }

  @Test func startBeginsWithTheOldestEventThereIs() async throws {
    try await withFloor { (alice, floor) async throws in
      let events = try await alice.events(after: .start)
      #expect(events.map(\.id.rawValue) == Array(floor + 1...floor + 10))
      #expect(!events.map(\.kind).contains(.gap))
      #expect(try await numbers(10, of: alice.events(from: .start)) == Array(floor + 1...floor + 10))
    }
  }

  @Test(arguments: [4983, 1] as [Int64]) func cursorBeforeTheFloorGetsOneGap(distance: Int64) async throws {
    try await withFloor { (alice, floor) async throws in
      let cursor = MessengerEvent.Cursor(rawValue: floor - distance)
      let events = try await alice.events(after: cursor)
      #expect(events.map(\.id.rawValue) == Array(floor...floor + 10))
      #expect(events.filter { $0.kind == .gap }.map(\.id.rawValue) == [floor])
      #expect(
        events.first?.lost
          == MessengerEvent.Cursor(rawValue: cursor.rawValue + 1)...MessengerEvent.Cursor(rawValue: floor))
      #expect(try await numbers(11, of: alice.events(from: cursor)) == Array(floor...floor + 10))
      // A page of one holds the gap alone; the next one continues after it.
      #expect(try await alice.events(after: cursor, limit: 1).map(\.kind) == [.gap])
    }
  }

  @Test func cursorAtTheFloorHasNoGap() async throws {
    try await withFloor { (alice, floor) async throws in
      let (cursor, kept) = (MessengerEvent.Cursor(rawValue: floor), Array(floor + 1...floor + 10))
      #expect(try await alice.events(after: cursor).map(\.id.rawValue) == kept)
      #expect(try await numbers(10, of: alice.events(from: cursor)) == kept)
    }
  }

  @Test(arguments: [true, false]) func cursorOfNoEventIsRefusedEverywhere(isNear: Bool) async throws {
    try await withFloor { (alice, floor) async throws in
      let cursor = MessengerEvent.Cursor(rawValue: isNear ? floor + 11 : .max)
      let refusals = [
        await #expect(throws: MessengerError.self) { try await alice.events(after: cursor) },
        await #expect(throws: MessengerError.self) { try await numbers(1, of: alice.events(from: cursor)) },
        await #expect(throws: MessengerError.self) { try await alice.acknowledge(cursor, by: "bot") },
      ]
      #expect(refusals.map { $0?.code } == [.unknownCursor, .unknownCursor, .unknownCursor])
      // The reader is as before.
      #expect(try await numbers(1, of: alice.events(for: "bot")) == [floor + 1])
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

extension EventRetention {
  /// Events are kept as long as a reader has not acknowledged them, up to a limit.
  fileprivate static func unread(_ limit: Int) -> EventRetention {
    EventRetention(limit: limit, settledAge: 0, settledCount: 0)
  }
}
