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
        #expect(error?.code == .cursor)
      }
      // Where every event was deleted, the floor is the newest place there is.
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
