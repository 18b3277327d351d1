public import SessionCore

/// The receiver of polled messages.
public protocol SwarmInbox: Sendable {
  /// Returns the next poll for a node.
  func nextPoll(at node: String) async throws -> SwarmPoll
  /// Processes the reply of a node and stores the results before it returns. The reply includes namespaces that
  /// failed: they fail the poll only if the result says so.
  func take(_ reply: SwarmReply) async throws -> SwarmPollResult
  /// The nodes that lack messages of others. They are polled last.
  func laggards() async -> Set<String>
  /// Returns the delay after a poll. `usual` is the delay according to the schedule.
  func delay(after outcome: PollOutcome, usual: Duration) async -> Duration
}

extension SwarmInbox {
  public func laggards() async -> Set<String> { [] }

  public func delay(after outcome: PollOutcome, usual: Duration) async -> Duration { usual }
}

/// How often a swarm is polled.
public struct PollSchedule: Sendable {
  /// The delay after a successful poll.
  public var interval = Duration.milliseconds(1500)
  public var maxRetryDelay = Duration.seconds(15)
  /// The interval while a node notifies of new messages.
  public var intervalWhileNotified = Duration.seconds(30)
  /// The number of consecutive polls without result after a notification, after which notifications of this node are
  /// ignored until a poll has a result.
  public var mostFalseNews = 20
  /// The most consecutive polls of a node that has more messages, without one proven to come from a known person.
  /// Beyond it the poller backs off and uses another node.
  public var mostFruitless = 20
  /// The delay before a second node is polled as well; nil if polling is not urgent.
  public var hedgeDelay: Duration?

  public init() {}

  /// The delay after this many consecutive failures.
  public func retryDelay(afterFailures count: Int) -> Duration {
    min(maxRetryDelay, .milliseconds(300) * max(1, min(count, 1000)))
  }

  func delay(after outcome: PollOutcome) -> Duration {
    switch outcome {
    case .failed(let count): retryDelay(afterFailures: count)
    case .done, .deferred: interval
    }
  }
}

/// Polls the swarm of an account.
public typealias SwarmPoller = Poller<SwarmRound>

/// A poll of a swarm. Its members take turns; one that has more messages keeps its turn.
public final class SwarmRound: PollRound {
  private let swarm: SessionID
  private let service: any SwarmService
  private let inbox: any SwarmInbox
  private let schedule: PollSchedule
  /// Waits for a duration, or until the task is cancelled.
  private let sleep: @Sendable (Duration) async -> Void
  private let choose: @Sendable (_ count: Int) -> Int

  private var turn = MemberTurn()
  private var memberCount = 0
  /// The consecutive polls after which another member was needed as a witness.
  private var witnesses = 0
  /// The node that was polled last.
  private var polled: [UInt8]?
  /// The node that has more messages, and how many consecutive polls of it brought nothing proven.
  private var catchUp: (key: [UInt8], fruitless: Int)?
  /// The node that notifies of new messages.
  private var notifier: [UInt8]?
  private var hasNews = false
  private var falseNews = 0

  init(
    _ swarm: SessionID, _ service: any SwarmService, _ inbox: any SwarmInbox, _ schedule: PollSchedule,
    sleep: @escaping @Sendable (Duration) async -> Void, choose: @escaping @Sendable (Int) -> Int
  ) {
    self.swarm = swarm
    self.service = service
    self.inbox = inbox
    self.schedule = schedule
    self.sleep = sleep
    self.choose = choose
  }
}

extension Poller where Round == SwarmRound {
  /// A poller of an account's swarm. `limits` is nil for one that never waits for others; `sleep` waits; `choose`
  /// picks one of `count` nodes; `chance` returns a number from 0 up to 1.
  public init(
    of swarm: SessionID, through service: any SwarmService, into inbox: any SwarmInbox,
    schedule: PollSchedule = PollSchedule(), limits: (any PollLimits)? = nil,
    sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    choose: @escaping @Sendable (Int) -> Int = { Int.random(in: 0..<$0) },
    chance: @escaping @Sendable () -> Double = { 0 }
  ) {
    self.init(
      SwarmRound(swarm, service, inbox, schedule, sleep: sleep, choose: choose), limits: limits, sleep: sleep,
      chance: chance)
  }

  /// Sets the node that notifies us, which is polled at once; nil for none. With one, regular polls are less frequent.
  public func rely(on node: [UInt8]?) {
    if round.rely(on: node) { hurry() }
  }

  /// Polls the notifying node at once, because it has new messages.
  public func hearNews() {
    if round.hearNews() { hurry() }
  }
}

// MARK: - Notifications

extension SwarmRound {
  /// Sets the node that notifies us. True if it should be polled at once.
  fileprivate func rely(on node: [UInt8]?) -> Bool {
    guard node != notifier else { return false }
    notifier = node
    falseNews = 0
    hasNews = node != nil
    return true
  }

  /// Records a notification. True if it is believed.
  fileprivate func hearNews() -> Bool {
    guard notifier != nil, falseNews < schedule.mostFalseNews else { return false }
    hasNews = true
    return true
  }
}

// MARK: - Polling

extension SwarmRound {
  public nonisolated(nonsending) func poll() async -> PollResult {
    let isForNews = hasNews
    hasNews = false
    polled = nil
    do {
      let key = if isForNews, let notifier { notifier } else { try await nextNode() }
      polled = key
      let (reply, replier) = try await fetch(key)
      if replier != key { moveOn(to: replier) }
      try Task.checkCancellation()
      let result = try await inbox.take(reply)
      falseNews = result.moved.isEmpty ? falseNews + (isForNews ? 1 : 0) : 0
      guard !reply.hasMore || !result.moved.isDisjoint(with: reply.unfinished) else {
        let failure = "a node of the swarm announces more messages but returns none"
        return fail(because: failure, atLeast: schedule.interval)
      }
      let hasMore = reply.hasMore || result.isUnfinished
      let delay =
        hasMore
        ? continueCatchUp(at: replier, after: result, isForNews) : needsWitness(result) ? .none : usualDelay
      // If the node has more messages, they are fetched first, even after a failure.
      if let failure = result.failure, delay != .none { return fail(because: "\(failure)") }
      if !hasMore { catchUp = nil }
      return PollResult(failure: result.failure.map { "\($0)" }, delay)
    } catch {
      return fail(because: "\(error)")
    }
  }

  public nonisolated(nonsending) func delay(after outcome: PollOutcome) async -> Duration {
    await inbox.delay(after: outcome, usual: schedule.delay(after: outcome))
  }

  /// Another node may do better.
  private func fail(because reason: String, atLeast least: Duration = .zero) -> PollResult {
    leaveNode()
    return PollResult(failure: reason, .usual(atLeast: least))
  }

  /// True if the next member should be polled at once, because this one may hide something. Each is polled once.
  private func needsWitness(_ result: SwarmPollResult) -> Bool {
    witnesses = result.needsWitness ? witnesses + 1 : 0
    return result.needsWitness && witnesses < memberCount
  }

  private var usualDelay: PollResult.Delay {
    .usual(atLeast: notifier == nil ? .zero : schedule.intervalWhileNotified)
  }

  /// Handles a node that has more messages: they are fetched from the same node, at once as long as pages have any
  /// result.
  private func continueCatchUp(at key: [UInt8], after result: SwarmPollResult, _ isForNews: Bool)
    -> PollResult.Delay
  {
    hasNews = hasNews || isForNews
    let before = catchUp?.key == key ? catchUp?.fruitless ?? 0 : 0
    let fruitless = result.hasProven ? 0 : before + 1
    guard fruitless < schedule.mostFruitless else {
      leaveNode()
      hasNews = false
      return .exactly(schedule.interval)
    }
    catchUp = (key, fruitless)
    return result.hasNew || result.isSteppingBack ? .none : .exactly(schedule.interval)
  }

  private func leaveNode() {
    if let polled { turn.avoid(polled) }
    catchUp = nil
  }

  private nonisolated(nonsending) func nextNode() async throws -> [UInt8] {
    if let catchUp { return catchUp.key }
    let nodes = try await service.nodes(of: swarm)
    memberCount = nodes.count
    guard let key = turn.next(of: nodes, laggards: await inbox.laggards(), choose: choose) else {
      throw NetworkFailure(.unreachable, "no node of the swarm is known")
    }
    return key
  }

  /// Records that another node replied instead of the polled one.
  private func moveOn(to key: [UInt8]) {
    leaveNode()
    polled = key
  }
}

// MARK: - Requests

extension SwarmRound {
  /// Returns the reply of a node or, if that takes too long, of another node that replies first.
  private nonisolated(nonsending) func fetch(_ key: [UInt8]) async throws -> (SwarmReply, replier: [UInt8]) {
    let poll = try await inbox.nextPoll(at: key.hex)
    guard let delay = schedule.hedgeDelay else { return (try await service.poll(poll, at: key), key) }
    return try await withThrowingTaskGroup { [service, inbox, sleep] group in
      defer { group.cancelAll() }
      group.addTask { await Attempt(at: key, poll, service) }
      group.addTask {
        await sleep(delay)
        return .isLate
      }
      var underWay = 1
      while let attempt = try await group.next() {
        switch attempt {
        case .ended(let key, .success(let reply)): return (reply, key)
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
    case ended(at: [UInt8], Result<SwarmReply, NetworkFailure>)
    case isLate

    init(at key: [UInt8], _ poll: SwarmPoll, _ service: any SwarmService) async {
      do throws(NetworkFailure) {
        self = .ended(at: key, .success(try await service.poll(poll, at: key)))
      } catch {
        self = .ended(at: key, .failure(error))
      }
    }
  }

  private nonisolated(nonsending) func another(than key: [UInt8]) async throws -> [UInt8]? {
    let nodes = try await service.nodes(of: swarm)
    return turn.substitute(for: key, of: nodes, laggards: await inbox.laggards(), choose: choose)
  }
}
