public import SessionCore

/// The receiver of polled messages.
public protocol SwarmInbox: Sendable {
  /// Returns the next poll for a node.
  func nextPoll(at node: String) async throws -> SwarmPoll
  /// Processes the reply of a node and stores the results before it returns. The reply includes namespaces that
  /// failed: they fail the poll only if the gain says so.
  func take(_ harvest: SwarmHarvest) async throws -> SwarmGain
  /// Returns the delay after a poll. `usual` is the delay according to the schedule.
  func rest(after outcome: PollOutcome, usual: Duration) async -> Duration
}

extension SwarmInbox {
  public func rest(after outcome: PollOutcome, usual: Duration) async -> Duration { usual }
}

/// How often a swarm is polled.
public struct PollSchedule: Sendable {
  /// The delay after a successful poll.
  public var rest = Duration.milliseconds(1500)
  /// The number of consecutive polls of the same node.
  public var pollsPerNode = 6
  public var mostRest = Duration.seconds(15)
  /// The interval while a node notifies of new messages.
  public var restWhileTold = Duration.seconds(30)
  /// The number of consecutive polls without result after a notification, after which notifications of this node are
  /// ignored until a poll has a result.
  public var mostFalseNews = 20
  /// The most consecutive polls of a node that has more messages, without one proven to come from a known person.
  /// Beyond it the poller backs off and uses another node.
  public var mostFruitless = 20
  /// The delay before a second node is polled as well; nil if polling is not urgent.
  public var patience: Duration?

  public init() {}

  /// The delay after this many consecutive failures.
  public func rest(afterFailures count: Int) -> Duration {
    min(mostRest, .milliseconds(300) * max(1, min(count, 1000)))
  }

  func rest(after outcome: PollOutcome) -> Duration {
    switch outcome {
    case .failed(let count): rest(afterFailures: count)
    case .done, .deferred: rest
    }
  }
}

/// Polls the swarm of an account, from `start()` to `stop()`.
///
/// Polls run one at a time, and the result of each is stored before the next begins: however much the swarm stores,
/// at most one reply is in memory.
public actor SwarmPoller {
  public struct Condition: Hashable, Sendable {
    public var isSuspended = false
    /// Successful polls since the start.
    public var polls = 0
    /// True if the node has more messages, which are fetched at once.
    public var isBehind = false
    /// Failures since the last successful poll.
    public var failures = 0
    /// The reason why the last poll failed.
    public var failure: String?

    public init() {}
  }

  private let swarm: SessionID
  private let service: any SwarmService
  private let inbox: any SwarmInbox
  private let schedule: PollSchedule
  private let limits: (any PollLimits)?
  /// Waits for a duration, or until the task is cancelled.
  private let rest: @Sendable (Duration) async -> Void
  private let choose: @Sendable (_ count: Int) -> Int

  public private(set) var condition = Condition()
  private var loop: Task<Void, Never>?
  private var node: (key: [UInt8], polls: Int)?
  /// The node that was polled last.
  private var asked: [UInt8]?
  /// The node that failed or misled last; it is not polled next if there is another.
  private var avoided: [UInt8]?
  /// The node that has more messages, and how many consecutive polls of it brought nothing proven.
  private var catchUp: (key: [UInt8], fruitless: Int)?
  /// The node that notifies of new messages.
  private var teller: [UInt8]?
  private var hasNews = false
  private var falseNews = 0
  private var timer: Task<Void, Never>?
  private var sleeper: CheckedContinuation<Void, Never>?
  private var isWanted = false
  /// The delay before the next poll, if it is the first or follows a suspension.
  private var delay: Duration?
  private var begun = 0
  private var waiters: [Waiter] = []
  private var lastWaiter = 0

  private struct Waiter {
    let id: Int
    let round: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// A poller of an account's swarm. `limits` is nil for one that never waits for others; `rest` waits; `choose`
  /// picks one of `count` nodes.
  public init(
    of swarm: SessionID, through service: any SwarmService, into inbox: any SwarmInbox,
    schedule: PollSchedule = PollSchedule(), limits: (any PollLimits)? = nil,
    rest: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    choose: @escaping @Sendable (Int) -> Int = { Int.random(in: 0..<$0) }
  ) {
    self.swarm = swarm
    self.service = service
    self.inbox = inbox
    self.schedule = schedule
    self.limits = limits
    self.rest = rest
    self.choose = choose
  }
}

// MARK: - Life cycle

extension SwarmPoller {
  /// Starts, with an immediate poll, or after a delay unless a poll is requested before.
  public func start(after delay: Duration = .zero) {
    guard loop == nil else { return }
    self.delay = delay
    loop = Task { await self.run() }
  }

  /// Stops and cancels the poll in progress.
  public func stop() async {
    guard let loop else { return }
    loop.cancel()
    wake()
    await loop.value
    self.loop = nil
    release(upTo: .max, isDone: false)
  }

  /// Pauses polling.
  public func suspend() {
    condition.isSuspended = true
  }

  /// Continues, with an immediate poll, or after a delay unless a poll is requested before.
  public func resume(after delay: Duration = .zero) {
    guard condition.isSuspended else { return }
    condition.isSuspended = false
    restart(after: delay)
  }

  /// Ends the current delay, and polls after a new one unless a poll is requested before.
  public func restart(after delay: Duration = .zero) {
    self.delay = delay
    wake()
  }

  /// Polls now, and returns when a poll that began after the call has been stored. False if it failed, the poller
  /// does not run, or the calling task was cancelled, which does not cancel the poll.
  @discardableResult
  public func pollNow() async -> Bool {
    guard loop != nil, !condition.isSuspended, !Task.isCancelled else { return false }
    isWanted = true
    wake()
    lastWaiter += 1
    let (id, round) = (lastWaiter, begun + 1)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters.append(Waiter(id: id, round: round, continuation: continuation))
      }
    } onCancel: {
      // It runs on the actor, and so after the lines above.
      Task { await self.stopWaiting(id) }
    }
  }

  private func stopWaiting(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).continuation.resume(returning: false)
  }
}

// MARK: - Notifications

extension SwarmPoller {
  /// Sets the node that notifies us, which is polled at once; nil for none. With one, regular polls are less frequent.
  public func rely(on node: [UInt8]?) {
    guard node != teller else { return }
    teller = node
    falseNews = 0
    hasNews = node != nil
    isWanted = true
    wake()
  }

  /// Polls the notifying node at once, because it has new messages.
  public func hearNews() {
    guard teller != nil, falseNews < schedule.mostFalseNews else { return }
    hasNews = true
    isWanted = true
    wake()
  }
}

// MARK: - Polling

extension SwarmPoller {
  private func run() async {
    while !Task.isCancelled {
      guard !condition.isSuspended else {
        // Later callers wait for the same poll.
        isWanted = false
        delay = nil
        await sleep(for: nil)
        continue
      }
      if let delay = delay.take(), delay > .zero, !isWanted {
        await sleep(for: delay)
        continue
      }
      let pause = await limitedRound()
      if isWanted || delay != nil || Task.isCancelled { continue }
      await sleep(for: pause)
    }
  }

  /// Polls once, as soon as the limits allow it. Returns the delay until the next poll.
  private func limitedRound() async -> Duration {
    guard let limits else { return await round() }
    let isPermitted = await limits.begin()
    guard !Task.isCancelled, !condition.isSuspended else {
      if isPermitted { limits.end(nil) }
      return .zero
    }
    guard isPermitted else {
      isWanted = false
      release(upTo: begun + 1, isDone: false)
      return await rest(after: .deferred)
    }
    return await round()
  }

  /// Polls once. Returns the delay until the next poll.
  private func round() async -> Duration {
    // Later callers wait for the next poll.
    isWanted = false
    begun += 1
    let number = begun
    let isForNews = hasNews
    hasNews = false
    asked = nil
    do {
      let key = if isForNews, let teller { teller } else { try await nextNode() }
      asked = key
      let (harvest, answerer) = try await ask(key)
      if answerer != key { moveOn(to: answerer) }
      try Task.checkCancellation()
      let gain = try await inbox.take(harvest)
      falseNews = gain.moved.isEmpty ? falseNews + (isForNews ? 1 : 0) : 0
      guard !harvest.hasMore || !gain.moved.isDisjoint(with: harvest.unfinished) else {
        let failure = "a node of the swarm announces more messages but returns none"
        return max(schedule.rest, await fail(number, because: failure))
      }
      let pause = harvest.hasMore ? goOn(at: answerer, after: gain, isForNews) : nil
      // If the node has more messages, they are fetched first, even after a failure.
      if let failure = gain.failure, pause != .zero { return await fail(number, because: "\(failure)") }
      condition.polls += gain.failure == nil ? 1 : 0
      condition.isBehind = pause == .zero
      condition.failures = gain.failure == nil ? 0 : condition.failures
      condition.failure = gain.failure.map { "\($0)" }
      limits?.end(.done)
      release(upTo: number, isDone: gain.failure == nil)
      return if let pause { pause } else { await restAfterAll() }
    } catch {
      return await fail(number, because: "\(error)")
    }
  }

  /// Another node may do better.
  private func fail(_ round: Int, because reason: String) async -> Duration {
    leaveNode()
    condition.isBehind = false
    condition.failures += 1
    condition.failure = reason
    let outcome = PollOutcome.failed(inARow: condition.failures)
    limits?.end(Task.isCancelled ? nil : outcome)
    release(upTo: round, isDone: false)
    return await rest(after: outcome)
  }

  private func restAfterAll() async -> Duration {
    catchUp = nil
    let pause = await rest(after: .done)
    return teller == nil ? pause : max(pause, schedule.restWhileTold)
  }

  private func rest(after outcome: PollOutcome) async -> Duration {
    let usual = await inbox.rest(after: outcome, usual: schedule.rest(after: outcome))
    return limits?.rest(after: outcome, usual: usual) ?? usual
  }

  /// Handles a node that has more messages: they are fetched from the same node, at once as long as pages have any
  /// result.
  private func goOn(at key: [UInt8], after gain: SwarmGain, _ isForNews: Bool) -> Duration {
    hasNews = hasNews || isForNews
    let before = catchUp?.key == key ? catchUp?.fruitless ?? 0 : 0
    let fruitless = gain.hasProven ? 0 : before + 1
    guard fruitless < schedule.mostFruitless else {
      leaveNode()
      hasNews = false
      return schedule.rest
    }
    catchUp = (key, fruitless)
    return gain.hasNew || gain.isSteppingBack ? .zero : schedule.rest
  }

  private func leaveNode() {
    avoided = asked ?? avoided
    node = nil
    catchUp = nil
  }

  private func nextNode() async throws -> [UInt8] {
    if let catchUp { return catchUp.key }
    if let (key, polls) = node, polls < schedule.pollsPerNode {
      node = (key, polls + 1)
      return key
    }
    let nodes = try await service.nodes(of: swarm)
    let others = nodes.filter { $0 != avoided }
    let choice = others.isEmpty ? nodes : others
    guard !choice.isEmpty else {
      throw NetworkFailure(.unreachable, "no node of the swarm is known")
    }
    let key = choice[choose(choice.count)]
    node = (key, 1)
    return key
  }

  /// Records that another node replied instead of the polled one.
  private func moveOn(to key: [UInt8]) {
    leaveNode()
    (asked, node) = (key, (key, 1))
  }

  private func release(upTo round: Int, isDone: Bool) {
    let ready = waiters.filter { $0.round <= round }
    waiters.removeAll { $0.round <= round }
    for waiter in ready { waiter.continuation.resume(returning: isDone) }
  }
}

// MARK: - Requests

extension SwarmPoller {
  /// Returns the reply of a node or, if that takes too long, of another node that replies first.
  private func ask(_ key: [UInt8]) async throws -> (SwarmHarvest, answerer: [UInt8]) {
    let poll = try await inbox.nextPoll(at: key.hex)
    guard let patience = schedule.patience else { return (try await service.poll(poll, at: key), key) }
    return try await withThrowingTaskGroup { [service, inbox, rest] group in
      defer { group.cancelAll() }
      group.addTask { await Attempt(at: key, poll, service) }
      group.addTask {
        await rest(patience)
        return .isLate
      }
      var underWay = 1
      while let attempt = try await group.next() {
        switch attempt {
        case .ended(let key, .success(let harvest)): return (harvest, key)
        case .ended(_, .failure(let error)):
          underWay -= 1
          guard underWay > 0 else { throw error }
        case .isLate:
          guard let other = try await another(than: key) else { continue }
          let poll = try await inbox.nextPoll(at: other.hex)
          group.addTask { await Attempt(at: other, poll, service) }
          underWay += 1
        }
      }
      throw CancellationError()
    }
  }

  private enum Attempt: Sendable {
    case ended(at: [UInt8], Result<SwarmHarvest, NetworkFailure>)
    case isLate

    init(at key: [UInt8], _ poll: SwarmPoll, _ service: any SwarmService) async {
      do throws(NetworkFailure) {
        self = .ended(at: key, .success(try await service.poll(poll, at: key)))
      } catch {
        self = .ended(at: key, .failure(error))
      }
    }
  }

  private func another(than key: [UInt8]) async throws -> [UInt8]? {
    let others = try await service.nodes(of: swarm).filter { $0 != key && $0 != avoided }
    return others.isEmpty ? nil : others[choose(others.count)]
  }
}

// MARK: - Waiting

extension SwarmPoller {
  /// Waits for a time, or without a limit, until it is woken.
  private func sleep(for pause: Duration?) async {
    if let pause {
      timer = Task { [rest] in
        await rest(pause)
        if !Task.isCancelled { self.wake() }
      }
    }
    await withCheckedContinuation { continuation in
      // A wake-up in the meantime found no sleeper.
      let isAwake = isWanted || delay != nil || loop?.isCancelled == true
      if isAwake { continuation.resume() } else { sleeper = continuation }
    }
    timer?.cancel()
    timer = nil
  }

  private func wake() { sleeper.take()?.resume() }
}
