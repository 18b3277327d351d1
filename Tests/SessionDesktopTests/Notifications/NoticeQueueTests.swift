import Testing

@testable import SessionDesktop

/// When notices are shown, in virtual time.
@Suite struct NoticeQueueTests {
  private var queue = NoticeQueue()

  private func place(_ name: String, _ account: String = "alice") -> NoticePlace {
    NoticePlace(account, .conversation(name))
  }

  private func notice(_ name: String, message: Int64 = 1, isLate: Bool = false, mentions: Bool = false)
    -> Notice
  {
    var notice = Notice(.message, at: place(name))
    (notice.message, notice.isLate, notice.mentionsUs) = (message, isLate, mentions)
    return notice
  }

  /// What is shown at a time, where nothing is filtered.
  private mutating func shown(at now: Int64, isQuiet: Bool = false) -> [NoticeQueue.Order] {
    queue.batches(at: now).compactMap { queue.admit($0, isQuiet: isQuiet, at: now) }
      + queue.summaries(isQuiet: isQuiet, at: now)
  }

  private func names(_ orders: [NoticeQueue.Order]) -> [String] {
    orders.map { order in
      switch order {
      case .show(let notice, let count, let hasSound):
        "\(notice.place.name.split(separator: "\n").last ?? "") \(count)\(hasSound ? " sound" : "")"
      case .summary(let account, let messages, let conversations): "\(account) \(messages)/\(conversations)"
      }
    }
  }

  @Test mutating func aMessageWaitsBeforeItIsShown() {
    queue.take(notice("bob"), isRoom: false, at: 1000)
    #expect(queue.next == 1700)
    #expect(shown(at: 1699).isEmpty)
    #expect(names(shown(at: 1700)) == ["bob 1 sound"])
    #expect(queue.next == nil && shown(at: 100_000).isEmpty)
  }

  @Test mutating func onlyTheNewestOfManyEditsIsShown() {
    let (bob, carol) = (place("bob"), place("carol"))
    let edits = ["a", "b", "c", "d"].map { NoticeQueue.Edit(place: bob, message: 1, text: $0) }
    for (index, edit) in edits.prefix(3).enumerated() { queue.take(edit, at: 1000 + Int64(index) * 300) }
    #expect(queue.next == 1700)
    #expect(queue.edits(at: 1699).isEmpty)
    #expect(queue.edits(at: 1700) == [edits[2]])
    #expect(queue.next == nil)
    let other = NoticeQueue.Edit(place: carol, message: 1, text: "e")
    queue.take(edits[3], at: 1701)
    queue.take(other, at: 1702)
    queue.closed(bob)
    #expect(queue.edits(at: 2402) == [other])
  }

  @Test mutating func messagesReadElsewhereMeanwhileAreNotShown() {
    queue.take(notice("bob"), isRoom: false, at: 0)
    queue.forget(place("bob"))
    #expect(queue.next == nil && shown(at: 1000).isEmpty)
  }

  @Test mutating func aDeletedMessageIsNotShown() {
    queue.take(notice("bob", message: 1), isRoom: false, at: 0)
    queue.take(notice("bob", message: 2), isRoom: false, at: 0)
    queue.forget(message: 1, at: place("bob"))
    #expect(names(shown(at: 700)) == ["bob 1 sound"])
    queue.take(notice("bob", message: 3), isRoom: false, at: 1000)
    queue.forget(message: 3, at: place("bob"))
    #expect(queue.next == nil)
  }

  @Test mutating func messagesOfAConversationAreCountedUntilItIsReadOrClosed() {
    queue.take(notice("bob"), isRoom: false, at: 0)
    #expect(names(shown(at: 700)) == ["bob 1 sound"])
    for time in [1000, 1100] as [Int64] { queue.take(notice("bob"), isRoom: false, at: time) }
    #expect(names(shown(at: 1800)) == ["bob 3 sound"])
    queue.closed(place("bob"))
    queue.take(notice("bob"), isRoom: false, at: 20_000)
    #expect(names(shown(at: 21_000)) == ["bob 1 sound"])
    queue.forget(place("bob"))
    queue.take(notice("bob"), isRoom: false, at: 40_000)
    #expect(names(shown(at: 41_000)) == ["bob 1 sound"])
  }

  @Test mutating func messagesOfARoomAreCollected() {
    for time in [0, 2000, 4000] as [Int64] { queue.take(notice("room"), isRoom: true, at: time) }
    #expect(shown(at: 4999).isEmpty)
    #expect(names(shown(at: 5000)) == ["room 3 sound"])
  }

  @Test mutating func soundsAreFew() {
    var sounds: [Bool] = []
    for (time, name) in [(0, "a"), (500, "a"), (900, "b"), (1500, "c"), (5000, "a"), (5900, "b")]
      as [(Int64, String)]
    {
      queue.take(notice(name), isRoom: false, at: time - 700)
      for case .show(_, _, let hasSound) in shown(at: time) { sounds.append(hasSound) }
    }
    // One a second for a conversation, two in five seconds for all.
    #expect(sounds == [true, false, true, false, true, true])
  }

  @Test mutating func manyConversationsAtOnceAreASummary() {
    for number in 1...8 { queue.take(notice("c\(number)", message: Int64(number)), isRoom: false, at: 0) }
    let orders = shown(at: 700)
    #expect(orders.count == NoticeQueue.maxCrowd)
    #expect(queue.next == 1700)
    #expect(names(shown(at: 1700)) == ["alice 3/3"])
    // One that is on the screen goes on.
    queue.take(notice("c1"), isRoom: false, at: 2000)
    #expect(names(shown(at: 2700)) == ["c1 2"])
    // The summary grows.
    queue.take(notice("c9"), isRoom: false, at: 3000)
    #expect(shown(at: 3700).isEmpty)
    #expect(names(shown(at: 4700)) == ["alice 4/4"])
    // Later it is quiet again.
    queue.take(notice("c9"), isRoom: false, at: 30_000)
    #expect(names(shown(at: 30_700)) == ["c9 1 sound"])
  }

  @Test mutating func afterALongAbsenceThreeAreShownAndASummary() {
    for number in 1...20 {
      queue.take(notice("c\(number)", message: Int64(number), isLate: true), isRoom: false, at: 0)
    }
    #expect(shown(at: 700).count == NoticeQueue.maxLate)
    #expect(names(shown(at: 1700)) == ["alice 17/17"])
  }

  @Test mutating func nothingIsShownInQuietTimeAndOneSummaryAfterIt() {
    for (name, count) in [("bob", 3), ("carol", 2), ("dave", 1)] {
      for number in 1...count { queue.take(notice(name, message: Int64(number)), isRoom: false, at: 0) }
    }
    #expect(shown(at: 700, isQuiet: true).isEmpty)
    #expect(queue.isHolding)
    #expect(shown(at: 50_000, isQuiet: true).isEmpty)
    #expect(names(shown(at: 60_000)) == ["alice 6/3"])
    #expect(!queue.isHolding && shown(at: 70_000).isEmpty)
  }

  @Test mutating func messagesReadInQuietTimeAreNotSummed() {
    queue.take(notice("bob"), isRoom: false, at: 0)
    #expect(shown(at: 700, isQuiet: true).isEmpty)
    queue.forget(place("bob"))
    #expect(!queue.isHolding && shown(at: 1000).isEmpty)
  }

  @Test mutating func onlySomeHeldMessagesMayBeRead() {
    for (name, count) in [("bob", 3), ("carol", 2)] {
      for number in 1...count { queue.take(notice(name, message: Int64(number)), isRoom: false, at: 0) }
    }
    #expect(shown(at: 700, isQuiet: true).isEmpty)
    #expect(queue.isWaiting(place("bob")))
    queue.forget(place("bob"))
    #expect(!queue.isWaiting(place("bob")) && queue.isWaiting(place("carol")))
    #expect(names(shown(at: 1000)) == ["alice 2/1"])
    // Another quiet time much later begins anew.
    queue.take(notice("dave"), isRoom: false, at: 100_000)
    #expect(shown(at: 100_700, isQuiet: true).isEmpty)
    #expect(names(shown(at: 101_000)) == ["alice 1/1"])
    // So does one after the summary was looked at.
    queue.forget(NoticePlace("alice", .summary))
    queue.take(notice("bob"), isRoom: false, at: 102_000)
    #expect(shown(at: 102_700, isQuiet: true).isEmpty)
    #expect(names(shown(at: 103_000)) == ["alice 1/1"])
  }

  @Test mutating func whatWaitsOrIsHeldIsNotDone() {
    for (name, cursor) in [("bob", 7), ("carol", 5)] as [(String, Int64)] {
      var notice = notice(name)
      notice.cursor = cursor
      queue.take(notice, isRoom: name == "bob", at: 0)
    }
    #expect(queue.oldest(of: "alice") == 5 && queue.oldest(of: "work") == nil)
    #expect(shown(at: 700, isQuiet: true).isEmpty)
    #expect(queue.oldest(of: "alice") == 5)
    #expect(names(shown(at: 1000)) == ["alice 1/1"])
    #expect(queue.oldest(of: "alice") == 7)
    _ = shown(at: 5000)
    #expect(queue.oldest(of: "alice") == nil)
  }

  @Test mutating func whatCouldNotBeShownIsShownLater() throws {
    queue.take(notice("bob"), isRoom: false, at: 0)
    let batch = try #require(queue.batches(at: 700).first)
    #expect(queue.admit(batch, isQuiet: false, at: 700) != nil)
    queue.take(notice("bob", message: 2), isRoom: false, at: 800)
    queue.giveBack(batch, at: 900)
    #expect(names(shown(at: 1700)) == ["bob 2 sound"])
  }

  @Test mutating func aSummaryThatIsDueInQuietTimeIsHeld() {
    for number in 1...7 { queue.take(notice("c\(number)"), isRoom: false, at: 0) }
    _ = shown(at: 700)
    #expect(shown(at: 1700, isQuiet: true).isEmpty)
    #expect(names(shown(at: 60_000)) == ["alice 2/2"])
  }

  @Test mutating func aStormIsBounded() {
    for number in 1...10_000 {
      queue.take(notice("c\(number % 500)", message: Int64(number)), isRoom: false, at: 0)
    }
    var orders = shown(at: 700) + shown(at: 1700)
    #expect(orders.count == NoticeQueue.maxCrowd + 1)
    // What was shown and what was summed up is all there was.
    let total = orders.reduce(0) { sum, order in
      switch order {
      case .show(_, let count, _): sum + count
      case .summary(_, let messages, _): sum + messages
      }
    }
    #expect(total == 10_000)
    // A conversation that is read and unread in turns is shown once for each time.
    orders = []
    for turn in 0..<50 {
      let now = 100_000 + Int64(turn) * 1000
      queue.take(notice("bob"), isRoom: false, at: now)
      orders += shown(at: now + 700)
      queue.forget(place("bob"))
    }
    #expect(orders.count == 50)
  }

  @Test mutating func accountsHaveSummariesOfTheirOwn() {
    for account in ["alice", "bob"] {
      queue.take(Notice(.message, at: place("carol", account)), isRoom: false, at: 0)
    }
    #expect(shown(at: 700, isQuiet: true).isEmpty)
    #expect(names(shown(at: 800)) == ["alice 1/1", "bob 1/1"])
  }

  @Test func onlyWhatMayBeShownIsLeft() {
    var batch = NoticeQueue.Batch(
      place("friends"), [notice("friends", message: 1, mentions: true), notice("friends", message: 2)])
    var facts = NoticeConversation(name: "Friends")
    facts.unread = 2
    #expect(batch.admitted(by: facts, at: 0)?.notices.count == 2)
    facts.notifying = .mentions
    #expect(batch.admitted(by: facts, at: 0)?.notices.map(\.message) == [1])
    facts.notifying = .nothing
    #expect(batch.admitted(by: facts, at: 0) == nil)
    facts.notifying = .all
    facts.mutedUntil = 100
    #expect(batch.admitted(by: facts, at: 99) != nil ? false : true)
    #expect(batch.admitted(by: facts, at: 100) != nil)
    facts.isBlocked = true
    #expect(batch.admitted(by: facts, at: 100) == nil)
    facts.isBlocked = false
    facts.isRequest = true
    #expect(batch.admitted(by: facts, at: 100) == nil)
    facts.isRequest = false
    facts.unread = 1
    #expect(batch.admitted(by: facts, at: 100)?.notices.map(\.message) == [2])
    facts.unread = 0
    #expect(batch.admitted(by: facts, at: 100) == nil)
    // What became of an own message is shown in any case.
    facts.notifying = .nothing
    batch = NoticeQueue.Batch(place("friends"), [Notice(.failure, at: place("friends"))])
    #expect(batch.admitted(by: facts, at: 0) != nil)
  }
}
