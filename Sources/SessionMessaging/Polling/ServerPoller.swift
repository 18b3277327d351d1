import SessionNetworking

/// Polls the rooms of a server, from `start()` to `stop()`. Polls run one at a time, and the result of each is stored
/// before the next begins.
actor ServerPoller: FeedPoller {
  /// The number of consecutive polls without a delay while rooms have more messages.
  static let mostPages = 20

  private struct Waiter {
    let id: Int
    let round: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let feed: any ServerFeed
  private let limits: any PollLimits
  /// Waits for a duration, or until the task is cancelled.
  private let rest: @Sendable (Duration) async -> Void

  private(set) var condition = SwarmPoller.Condition()
  private var loop: Task<Void, Never>?
  private var pages = 0
  private var timer: Task<Void, Never>?
  private var sleeper: CheckedContinuation<Void, Never>?
  private var isWanted = false
  /// The delay before the next poll, if it is the first or follows a suspension.
  private var delay: Duration?
  private var begun = 0
  private var waiters: [Waiter] = []
  private var lastWaiter = 0

  init(_ feed: any ServerFeed, _ limits: any PollLimits, rest: @escaping @Sendable (Duration) async -> Void) {
    self.feed = feed
    self.limits = limits
    self.rest = rest
  }
}

// MARK: - Life cycle

extension ServerPoller {
  func start(after delay: Duration) {
    guard loop == nil else { return }
    self.delay = delay
    loop = Task { await self.run() }
  }

  func stop() async {
    guard let loop else { return }
    loop.cancel()
    wake()
    await loop.value
    self.loop = nil
    release(upTo: .max, isDone: false)
  }

  func suspend() { condition.isSuspended = true }

  func resume(after delay: Duration) {
    guard condition.isSuspended else { return }
    condition.isSuspended = false
    restart(after: delay)
  }

  func restart(after delay: Duration) {
    self.delay = delay
    wake()
  }

  func pollNow() async -> Bool {
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

  private func release(upTo round: Int, isDone: Bool) {
    let ready = waiters.filter { $0.round <= round }
    waiters.removeAll { $0.round <= round }
    for waiter in ready { waiter.continuation.resume(returning: isDone) }
  }
}

// MARK: - Polling

extension ServerPoller {
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
    let isPermitted = await limits.begin()
    guard !Task.isCancelled, !condition.isSuspended else {
      if isPermitted { limits.end(nil) }
      return .zero
    }
    guard isPermitted else {
      isWanted = false
      release(upTo: begun + 1, isDone: false)
      return await pause(after: .deferred)
    }
    return await round()
  }

  private func round() async -> Duration {
    // Later callers wait for the next poll.
    isWanted = false
    begun += 1
    let number = begun
    do {
      let gain = try await feed.poll()
      pages = gain.hasMore ? pages + 1 : 0
      condition.polls += 1
      condition.failures = 0
      condition.failure = nil
      condition.isBehind = gain.hasMore && pages < Self.mostPages
      limits.end(.done)
      release(upTo: number, isDone: true)
      if condition.isBehind { return .zero }
      pages = 0
      return await pause(after: .done)
    } catch {
      pages = 0
      condition.isBehind = false
      condition.failures += 1
      condition.failure = "\(error)"
      let outcome = PollOutcome.failed(inARow: condition.failures)
      limits.end(Task.isCancelled ? nil : outcome)
      release(upTo: number, isDone: false)
      return await pause(after: outcome)
    }
  }

  private func pause(after outcome: PollOutcome) async -> Duration {
    limits.rest(after: outcome, usual: await feed.rest(after: outcome))
  }
}

// MARK: - Waiting

extension ServerPoller {
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
