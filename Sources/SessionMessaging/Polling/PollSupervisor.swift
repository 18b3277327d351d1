import SessionJobs
import SessionNetworking
import Synchronization

/// Runs a poller for each wanted feed, from `start()` to `stop()`.
///
/// Changes of the running pollers are made one at a time, each in its own turn. A poller may take a while to stop:
/// its feed starts again only after that.
actor PollSupervisor {
  /// The time over which the start of many groups is spread, and that of many servers.
  static let spread = Duration.seconds(10)
  /// The longest delay between two of few.
  static let longestStep = Duration.milliseconds(250)
  /// The number of groups with a notifying node.
  static let monitoredGroups = 16

  struct Parts: Sendable {
    let poller: any FeedPoller
    /// Nil if nodes do not notify.
    var monitor: (any FeedMonitor)?
  }

  /// Creates the poller of a feed, within limits.
  typealias Factory = @Sendable (Feed, any PollLimits) -> Parts

  private enum Phase {
    case opened, running, suspended, stopped
  }

  private struct Entry {
    let parts: Parts
    /// Nil for the account.
    let limits: FeedLimits?
    var isMonitored = false
  }

  /// The changes for the next turn.
  private struct News {
    var wanted = WantedFeeds()
    var hasRecovered = false
  }

  nonisolated let groupGate = PollGate(permits: PollGate.groupPermits)
  nonisolated let serverGate = PollGate(permits: PollGate.serverPermits)
  private let budget: RetryBudget
  private let watched: WatchedFeeds
  private let make: Factory
  private nonisolated let news = Mutex(News())
  private nonisolated let signals: AsyncStream<Void>
  private nonisolated let signal: AsyncStream<Void>.Continuation

  private var phase = Phase.opened
  private var entries: [Feed: Entry] = [:]
  private var stopping: [Feed: Task<Void, Never>] = [:]
  /// Feeds that were wanted again before their poller had stopped.
  private var returning: Set<Feed> = []
  private var turn: Task<Void, Never>?
  private var loop: Task<Void, Never>?

  init(
    clock: any JobClock, chance: @escaping @Sendable () -> Double, watched: WatchedFeeds,
    make: @escaping Factory
  ) {
    budget = RetryBudget(clock: clock, chance: chance)
    self.watched = watched
    self.make = make
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }
}

// MARK: - Life cycle

extension PollSupervisor {
  /// Starts with an immediate poll of the account; the other feeds follow gradually.
  func start() async {
    await inTurn { supervisor in
      guard supervisor.phase == .opened else { return }
      supervisor.phase = .running
      supervisor.loop = Task { [signals = supervisor.signals] in
        for await _ in signals { await supervisor.inTurn { await $0.apply() } }
      }
      await supervisor.apply()
    }
  }

  /// Starts no more polls until it is resumed.
  func suspend() async {
    await inTurn { supervisor in
      guard supervisor.phase == .running else { return }
      supervisor.phase = .suspended
      for feed in supervisor.entries.keys { await supervisor.setMonitored(feed, false) }
      for entry in supervisor.entries.values { await entry.parts.poller.suspend() }
    }
  }

  /// Resumes polling as after a start.
  func resume() async {
    await inTurn { supervisor in
      guard supervisor.phase == .suspended else { return }
      supervisor.phase = .running
      let feeds = supervisor.wanted.ordered.filter { supervisor.entries[$0] != nil }
      for (feed, delay) in Self.delays(of: feeds) {
        await supervisor.entries[feed]?.parts.poller.resume(after: delay)
      }
      await supervisor.apply()
    }
  }

  /// Stops for good and cancels polls in progress.
  func stop() async {
    await inTurn { supervisor in
      supervisor.phase = .stopped
      supervisor.signal.finish()
      for feed in supervisor.entries.keys { supervisor.end(feed) }
      for task in supervisor.stopping.values { await task.value }
    }
    await loop?.value
  }

  private func inTurn(_ body: @escaping @Sendable (isolated PollSupervisor) async -> Void) async {
    let before = turn
    let task = Task {
      await before?.value
      await body(self)
    }
    turn = task
    await task.value
  }
}

// MARK: - Feeds

extension PollSupervisor {
  /// Sets the wanted feeds. It never waits, so it can be called where memberships are committed, in that order, even
  /// while a poll stores its results.
  nonisolated func reconcile(_ wanted: WantedFeeds) {
    news.withLock { $0.wanted = wanted }
    signal.yield()
  }

  /// Polls a feed before others, and returns when the results are stored; false if the poll failed, or the feed is
  /// not polled.
  @discardableResult
  func pollNow(_ feed: Feed) async -> Bool {
    await inTurn { await $0.apply() }
    if let before = stopping[feed] {
      await before.value
      await inTurn { await $0.apply() }
    }
    guard let entry = entries[feed] else { return false }
    return await Self.poll(entry)
  }

  private static func poll(_ entry: Entry) async -> Bool {
    guard let limits = entry.limits else { return await entry.parts.poller.pollNow() }
    return await limits.hurry { await entry.parts.poller.pollNow() }
  }

  /// Polls all feeds except the account and those of `skipped`, as many at a time as allowed, and returns when the results are
  /// stored.
  func pollAllNow(except skipped: Set<Feed> = []) async {
    await inTurn { await $0.apply() }
    await withTaskGroup(of: Void.self) { group in
      for (feed, entry) in entries where entry.limits != nil && !skipped.contains(feed) {
        group.addTask { _ = await Self.poll(entry) }
      }
    }
  }

  /// The state of polling a feed; nil if it is not polled.
  func condition(of feed: Feed) async -> PollCondition? {
    await entries[feed]?.parts.poller.condition
  }

  func conditions() async -> [Feed: PollCondition] {
    var conditions: [Feed: PollCondition] = [:]
    for (feed, entry) in entries { conditions[feed] = await entry.parts.poller.condition }
    return conditions
  }

  /// The node that notifies of new messages in a feed.
  func notifier(of feed: Feed) async -> [UInt8]? { await entries[feed]?.parts.monitor?.notifier }
}

// MARK: - Reconciling

extension PollSupervisor {
  private var wanted: WantedFeeds { news.withLock { $0.wanted } }

  /// Starts and stops pollers to match the wanted feeds. Runs in a turn.
  private func apply() async {
    guard phase == .running || phase == .suspended else { return }
    let wanted = wanted
    for feed in entries.keys where !wanted.contains(feed) { end(feed) }
    returning = Set(stopping.keys.filter { wanted.contains($0) }).union(
      returning.filter { wanted.contains($0) })
    guard phase == .running else { return }
    let ordered = wanted.ordered
    let missing = ordered.filter { entries[$0] == nil && stopping[$0] == nil }
    for feed in missing where returning.contains(feed) { await begin(feed, after: .zero) }
    for (feed, delay) in Self.delays(of: missing.filter { !returning.contains($0) }) {
      await begin(feed, after: delay)
    }
    returning.subtract(missing)
    await monitor(ordered)
    await recover(ordered)
  }

  /// The start delays of feeds that start together: groups one after the other, beside them servers one after the other.
  private static func delays(of feeds: [Feed]) -> [(Feed, Duration)] {
    let groups = feeds.count { $0.isGroup }
    let steps = [groups, feeds.count - groups].map { min(longestStep, spread / max($0, 1)) }
    var (group, server) = (0, 0)
    return feeds.map { feed in
      switch feed {
      case .account: return (feed, .zero)
      case .group:
        defer { group += 1 }
        return (feed, steps[0] * group)
      case .server:
        defer { server += 1 }
        return (feed, steps[1] * server)
      }
    }
  }

  private func begin(_ feed: Feed, after delay: Duration) async {
    let limits: FeedLimits? =
      switch feed {
      case .account: nil
      case .group: FeedLimits(feed, groupGate, budget, watched)
      case .server: FeedLimits(feed, serverGate, budget, watched)
      }
    let parts = make(feed, limits ?? AccountLimits { [weak self] in self?.noteRecovery() })
    entries[feed] = Entry(parts: parts, limits: limits)
    await parts.poller.start(after: delay)
  }

  /// Stops a feed without waiting for it: the call may come from a poll of that feed.
  private func end(_ feed: Feed) {
    guard let entry = entries.removeValue(forKey: feed) else { return }
    stopping[feed] = Task {
      if entry.isMonitored { await entry.parts.monitor?.stop() }
      await entry.parts.poller.stop()
      hasStopped(feed)
    }
  }

  private func hasStopped(_ feed: Feed) {
    stopping[feed] = nil
    budget.forget(feed)
    if wanted.contains(feed) { signal.yield() }
  }

  /// Subscribes to nodes for the account and the most active groups.
  private func monitor(_ ordered: [Feed]) async {
    let chosen = Set(ordered.filter(\.isGroup).prefix(Self.monitoredGroups)).union([.account])
    for feed in ordered where !chosen.contains(feed) { await setMonitored(feed, false) }
    for feed in chosen { await setMonitored(feed, true) }
  }

  private func setMonitored(_ feed: Feed, _ isMonitored: Bool) async {
    guard let entry = entries[feed], entry.isMonitored != isMonitored, let monitor = entry.parts.monitor
    else { return }
    entries[feed]?.isMonitored = isMonitored
    if isMonitored { await monitor.start() } else { await monitor.stop() }
  }
}

// MARK: - Recovery

extension PollSupervisor {
  private nonisolated func noteRecovery() {
    news.withLock { $0.hasRecovered = true }
    signal.yield()
  }

  /// Polls feeds with long delays soon, because the account could be polled again.
  private func recover(_ ordered: [Feed]) async {
    let hasRecovered = news.withLock { news in
      defer { news.hasRecovered = false }
      return news.hasRecovered
    }
    guard hasRecovered else { return }
    let forgiven = budget.forgive()
    for (feed, delay) in Self.delays(of: ordered.filter { forgiven.contains($0) }) {
      await entries[feed]?.parts.poller.restart(after: delay)
    }
  }
}

extension Feed {
  fileprivate var isGroup: Bool {
    guard case .group = self else { return false }
    return true
  }
}
