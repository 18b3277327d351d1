public import SessionCore

/// The timing of subscriptions to a node.
public struct MonitorSchedule: Sendable {
  /// The interval of renewals; a subscription ends after an hour and five minutes.
  public var renewal = Duration.seconds(50 * 60)
  /// The delay after a failure, doubled with each one.
  public var retryDelay = Duration.seconds(1)
  public var maxRetryDelay = Duration.seconds(60)
  /// The backoff after a node refused subscriptions.
  public var refusalDelay = Duration.seconds(600)

  public init() {}

  /// The delay after this many consecutive failures.
  public func retryDelay(afterFailures count: Int) -> Duration {
    min(maxRetryDelay, retryDelay * (1 << max(0, min(count - 1, 20))))
  }
}

/// Keeps a subscription to one node of a swarm, from `start()` to `stop()`, and makes a poller poll that node on each
/// notification.
///
/// The poller also polls regularly, more often while no node notifies.
public actor SwarmMonitor {
  private enum Signal {
    case notice(SwarmNotice)
    /// The delay with this number has passed.
    case timerFired(Int)
  }

  private let swarm: SessionID
  /// Returns the signer for each renewal; nil if there is none any more.
  private let signer: @Sendable () async throws -> Storage.Signer?
  private let namespaces: [StorageNamespace]
  private let service: any SwarmService
  private let watch: any SwarmWatch
  private let poller: SwarmPoller
  private let schedule: MonitorSchedule
  /// Waits for a duration, or until the task is cancelled.
  private let sleep: @Sendable (Duration) async -> Void
  private let choose: @Sendable (_ count: Int) -> Int
  /// Returns a number from 0 up to 1, for the jitter of delays.
  private let chance: @Sendable () -> Double

  /// The key of the node that notifies; nil if there is none.
  public private(set) var notifier: [UInt8]?
  private var turn = MemberTurn()
  private var failures = 0
  private var timers = 0
  private var loop: Task<Void, Never>?

  /// `sleep` waits; `choose` picks one of `count` nodes; `chance` returns a number from 0 up to 1.
  public init(
    of swarm: SessionID, as signer: @escaping @Sendable () async throws -> Storage.Signer?,
    _ namespaces: [StorageNamespace], through service: any SwarmService,
    _ watch: any SwarmWatch, waking poller: SwarmPoller, schedule: MonitorSchedule = MonitorSchedule(),
    sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    choose: @escaping @Sendable (Int) -> Int = { Int.random(in: 0..<$0) },
    chance: @escaping @Sendable () -> Double = { 0 }
  ) {
    self.swarm = swarm
    self.chance = chance
    self.signer = signer
    self.namespaces = namespaces
    self.service = service
    self.watch = watch
    self.poller = poller
    self.schedule = schedule
    self.sleep = sleep
    self.choose = choose
  }

  public func start() {
    guard loop == nil else { return }
    loop = Task { await self.run() }
  }

  /// Stops and ends the subscription.
  public func stop() async {
    guard let loop else { return }
    loop.cancel()
    await loop.value
    self.loop = nil
  }
}

extension SwarmMonitor {
  private func run() async {
    let (signals, signalling) = AsyncStream.makeStream(of: Signal.self)
    let notices = watch.notices(of: swarm)
    let hearing = Task {
      for await notice in notices { signalling.yield(.notice(notice)) }
    }
    var waiting = signals.makeAsyncIterator()
    while !Task.isCancelled {
      let delay = await renew().jittered(by: chance())
      await hear(&waiting, for: delay, signalling)
    }
    hearing.cancel()
    await lose()
  }

  /// Renews the subscription, or subscribes to another node. Returns the delay until the next renewal.
  private func renew() async -> Duration {
    do {
      guard let signer = try await signer() else {
        throw NetworkFailure(.unauthorized, "nothing lets us read this swarm")
      }
      let node = try await nextNode()
      try await watch.begin(as: signer, namespaces, at: node)
      notifier = node
      await poller.rely(on: node)
      return schedule.renewal
    } catch {
      await lose()
      failures += 1
      if let failure = error as? NetworkFailure, failure.kind == .rejected {
        return schedule.refusalDelay
      }
      return schedule.retryDelay(afterFailures: failures)
    }
  }

  private func nextNode() async throws -> [UInt8] {
    if let notifier { return notifier }
    let nodes = try await service.nodes(of: swarm)
    guard let node = turn.next(of: nodes, choose: choose) else {
      throw NetworkFailure(.unreachable, "no node of the swarm is known")
    }
    return node
  }

  /// Forwards notifications for a while, or until they end.
  private func hear(
    _ signals: inout AsyncStream<Signal>.Iterator, for delay: Duration,
    _ signalling: AsyncStream<Signal>.Continuation
  ) async {
    var delay = delay
    timers += 1
    var timer = wake(after: delay, as: timers, signalling)
    defer { timer.cancel() }
    while let signal = await signals.next(isolation: self) {
      switch signal {
      case .timerFired(let number):
        guard number == timers else { continue }
        // A subscription that lasted this long works.
        if notifier != nil { failures = 0 }
        return
      case .notice(.news):
        guard notifier != nil else { continue }
        failures = 0
        await poller.hearNews()
      case .notice(.ended):
        guard notifier != nil else { continue }
        await lose()
        failures += 1
        delay = schedule.retryDelay(afterFailures: failures)
        timer.cancel()
        timers += 1
        timer = wake(after: delay, as: timers, signalling)
      }
    }
  }

  private func wake(
    after delay: Duration, as number: Int, _ signalling: AsyncStream<Signal>.Continuation
  ) -> Task<Void, Never> {
    Task { [sleep] in
      await sleep(delay)
      if !Task.isCancelled { signalling.yield(.timerFired(number)) }
    }
  }

  private func lose() async {
    notifier = nil
    await poller.rely(on: nil)
  }
}
