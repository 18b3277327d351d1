/// One poll of a swarm or server. A poller owns its round, and calls it on its own executor.
public protocol PollRound: AnyObject, SendableMetatype {
  /// Polls once, and returns when the results are stored.
  nonisolated(nonsending) func poll() async -> PollResult
  /// Returns the delay after a poll.
  nonisolated(nonsending) func delay(after outcome: PollOutcome) async -> Duration
  /// Called before a poll that was requested, and before the first one after the network returns. Clears the delays after
  /// failures.
  func resetBackoff()
}

extension PollRound {
  public func resetBackoff() {}
}

/// The result of a poll.
public struct PollResult: Sendable {
  public enum Delay: Hashable, Sendable {
    /// There is more, which is fetched at once.
    case none
    case exactly(Duration)
    /// The delay of the round within the limits.
    case usual(atLeast: Duration = .zero)
  }

  /// The reason why it failed; nil if it did not.
  public var failure: String?
  public var delay: Delay

  public init(failure: String? = nil, _ delay: Delay = .usual()) {
    self.failure = failure
    self.delay = delay
  }
}

/// The state of a poller.
public struct PollCondition: Hashable, Sendable, Codable {
  public var isSuspended = false
  /// True while a poll is in progress, or waits for the limits.
  public var isPolling = false
  /// Successful polls since the start.
  public var polls = 0
  /// True if there is more, which is fetched at once.
  public var isBehind = false
  /// Failures since the last successful poll.
  public var failures = 0
  /// The reason why the last poll failed.
  public var failure: String?

  public init() {}

  /// Records a result. A partial failure does not count while there is more to fetch.
  fileprivate mutating func take(_ result: PollResult) -> PollOutcome {
    isBehind = result.delay == .none
    failure = result.failure
    if failure == nil {
      polls += 1
      failures = 0
    } else if !isBehind {
      failures += 1
      return .failed(inARow: failures)
    }
    return .done
  }
}

/// Repeats a round, from `start()` to `stop()`.
///
/// Polls run one at a time, and the result of each is stored before the next begins: however much there is, at most
/// one reply is in memory.
public actor Poller<Round: PollRound> {
  private struct Waiter {
    let id: Int
    let round: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  let round: Round
  private let limits: (any PollLimits)?
  /// Waits for a duration, or until the task is cancelled.
  private let sleep: @Sendable (Duration) async -> Void
  /// Returns a number from 0 up to 1, for the jitter of delays.
  private let chance: @Sendable () -> Double

  public private(set) var condition = PollCondition()
  private var loop: Task<Void, Never>?
  private var timer: Task<Void, Never>?
  private var sleeper: CheckedContinuation<Void, Never>?
  private var isWanted = false
  /// True if the next poll clears the delays of its round after failures.
  private var resetsBackoff = false
  /// The delay before the next poll, if it is the first or follows a suspension.
  private var delay: Duration?
  private var begun = 0
  private var waiters: [Waiter] = []
  private var lastWaiter = 0

  /// `limits` is nil for a poller that never waits for others; `sleep` waits; `chance` returns a number from 0 up to 1.
  public init(
    _ round: sending Round, limits: (any PollLimits)? = nil,
    sleep: @escaping @Sendable (Duration) async -> Void, chance: @escaping @Sendable () -> Double = { 0 }
  ) {
    self.round = round
    self.limits = limits
    self.sleep = sleep
    self.chance = chance
  }
}

// MARK: - Life cycle

extension Poller {
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
  public func suspend() { condition.isSuspended = true }

  /// Continues, with an immediate poll, or after a delay unless a poll is requested before.
  public func resume(after delay: Duration = .zero) {
    guard condition.isSuspended else { return }
    condition.isSuspended = false
    restart(after: delay)
  }

  /// Ends the current delay, and polls after a new one unless a poll is requested before.
  public func restart(after delay: Duration = .zero) {
    self.delay = delay
    resetsBackoff = true
    wake()
  }

  /// Polls now, and returns when a poll that began after the call has been stored. False if it failed, the poller
  /// does not run, or the calling task was cancelled, which does not cancel the poll.
  @discardableResult
  public func pollNow() async -> Bool {
    guard loop != nil, !condition.isSuspended, !Task.isCancelled else { return false }
    hurry()
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

  /// Polls again as soon as possible.
  func hurry() {
    (isWanted, resetsBackoff) = (true, true)
    wake()
  }

  private func stopWaiting(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).continuation.resume(returning: false)
  }

  private func release(upTo round: Int, isDone: Bool) {
    let ready = waiters.filter { $0.round <= round }
    waiters.removeAll { $0.round <= round }
    for waiter in ready { waiter.continuation.resume(returning: isDone) }
  }
}

// MARK: - Polling

extension Poller {
  private func run() async {
    while !Task.isCancelled {
      guard !condition.isSuspended else {
        isWanted = false
        delay = nil
        // Callers do not wait for the end of the suspension.
        release(upTo: .max, isDone: false)
        await idle(for: nil)
        continue
      }
      if let delay = delay.take(), delay > .zero, !isWanted {
        await idle(for: delay)
        continue
      }
      condition.isPolling = true
      let interval = await limitedPoll().jittered(by: chance())
      condition.isPolling = false
      if isWanted || delay != nil || Task.isCancelled { continue }
      await idle(for: interval)
    }
  }

  /// Polls once, as soon as the limits allow it. Returns the delay until the next poll.
  private func limitedPoll() async -> Duration {
    guard let limits else { return await poll() }
    let isPermitted = await limits.begin()
    guard !Task.isCancelled, !condition.isSuspended else {
      if isPermitted { limits.end(nil) }
      return .zero
    }
    guard isPermitted else {
      isWanted = false
      release(upTo: begun + 1, isDone: false)
      return await usualDelay(after: .deferred)
    }
    return await poll()
  }

  /// Polls once. Returns the delay until the next poll.
  private func poll() async -> Duration {
    // Later callers wait for the next poll.
    isWanted = false
    begun += 1
    let number = begun
    if resetsBackoff { round.resetBackoff() }
    resetsBackoff = false
    let result = await round.poll()
    let outcome = condition.take(result)
    limits?.end(outcome != .done && Task.isCancelled ? nil : outcome)
    release(upTo: number, isDone: result.failure == nil)
    return switch result.delay {
    case .none: .zero
    case .exactly(let delay): delay
    case .usual(let least): max(least, await usualDelay(after: outcome))
    }
  }

  private func usualDelay(after outcome: PollOutcome) async -> Duration {
    let usual = await round.delay(after: outcome)
    return limits?.delay(after: outcome, usual: usual) ?? usual
  }
}

extension Duration {
  /// The duration times a number from 0.75 to 1.25, so that accounts cannot be told by their rhythm. `chance` is from 0
  /// up to 1, and 0 leaves the duration as it is.
  func jittered(by chance: Double) -> Duration {
    chance == 0 ? self : self * (chance < 0.5 ? 1 + chance / 2 : 0.5 + chance / 2)
  }
}

// MARK: - Waiting

extension Poller {
  /// Waits for a time, or without a limit, until it is woken.
  private func idle(for duration: Duration?) async {
    if let duration {
      timer = Task { [sleep] in
        await sleep(duration)
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
