import SessionCore
import SessionNetworking
import Synchronization
import Testing

@testable import SessionMessaging

/// Many feeds share a network: none is polled twice at once, and none holds up another.
@Suite(.timeLimit(.minutes(5))) struct PollSupervisorTests {
  private func groups(_ count: Int) throws -> [Feed] {
    try (0..<count).map { number in
      let key = (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 * 4)) }
      return .group(try SessionID(.group, key: key))
    }
  }

  @Test func reconcilingOftenEndsAtTheLastStateWithNoPollerTwice() async throws {
    let world = FakePollers()
    let supervisor = PollSupervisor(
      clock: VirtualClock(), chance: { 0 }, watched: WatchedFeeds(), make: world.make)
    let feeds = try groups(20)
    await supervisor.start()
    for round in 0..<100 {
      supervisor.reconcile(
        WantedFeeds(Dictionary(uniqueKeysWithValues: feeds.shuffled(round).map { ($0, 1) })))
    }
    let last = Set(feeds.prefix(7))
    supervisor.reconcile(WantedFeeds(Dictionary(uniqueKeysWithValues: last.map { ($0, 1) })))
    for feed in last { #expect(await supervisor.pollNow(feed)) }
    #expect(await supervisor.pollNow(.account))
    await supervisor.stop()
    #expect(world.mostAtOnce == 1)
    #expect(world.running.isEmpty)
    #expect(world.lastWanted == last.union([.account]))
  }

  @Test func groupsBeginOneAfterTheOtherTheMostActiveFirst() async throws {
    let world = FakePollers()
    let supervisor = PollSupervisor(
      clock: VirtualClock(), chance: { 0 }, watched: WatchedFeeds(), make: world.make)
    let feeds = try groups(1000)
    let activity = Dictionary(uniqueKeysWithValues: feeds.enumerated().map { ($1, Int64($0)) })
    supervisor.reconcile(WantedFeeds(activity))
    await supervisor.start()
    let delays = world.delays
    #expect(delays[.account] == .zero)
    #expect(delays.values.max().map { $0 < PollSupervisor.spread } == true)
    #expect(delays[feeds[999]] == .zero)
    let inOrder = feeds.reversed().compactMap { delays[$0] }
    #expect(inOrder == inOrder.sorted() && inOrder.count == 1000)
    await supervisor.stop()
  }

  /// Groups do not delay them.
  @Test func serversBeginOneAfterTheOther() async throws {
    let world = FakePollers()
    let supervisor = PollSupervisor(
      clock: VirtualClock(), chance: { 0 }, watched: WatchedFeeds(), make: world.make)
    let servers = (0..<5).map { Feed.server("https://\($0).example") }
    supervisor.reconcile(
      WantedFeeds(Dictionary(uniqueKeysWithValues: try (groups(10) + servers).map { ($0, 1) })))
    await supervisor.start()
    let delays = servers.compactMap { world.delays[$0] }.sorted()
    #expect(delays == (0..<5).map { PollSupervisor.longestStep * $0 })
    await supervisor.stop()
  }

  @Test func eightGroupsPollAtATime() async throws {
    let gate = PollGate(permits: PollGate.groupPermits)
    let feeds = try groups(100)
    let polls = Concurrency()
    await withTaskGroup(of: Void.self) { group in
      for feed in feeds {
        group.addTask {
          guard let permit = await gate.enter(feed) else { return }
          polls.begin()
          await Task.yield()
          polls.end()
          gate.leave(permit)
        }
      }
    }
    #expect(polls.most <= PollGate.groupPermits)
    #expect(gate.waiting == 0)
  }

  @Test func aFeedThatStopsWaitingLosesNoPermit() async throws {
    let gate = PollGate(permits: 1)
    let feeds = try groups(3)
    let permit = try #require(await gate.enter(feeds[0]))
    let waiting = Task { await gate.enter(feeds[1]) }
    while gate.waiting == 0, !Task.isCancelled { await Task.yield() }
    waiting.cancel()
    #expect(await waiting.value == nil)
    gate.leave(permit)
    #expect(await gate.enter(feeds[2]) != nil)
  }

  @Test func failingFeedsLeavePermitsToOthers() async throws {
    let gate = PollGate(permits: 4)
    let feeds = try groups(5)
    let first = try #require(await gate.enter(feeds[0], isFailing: true))
    #expect(await gate.enter(feeds[1], isFailing: true) != nil)
    let third = Task { await gate.enter(feeds[2], isFailing: true) }
    while gate.waiting == 0, !Task.isCancelled { await Task.yield() }
    #expect(await gate.enter(feeds[3]) != nil)
    #expect(await gate.enter(feeds[4]) != nil)
    gate.leave(first)
    #expect(await third.value != nil)
  }

  /// The user asks for a poll of a feed that fails, while others that fail hold all permits for such feeds.
  @Test(.timeLimit(.minutes(1))) func anUrgentFeedDoesNotWaitForFailingOnes() async throws {
    let gate = PollGate(permits: 4)
    let feeds = try groups(3)
    for feed in feeds.prefix(2) { #expect(await gate.enter(feed, isFailing: true) != nil) }
    let third = Task { await gate.enter(feeds[2], isFailing: true) }
    while gate.waiting == 0, !Task.isCancelled { await Task.yield() }
    gate.hurry(feeds[2])
    let isWaiting = gate.waiting > 0
    if isWaiting { third.cancel() }
    #expect(!isWaiting)
    #expect(await third.value != nil)
  }

  @Test func threeHundredDeadSwarmsCostNoMoreThanTheBudget() throws {
    let clock = VirtualClock()
    let budget = RetryBudget(clock: clock, chance: { 0 })
    let feeds = try groups(300)
    let seconds = 600
    var (failed, next) = (0, [Feed: Int64]())
    let begun = clock.now
    for _ in 0..<seconds {
      for feed in feeds where next[feed, default: 0] <= clock.now && budget.take(for: feed) {
        failed += 1
        budget.note(.failed(inARow: 1), of: feed, hasToken: true)
        let delay = budget.delay(of: feed, after: .failed(inARow: 1), usual: .seconds(3))
        #expect(delay <= RetryBudget.longestDelay)
        next[feed] = clock.now + Int64(delay / .milliseconds(1))
      }
      clock.advance(by: 1000)
    }
    #expect(clock.now - begun == Int64(seconds) * 1000)
    #expect(failed > 30)
    #expect(failed <= RetryBudget.size + seconds / 2)
  }

  @Test func aFeedThatWorksNeverWaitsForFailingOnes() throws {
    let clock = VirtualClock()
    let budget = RetryBudget(clock: clock, chance: { 0 })
    let feeds = try groups(301)
    for feed in feeds.dropLast() where budget.take(for: feed) {
      budget.note(.failed(inARow: 1), of: feed, hasToken: true)
    }
    for feed in feeds.dropLast() where budget.isFailing(feed) { #expect(!budget.allows(feed)) }
    clock.advance(by: RetryBudget.refill)
    #expect(budget.take(for: feeds[300]))
    budget.note(.done, of: feeds[300], hasToken: true)
    #expect(budget.allows(feeds[300]))
  }

  @Test func failuresAreForgivenWhenTheNetworkReturns() throws {
    let clock = VirtualClock()
    let budget = RetryBudget(clock: clock, chance: { 0 })
    let feeds = try groups(300)
    func fail() -> Int {
      var count = 0
      for feed in feeds where budget.take(for: feed) {
        budget.note(.failed(inARow: 1), of: feed, hasToken: true)
        count += 1
      }
      return count
    }
    #expect(fail() == RetryBudget.size)
    #expect(budget.delay(of: feeds[0], after: .deferred, usual: .seconds(3)) == .seconds(6))
    #expect(budget.forgive() == Set(feeds.prefix(RetryBudget.size)))
    // Feeds that failed are polled again, and one that is deferred keeps its usual delay.
    #expect(budget.allows(feeds[0]))
    #expect(budget.delay(of: feeds[0], after: .deferred, usual: .seconds(3)) == .seconds(3))
    #expect(fail() > 0)
    // A network that comes and goes gains nothing.
    clock.advance(by: RetryBudget.returnInterval - 1)
    let regained = fail()
    _ = budget.forgive()
    #expect(fail() == 0)
    clock.advance(by: 1)
    _ = budget.forgive()
    #expect(fail() >= RetryBudget.size - RetryBudget.reserve)
    #expect(regained <= RetryBudget.size)
  }
}

/// How many run at a time.
private final class Concurrency: Sendable {
  private let state = Mutex((now: 0, most: 0))

  var most: Int { state.withLock { $0.most } }

  func begin() {
    state.withLock { state in
      state.now += 1
      state.most = max(state.most, state.now)
    }
  }

  func end() { state.withLock { $0.now -= 1 } }
}

extension [Feed] {
  /// A part of them that differs from round to round.
  fileprivate func shuffled(_ round: Int) -> [Feed] {
    enumerated().filter { ($0.offset &* 7 &+ round &* 13) % 3 != 0 }.map(\.element)
  }
}

/// Pollers that only note when they run.
final class FakePollers: Sendable {
  private struct State {
    var running: [Feed: Int] = [:]
    var delays: [Feed: Duration] = [:]
    var mostAtOnce = 0
    var runningAtPoll: Set<Feed> = []
  }

  private let state = Mutex(State())

  var running: Set<Feed> { state.withLock { Set($0.running.filter { $0.value > 0 }.keys) } }
  var delays: [Feed: Duration] { state.withLock { $0.delays } }
  var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
  /// The feeds that were running at the last request for a poll.
  var lastWanted: Set<Feed> { state.withLock { $0.runningAtPoll } }

  var make: PollSupervisor.Factory {
    { feed, _ in PollSupervisor.Parts(poller: Poller(feed, self), monitor: nil) }
  }

  private struct Poller: FeedPoller {
    let feed: Feed
    let world: FakePollers

    init(_ feed: Feed, _ world: FakePollers) {
      self.feed = feed
      self.world = world
    }

    var condition: PollCondition { get async { PollCondition() } }

    func start(after delay: Duration) async {
      world.state.withLock { state in
        state.running[feed, default: 0] += 1
        state.delays[feed] = delay
        state.mostAtOnce = max(state.mostAtOnce, state.running[feed] ?? 0)
      }
    }

    func stop() async {
      await Task.yield()
      world.state.withLock { $0.running[feed, default: 0] -= 1 }
    }

    func suspend() async {}
    func resume(after delay: Duration) async {}
    func restart(after delay: Duration) async {}

    func pollNow() async -> Bool {
      world.state.withLock { state in
        state.runningAtPoll = Set(state.running.filter { $0.value > 0 }.keys)
        return (state.running[feed] ?? 0) == 1
      }
    }
  }
}
