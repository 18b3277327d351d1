public import SessionCore

/// Where what a poller finds goes.
public protocol SwarmInbox: Sendable {
  /// What to ask a node for next.
  func nextPoll(at node: String) async throws -> SwarmPoll
  /// Takes what a node had; it is kept when this returns.
  func take(_ harvest: SwarmHarvest) async throws
}

/// How often a swarm is asked.
public struct PollSchedule: Sendable {
  /// The rest after a poll that went well.
  public var rest = Duration.milliseconds(1500)
  /// How many polls in a row go to the same node.
  public var pollsPerNode = 6
  public var mostRest = Duration.seconds(15)
  /// The rest while a node tells of what is new by itself.
  public var restWhileTold = Duration.seconds(30)
  /// How many polls in a row may bring nothing though a node said that there was something: then it is not heard any
  /// more, until one does.
  public var mostFalseNews = 20

  public init() {}

  /// The rest after so many failures in a row.
  public func rest(afterFailures count: Int) -> Duration {
    min(mostRest, .milliseconds(300) * max(1, min(count, 1000)))
  }
}

/// Asks the swarm of an account for what is new, again and again, from `start()` to `stop()`.
///
/// One poll is under way at a time, and what it brought is kept before the next one begins: however much waits in the
/// swarm, no more than one answer of a node is in memory.
public actor SwarmPoller {
  public struct Condition: Hashable, Sendable {
    public var isSuspended = false
    /// Polls that went well since the start.
    public var polls = 0
    /// Whether the node had more than the last of those brought, which is asked for at once.
    public var isBehind = false
    /// Failures since the last one that did.
    public var failures = 0
    /// Why the last poll failed.
    public var failure: String?
  }

  private let swarm: SessionID
  private let service: any SwarmService
  private let inbox: any SwarmInbox
  private let schedule: PollSchedule
  /// Returns after a while, or when the task is cancelled.
  private let rest: @Sendable (Duration) async -> Void
  private let choose: @Sendable (_ count: Int) -> Int

  public private(set) var condition = Condition()
  private var loop: Task<Void, Never>?
  private var node: (key: [UInt8], polls: Int)?
  /// The node that tells of what is new.
  private var teller: [UInt8]?
  private var hasNews = false
  private var falseNews = 0
  private var timer: Task<Void, Never>?
  private var sleeper: CheckedContinuation<Void, Never>?
  private var isWanted = false
  private var begun = 0
  private var waiters: [(round: Int, continuation: CheckedContinuation<Bool, Never>)] = []

  /// A poller of the swarm of an account. `rest` waits; `choose` picks one of so many.
  public init(
    of swarm: SessionID, through service: any SwarmService, into inbox: any SwarmInbox,
    schedule: PollSchedule = PollSchedule(),
    rest: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    choose: @escaping @Sendable (Int) -> Int = { Int.random(in: 0..<$0) }
  ) {
    self.swarm = swarm
    self.service = service
    self.inbox = inbox
    self.schedule = schedule
    self.rest = rest
    self.choose = choose
  }
}

// MARK: - Life

extension SwarmPoller {
  /// Begins, with a poll at once.
  public func start() {
    guard loop == nil else { return }
    loop = Task { await self.run() }
  }

  /// Ends; what is under way is cancelled.
  public func stop() async {
    guard let loop else { return }
    loop.cancel()
    wake()
    await loop.value
    self.loop = nil
    release(upTo: .max, isDone: false)
  }

  /// Begins no more polls until it is resumed.
  public func suspend() {
    condition.isSuspended = true
  }

  /// Goes on, with a poll at once.
  public func resume() {
    guard condition.isSuspended else { return }
    condition.isSuspended = false
    isWanted = true
    wake()
  }

  /// Polls now, and returns when a poll that began after the call has been kept: false when it failed, or the poller does
  /// not run.
  @discardableResult
  public func pollNow() async -> Bool {
    guard loop != nil, !condition.isSuspended else { return false }
    isWanted = true
    wake()
    return await withCheckedContinuation { waiters.append((begun + 1, $0)) }
  }
}

// MARK: - Being told

extension SwarmPoller {
  /// Says which node tells of what is new from now on, which is asked at once; nil for none. While one does, the swarm is
  /// asked less often without a reason.
  public func rely(on node: [UInt8]?) {
    guard node != teller else { return }
    teller = node
    falseNews = 0
    hasNews = node != nil
    isWanted = true
    wake()
  }

  /// Says that the node which tells has something new: it is asked at once.
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
        // Whoever wants something meanwhile waits for the end of it, too.
        isWanted = false
        await sleep(for: nil)
        continue
      }
      isWanted = false
      let pause = await round()
      if isWanted || Task.isCancelled { continue }
      await sleep(for: pause)
    }
  }

  /// One poll. Returns how long to rest after it.
  private func round() async -> Duration {
    begun += 1
    let number = begun
    let isForNews = hasNews
    hasNews = false
    do {
      let (count, hasMore) = try await poll(at: isForNews ? teller : nil)
      falseNews = count > 0 ? 0 : falseNews + (isForNews ? 1 : 0)
      condition.polls += 1
      condition.isBehind = hasMore && count > 0
      condition.failures = 0
      condition.failure = nil
      release(upTo: number, isDone: true)
      // More of nothing is no reason to ask at once.
      if hasMore, count > 0 {
        hasNews = hasNews || isForNews
        return .zero
      }
      return teller == nil ? schedule.rest : max(schedule.rest, schedule.restWhileTold)
    } catch {
      // Another node may do better.
      node = nil
      condition.failures += 1
      condition.failure = "\(error)"
      release(upTo: number, isDone: false)
      return schedule.rest(afterFailures: condition.failures)
    }
  }

  private func poll(at teller: [UInt8]?) async throws -> (count: Int, hasMore: Bool) {
    let key = if let teller { teller } else { try await nextNode() }
    let harvest = try await service.poll(try await inbox.nextPoll(at: key.hex), at: key)
    try Task.checkCancellation()
    try await inbox.take(harvest)
    for case .failure(let failure) in harvest.crops.values { throw failure }
    return (harvest.count, harvest.hasMore)
  }

  private func nextNode() async throws -> [UInt8] {
    if let (key, polls) = node, polls < schedule.pollsPerNode {
      node = (key, polls + 1)
      return key
    }
    let nodes = try await service.nodes(of: swarm)
    guard !nodes.isEmpty else {
      throw NetworkFailure(.unreachable, "no node of the swarm is known")
    }
    let key = nodes[choose(nodes.count)]
    node = (key, 1)
    return key
  }

  private func release(upTo round: Int, isDone: Bool) {
    let ready = waiters.filter { $0.round <= round }
    waiters.removeAll { $0.round <= round }
    for waiter in ready { waiter.continuation.resume(returning: isDone) }
  }
}

// MARK: - Resting

extension SwarmPoller {
  /// Rests for a while, or without an end, until somebody wakes it.
  private func sleep(for pause: Duration?) async {
    if let pause {
      timer = Task { [rest] in
        await rest(pause)
        if !Task.isCancelled { self.wake() }
      }
    }
    await withCheckedContinuation { continuation in
      // Who woke it in between found nobody asleep.
      if isWanted || loop?.isCancelled == true { continuation.resume() } else { sleeper = continuation }
    }
    timer?.cancel()
    timer = nil
  }

  private func wake() { sleeper.take()?.resume() }
}
