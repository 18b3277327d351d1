import SessionBase
import SessionCore
import SessionNetworking
import Synchronization
import Testing

@testable import SessionMessaging

/// How many feeds poll at a time, how often, and which nodes notify.
@Suite(.timeLimit(.minutes(1))) struct PollLimitsTests {
  private func feeds(groups: Int, servers: Int = 0) throws -> [Feed] {
    try (0..<groups).map { number in
      .group(try SessionID(.group, key: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 * 4)) }))
    } + (0..<servers).map { .server("https://\($0).example") }
  }

  private func supervisor(_ make: @escaping PollSupervisor.Factory) -> PollSupervisor {
    PollSupervisor(clock: VirtualClock(), chance: { 0 }, watched: WatchedFeeds(), make: make)
  }

  @Test func quietGroupsArePolledLessOften() {
    let hour: Int64 = 3_600_000
    #expect(GroupPollInterval.after(silence: -5) == 3000)
    #expect(GroupPollInterval.after(silence: 0) == 3000)
    #expect(GroupPollInterval.after(silence: 6 * hour) == 16_500)
    for silence in [12 * hour, 13 * hour, 48 * hour] {
      #expect(GroupPollInterval.after(silence: silence) == 30_000)
    }
    for silence in [48 * hour + 1, 168 * hour] {
      #expect(GroupPollInterval.after(silence: silence) == 60_000)
    }
    for silence in [168 * hour + 1, .max] { #expect(GroupPollInterval.after(silence: silence) == 120_000) }
    #expect(
      (0..<6).map { GroupPollInterval.after(emptyPolls: $0) } == [4000, 5000, 7000, 11_000, 19_000, 30_000])
    #expect(GroupPollInterval.withoutAccess(for: hour - 1) == 300_000)
    #expect(GroupPollInterval.withoutAccess(for: hour) == 900_000)
  }

  @Test func eightGroupsAndFourServersPollAtATime() async throws {
    let feeds = try feeds(groups: 30, servers: 20)
    let polls = (groups: Crowd(of: 30, atMost: 8), servers: Crowd(of: 20, atMost: 4))
    let supervisor = supervisor { feed, limits in
      switch feed {
      case .account: PollSupervisor.Parts(poller: CrowdedPoller(limits: limits, crowd: nil))
      case .group: PollSupervisor.Parts(poller: CrowdedPoller(limits: limits, crowd: polls.groups))
      case .server: PollSupervisor.Parts(poller: CrowdedPoller(limits: limits, crowd: polls.servers))
      }
    }
    polls.groups.stand(before: supervisor.groupGate)
    polls.servers.stand(before: supervisor.serverGate)
    supervisor.reconcile(WantedFeeds(Dictionary(uniqueKeysWithValues: feeds.map { ($0, 1) })))
    await supervisor.start()
    await supervisor.pollAllNow()
    #expect(polls.groups.most == 8 && polls.groups.left == 0)
    #expect(polls.servers.most == 4 && polls.servers.left == 0)
    await supervisor.stop()
  }

  @Test func nodesNotifyOfTheAccountAndTheSixteenMostActiveGroups() async throws {
    let feeds = try feeds(groups: 40, servers: 3)
    let monitored = Mutex<Set<Feed>>([])
    let world = FakePollers()
    let supervisor = supervisor { feed, limits in
      var parts = world.make(feed, limits)
      if case .server = feed { return parts }
      parts.monitor = FakeMonitor { isOn in
        _ = monitored.withLock { if isOn { $0.insert(feed).inserted } else { $0.remove(feed) != nil } }
      }
      return parts
    }
    var activity = Dictionary(uniqueKeysWithValues: feeds.enumerated().map { ($1, Int64($0)) })
    supervisor.reconcile(WantedFeeds(activity))
    await supervisor.start()
    let last = Set(feeds[24..<40])
    #expect(monitored.withLock { $0 } == last.union([.account]))
    activity[feeds[0]] = 1000
    supervisor.reconcile(WantedFeeds(activity))
    await supervisor.pollNow(.account)
    #expect(monitored.withLock { $0 } == last.subtracting([feeds[24]]).union([.account, feeds[0]]))
    await supervisor.suspend()
    #expect(monitored.withLock { $0.isEmpty })
    await supervisor.stop()
  }

  @Test func aWatchedFeedNeedsNoRetryBudget() async throws {
    let feeds = try feeds(groups: 40)
    let budget = RetryBudget(clock: VirtualClock(), chance: { 0 })
    let (gate, watched) = (PollGate(permits: 8), WatchedFeeds())
    let limits = feeds.map { FeedLimits($0, gate, budget, watched) }
    for limits in limits where await limits.begin() { limits.end(.failed(inARow: 1)) }
    let failing = try #require(feeds.firstIndex { budget.isFailing($0) })
    #expect(await !limits[failing].begin())
    #expect(limits[failing].delay(after: .failed(inARow: 1), usual: .seconds(3)) > .seconds(3))
    watched.begin(feeds[failing])
    #expect(await limits[failing].begin())
    limits[failing].end(.failed(inARow: 2))
    #expect(limits[failing].delay(after: .failed(inARow: 2), usual: .seconds(3)) == .seconds(3))
    #expect(limits[failing].delay(after: .done, usual: .seconds(30)) == .milliseconds(1500))
  }
}

extension PollLimitsTests {
  @Test func theLogTellsWhenPollsBeginToFailAndWhenTheyRecover() throws {
    let events = Mutex<[ClientLog.Event]>([])
    let log = ClientLog { event in events.withLock { $0.append(event) } }
    let limits = LoggedPolls(of: .account, AccountLimits {}, log)
    for outcome: PollOutcome? in [
      .done, .failed(inARow: 1), .deferred, .failed(inARow: 2), nil, .done, .done,
    ] { limits.end(outcome) }
    #expect(events.withLock { $0.map(\.name) } == ["poll-failed", "poll-recovered"])
    #expect(events.withLock { $0.map(\.level) } == [.warn, .info])
  }
}

/// Polls that end only once as many run as may, and all others that are left wait before the gate.
private final class Crowd: Sendable {
  private let state: Mutex<(now: Int, most: Int, left: Int)>
  private let limit: Int
  private let gate = Mutex<PollGate?>(nil)

  init(of count: Int, atMost limit: Int) {
    self.limit = limit
    state = Mutex((0, 0, count))
  }

  func stand(before gate: PollGate) { self.gate.withLock { $0 = gate } }

  private var isComplete: Bool {
    let waiting = gate.withLock { $0 }?.waiting ?? 0
    return state.withLock { $0.now >= min(limit, $0.left) && $0.now + waiting >= $0.left }
  }

  var most: Int { state.withLock { $0.most } }
  var left: Int { state.withLock { $0.left } }

  func poll() async {
    state.withLock { state in
      state.now += 1
      state.most = max(state.most, state.now)
    }
    while !isComplete, !Task.isCancelled { await Task.yield() }
    state.withLock { state in
      state.now -= 1
      state.left -= 1
    }
  }
}

private struct CrowdedPoller: FeedPoller {
  let limits: any PollLimits
  let crowd: Crowd?

  var condition: PollCondition { get async { PollCondition() } }

  func pollNow() async -> Bool {
    guard let crowd, await limits.begin() else { return false }
    await crowd.poll()
    limits.end(.done)
    return true
  }

  func start(after delay: Duration) async {}
  func stop() async {}
  func suspend() async {}
  func resume(after delay: Duration) async {}
  func restart(after delay: Duration) async {}
}

private struct FakeMonitor: FeedMonitor {
  let set: @Sendable (Bool) -> Void

  init(_ set: @escaping @Sendable (Bool) -> Void) { self.set = set }

  var notifier: [UInt8]? { get async { nil } }
  func start() async { set(true) }
  func stop() async { set(false) }
}
