import SessionBase
import SessionMessaging
import Testing

@testable import SessionDaemon

/// Events on their way to a reader, and those that it cannot handle.
@Suite struct EventDeliveryTests {
  private func options(_ params: JSONValue = [:]) throws -> SubscriptionOptions {
    guard case .object(let members) = params else { throw RPCError.invalidParams("no object") }
    return try SubscriptionOptions(.object([.init("reader", "bot")] + members), for: .own)
  }

  /// Delivers from the reader's place on for as long as the body runs.
  private func delivering(
    _ account: ReadAccount, _ params: JSONValue = [:],
    _ body: (EventDelivery, KeptEvents) async throws -> Void
  ) async throws {
    let kept = KeptEvents()
    let delivery = EventDelivery(of: "alice", try options(params), to: kept)
    let start = try await EventStart(of: EventReader("bot"), nil, account.messenger)
    let accounts = account.accounts
    let running = Task { try await delivery.run(from: start.cursor, accounts) }
    let result: Result<Void, any Error>
    do { result = .success(try await body(delivery, kept)) } catch { result = .failure(error) }
    running.cancel()
    _ = await running.result
    try result.get()
  }

  private func acknowledge(
    _ cursor: MessengerEvent.Cursor, _ delivery: EventDelivery, _ account: ReadAccount
  ) async throws {
    try await account.messenger.acknowledge(cursor, by: "bot")
    try await delivery.acknowledged(cursor, account.messenger)
  }

  @Test func deliveriesAreCountedOverReconnections() async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    let (first, second) = (try await account.happen(), try await account.happen())
    try await delivering(account) { _, kept in
      #expect(await kept.next(2) == [.event(first, tries: 1), .event(second, tries: 1)])
    }
    try await delivering(account) { delivery, kept in
      #expect(await kept.next(2) == [.event(first, tries: 2), .event(second, tries: 1)])
      // The next one is the first that is not acknowledged, and was delivered once.
      try await acknowledge(first, delivery, account)
    }
    try await delivering(account) { _, kept in #expect(await kept.next(1) == [.event(second, tries: 2)]) }
    await account.messenger.stop()
  }

  @Test func anEventIsGivenUpAfterAsManyDeliveriesAsTheReaderWants() async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    let (first, second) = (try await account.happen(), try await account.happen())
    for tries in 1...2 {
      try await delivering(account, ["max_tries": 2, "window": 1]) { _, kept in
        #expect(await kept.next(1) == [.event(first, tries: tries)])
      }
    }
    try await delivering(account, ["max_tries": 2, "window": 1]) { _, kept in
      #expect(await kept.next(2) == [.signal(.dead(first)), .event(second, tries: 1)])
    }
    let dead = try await account.messenger.deadEvents(of: "bot")
    #expect(dead.map(\.event.id) == [first] && dead[0].tries == 2 && dead[0].reason == nil)
    #expect(try await account.messenger.cursor(of: "bot") == first)
    await account.messenger.stop()
  }

  @Test func aRefusedEventComesAgain() async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    let (first, second) = (try await account.happen(), try await account.happen())
    try await delivering(account, ["max_tries": 2]) { delivery, kept in
      #expect(await kept.next(2) == [.event(first, tries: 1), .event(second, tries: 1)])
      #expect(throws: RPCError.self) { try delivery.refuse(second, reason: nil, delay: .zero) }
      try delivery.refuse(first, reason: "not now", delay: .milliseconds(1))
      #expect(await kept.next(1) == [.event(first, tries: 2)])
      // However long it would wait, there is no further delivery.
      try delivery.refuse(first, reason: "it crashes", delay: .seconds(3600))
      #expect(await kept.next(1) == [.signal(.dead(first))])
      #expect(throws: RPCError.self) { try delivery.refuse(first, reason: nil, delay: .zero) }
    }
    #expect(try await account.messenger.deadEvents(of: "bot").map(\.reason) == ["it crashes"])
    await account.messenger.stop()
  }

  @Test func anAcknowledgementEndsARefusal() async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    let first = try await account.happen()
    try await delivering(account, ["window": 1]) { delivery, kept in
      _ = await kept.next(1)
      try delivery.refuse(first, reason: nil, delay: .seconds(3600))
      try await acknowledge(first, delivery, account)
      let second = try await account.happen()
      #expect(await kept.next(1) == [.event(second, tries: 1)])
    }
    await account.messenger.stop()
  }

  @Test func retriedEventsAreDeliveredUnderTheirOwnNumbers() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("bot")
    let (first, second) = (try await account.happen(), try await account.happen())
    #expect(try await messenger.bury(first, of: "bot", tries: 3, reason: nil))
    try await delivering(account, ["max_tries": 1]) { delivery, kept in
      #expect(await kept.next(1) == [.event(second, tries: 1)])
      try await messenger.retryDeadEvents(of: "bot")
      #expect(await kept.next(1) == [.event(first, tries: 1)])
      // It dies again.
      try delivery.refuse(first, reason: "still", delay: .zero)
      #expect(await kept.next(1) == [.signal(.dead(first))])
      #expect(try await messenger.deadEvents(of: "bot").map(\.reason) == ["still"])
      try await messenger.retryDeadEvents(first, of: "bot")
      #expect(await kept.next(1) == [.event(first, tries: 1)])
      try await acknowledge(first, delivery, account)
    }
    #expect(try await messenger.deadEvents().isEmpty)
    #expect(try await messenger.cursor(of: "bot") == first)
    await #expect(throws: MessengerError.self) { try await messenger.retryDeadEvents(first, of: "bot") }
    await messenger.stop()
  }

  @Test func aWindowBoundsUnacknowledgedEvents() async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    var made: [MessengerEvent.Cursor] = []
    for _ in 0..<3 { made.append(try await account.happen()) }
    try await delivering(account, ["window": 2]) { delivery, kept in
      #expect(await kept.next(2) == made.prefix(2).map { .event($0, tries: 1) })
      try await acknowledge(made[1], delivery, account)
      #expect(await kept.next(1) == [.event(made[2], tries: 1)])
    }
    await account.messenger.stop()
  }

  @Test func aGapDuringADeliveryIsASignal() async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("bot")
    let first = try await account.happen()
    try await delivering(account, ["window": 1]) { delivery, kept in
      _ = await kept.next(1)
      let lost = try await account.happen()
      let last = try await account.happen()
      try await account.forget(keeping: 1)
      try await acknowledge(first, delivery, account)
      let gap = EventGap(lost: lost...lost, newest: last)
      #expect(await kept.next(2) == [.signal(.gap(gap)), .event(last, tries: 1)])
    }
    await account.messenger.stop()
  }
}
