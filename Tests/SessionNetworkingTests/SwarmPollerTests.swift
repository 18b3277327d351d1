import SessionCore
import SessionNetworking
import Synchronization
import Testing

/// A swarm with scripted replies, and an inbox that records them.
private final class Stage: SwarmService, SwarmInbox {
  /// A page of a node, and the result of processing it.
  struct Answer {
    var hasMore = false
    var result = SwarmPollResult()
    var failed: [StorageNamespace] = []

    static let nothing = Answer()
    /// Something from somebody who is known, with more behind it.
    static let page = Answer(
      hasMore: true, result: SwarmPollResult(moved: [.messages], hasNew: true, hasProven: true))
    /// Something that anybody could have made up, with more behind it.
    static let junk = Answer(hasMore: true, result: SwarmPollResult(moved: [.messages], hasNew: true))
    /// Something that another node gave, with more behind it.
    static let known = Answer(hasMore: true, result: SwarmPollResult(moved: [.messages]))
    /// The same as before, with more behind it.
    static let same = Answer(hasMore: true)
  }

  struct State {
    /// Nothing, where no more is said.
    var answers: [Result<Answer, NetworkFailure>] = []
    /// The answers that nodes repeat without end.
    var always: [String: Answer] = [:]
    var result = SwarmPollResult()
    var asked: [String] = []
    var taken = 0
    var delays: [Duration] = []
    /// The number of delays that end by themselves.
    var shortDelays = 0
    /// The outcomes reported to the inbox, and the delays that it then chooses.
    var outcomes: [PollOutcome] = []
    var wishes: [Duration] = []
    /// True if no node answers; `silent` names single nodes that do not.
    var isHanging = false
    var silent: Set<String> = []
  }

  let account = try! Account.generate()
  let state = Mutex(State())

  var time: MessageTime? { nil }
  var reachability: AsyncStream<Bool> { AsyncStream { $0.finish() } }

  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] {
    [[1], [2], [3]].map { $0 + [UInt8](repeating: 0, count: 31) }
  }

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply {
    if state.withLock({ state in
      let isSilent = state.isHanging || state.silent.contains(String(node[0]))
      if isSilent { state.asked.append(String(node[0])) }
      return isSilent
    }) {
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw NetworkFailure(.unreachable, "cancelled")
    }
    let answer = state.withLock { state in
      let name = String(node[0])
      state.asked.append(name)
      if let answer = state.always[name] { return Result<Answer, NetworkFailure>.success(answer) }
      return state.answers.isEmpty ? .success(.nothing) : state.answers.removeFirst()
    }
    let page = try answer.get()
    state.withLock { $0.result = page.result }
    var pages: [StorageNamespace: Result<SwarmReply.Page, NetworkFailure>] = [
      .messages: .success(SwarmReply.Page([], hasMore: page.hasMore))
    ]
    for namespace in page.failed {
      pages[namespace] = .failure(NetworkFailure(.unauthorized, "no access"))
    }
    return SwarmReply(node: node.hex, pages)
  }

  func published(
    _ namespaces: [StorageNamespace], of account: SessionID, at node: [UInt8]
  ) async throws(NetworkFailure) -> [StorageNamespace: [SwarmMessage]] { [:] }

  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] { [] }

  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> ShortenedExpiries { ShortenedExpiries([:], isSignedByAll: true) }

  func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] { [:] }

  func nextPoll(at node: String) async throws -> SwarmPoll {
    SwarmPoll(as: .account(account), [SwarmPoll.Position(.messages, after: nil)])
  }

  func take(_ reply: SwarmReply) async throws -> SwarmPollResult {
    state.withLock { state in
      state.taken += 1
      return state.result
    }
  }

  func delay(after outcome: PollOutcome, usual: Duration) async -> Duration {
    state.withLock { state in
      state.outcomes.append(outcome)
      return state.wishes.isEmpty ? usual : state.wishes.removeFirst()
    }
  }

  /// Returns when this many delays that do not end by themselves have begun.
  func untilSleeping(_ count: Int = 1) async {
    while state.withLock({ $0.delays.count { $0 > .zero } }) < count, !Task.isCancelled { await Task.yield() }
  }

  func poller(
    _ schedule: PollSchedule = PollSchedule(), limits: (any PollLimits)? = nil,
    choosing choice: @escaping @Sendable (Int) -> Int = { _ in 0 },
    chance: @escaping @Sendable () -> Double = { 0 }
  ) -> SwarmPoller {
    SwarmPoller(
      of: account.id, through: self, into: self, schedule: schedule, limits: limits,
      sleep: { delay in
        let isShort = self.state.withLock { state in
          state.delays.append(delay)
          guard delay > .zero, state.shortDelays > 0 else { return delay == .zero }
          state.shortDelays -= 1
          return true
        }
        guard !isShort else { return }
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }, choose: choice, chance: chance)
  }
}

@Suite(.timeLimit(.minutes(5))) struct SwarmPollerTests {
  @Test(arguments: [(0, 1_500_000), (0.25, 1_687_500), (0.5, 1_125_000), (0.75, 1_312_500)])
  func delaysHaveAJitterOfAQuarter(chance: Double, microseconds: Int) async throws {
    let stage = Stage()
    let poller = stage.poller(chance: { chance })
    await poller.start()
    await stage.untilSleeping()
    #expect(stage.state.withLock(\.delays).last == .microseconds(microseconds))
    await poller.stop()
  }

  @Test func membersArePolledInTurn() async throws {
    let stage = Stage()
    let poller = stage.poller()
    await poller.start()
    for _ in 0..<7 { await poller.pollNow() }
    #expect(stage.state.withLock { $0.asked.prefix(7) } == ["1", "2", "3", "1", "2", "3", "1"])
    await poller.stop()
  }

  @Test func absenceIsProvenByTheNextMembersAtOnce() async throws {
    let stage = Stage()
    var absent = SwarmPollResult()
    absent.needsWitness = true
    stage.state.withLock { $0.answers = Array(repeating: .success(Stage.Answer(result: absent)), count: 10) }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping()
    // Each of the three gets one request.
    #expect(stage.state.withLock { $0.asked } == ["1", "2", "3"])
    #expect(stage.state.withLock { $0.delays } == [.zero, .zero, .milliseconds(1500)])
    await poller.stop()
  }

  @Test func failuresBackOffAndUseAnotherNode() async throws {
    let stage = Stage()
    let failure = NetworkFailure(.transient, "no path")
    stage.state.withLock { $0.answers = Array(repeating: .failure(failure), count: 3) }
    let next = Mutex(0)
    let poller = stage.poller { count in
      next.withLock { next in
        defer { next += 1 }
        return next % count
      }
    }
    await poller.start()
    #expect(await !poller.pollNow())
    #expect(await poller.condition.failure == "no path")
    while await !poller.pollNow() { try Task.checkCancellation() }
    #expect(await poller.condition.failures == 0)
    let asked = stage.state.withLock { $0.asked }
    #expect(zip(asked, asked.dropFirst()).allSatisfy { $0 != $1 })
    await poller.stop()
    let schedule = PollSchedule()
    #expect(schedule.retryDelay(afterFailures: 1) == .milliseconds(300))
    #expect(schedule.retryDelay(afterFailures: 10) == .seconds(3))
    #expect(schedule.retryDelay(afterFailures: 10_000) == .seconds(15))
  }

  @Test(.timeLimit(.minutes(1))) func anotherNodeIsAskedBesideOneThatIsSilent() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.silent = ["1"]
      state.shortDelays = 1
    }
    var schedule = PollSchedule()
    schedule.hedgeDelay = .seconds(1)
    let poller = stage.poller(schedule)
    await poller.start()
    #expect(await poller.pollNow())
    // The next polls are for who answered.
    #expect(await poller.pollNow())
    stage.state.withLock { state in
      #expect(state.delays.first == .seconds(1))
      #expect(state.asked.prefix(3) == ["1", "2", "2"])
    }
    #expect(await poller.condition.failures == 0)
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aFailureBesideASilentNodeIsNotTheEnd() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.silent = ["1"]
      state.shortDelays = 1
      state.answers = [.failure(NetworkFailure(.transient, "no path"))]
    }
    var schedule = PollSchedule()
    schedule.hedgeDelay = .seconds(1)
    let poller = stage.poller(schedule)
    await poller.start()
    while stage.state.withLock({ $0.answers.count }) > 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(await poller.condition.failures == 0)
    await poller.stop()
    // Each node is asked by a task of its own, and either task may run first.
    #expect(stage.state.withLock { $0.asked }.sorted() == ["1", "2"])
  }

  @Test func remainingMessagesAreFetchedAtOnce() async throws {
    let stage = Stage()
    stage.state.withLock { $0.answers = [.success(.page), .success(.page), .success(.nothing)] }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping()
    #expect(await !poller.condition.isBehind)
    #expect(stage.state.withLock { $0.delays } == [.zero, .zero, .milliseconds(1500)])
    #expect(stage.state.withLock { $0.taken } == 3)
    await poller.stop()
  }

  @Test func manyPagesAreFetchedFromOneNode() async throws {
    let stage = Stage()
    let pages = 40 * PollSchedule().mostFruitless
    // Every other page has nothing but junk.
    stage.state.withLock { state in
      state.answers = (0..<pages).map { .success($0 % 2 == 0 ? .page : .junk) }
    }
    let next = Mutex(0)
    let poller = stage.poller { count in
      next.withLock { next in
        next += 1
        return next % count
      }
    }
    await poller.start()
    await stage.untilSleeping()
    #expect(stage.state.withLock { $0.delays.filter { $0 == .zero }.count } == pages)
    #expect(stage.state.withLock { Set($0.asked) }.count == 1)
    await poller.stop()
  }

  @Test func aNodeThatDoesNotHaveThePlaceToGoOnIsAskedForAnOlderOneAtOnce() async throws {
    let stage = Stage()
    let back = Stage.Answer(
      hasMore: true, result: SwarmPollResult(moved: [.messages], isSteppingBack: true))
    stage.state.withLock { $0.answers = [.success(back), .success(back), .success(.nothing)] }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping()
    #expect(stage.state.withLock { $0.delays } == [.zero, .zero, .milliseconds(1500)])
    #expect(stage.state.withLock { Set($0.asked) }.count == 1)
    await poller.stop()
  }

  @Test func incompletePollIsReported() async throws {
    let stage = Stage()
    stage.state.withLock { $0.answers = Array(repeating: .success(.page), count: 10_000) }
    let poller = stage.poller()
    await poller.start()
    #expect(await poller.pollNow())
    #expect(await poller.condition.isBehind)
    await poller.stop()
  }

  @Test func moreThatIsTheSameAgainIsLeftAndAnotherNodeAsked() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.always = ["1": .same]
      state.shortDelays = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping(2)
    #expect(stage.state.withLock { $0.asked } == ["1", "2"])
    #expect(stage.state.withLock { $0.delays } == [.milliseconds(1500), .milliseconds(1500)])
    #expect(await poller.condition.failures == 0)
    #expect(await poller.condition.polls == 1)
    await poller.stop()
  }

  @Test func nodeThatInventsPagesIsReplacedAfterALimit() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.always = ["1": .junk]
      state.shortDelays = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping(2)
    let most = PollSchedule().mostFruitless
    #expect(stage.state.withLock { $0.asked } == Array(repeating: "1", count: most) + ["2"])
    #expect(stage.state.withLock { $0.delays.filter { $0 == .zero }.count } == most - 1)
    await poller.stop()
  }

  @Test func pagesKnownFromAnotherNodeAreSkippedWithoutHaste() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.answers = [.success(.known), .success(.page), .success(.nothing)]
      state.shortDelays = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping(2)
    #expect(stage.state.withLock { $0.delays } == [.milliseconds(1500), .zero, .milliseconds(1500)])
    #expect(stage.state.withLock { Set($0.asked) }.count == 1)
    await poller.stop()
  }

  @Test func suspendedPollerDoesNotPoll() async throws {
    let stage = Stage()
    let poller = stage.poller()
    await poller.start()
    await poller.pollNow()
    await poller.suspend()
    let asked = stage.state.withLock { $0.asked.count }
    #expect(await !poller.pollNow())
    #expect(stage.state.withLock { $0.asked.count } == asked)
    await poller.resume()
    #expect(await poller.pollNow())
    await poller.stop()
    #expect(await !poller.pollNow())
  }

  @Test(.timeLimit(.minutes(1))) func newsDuringSuspensionIsPolledAfterwards() async throws {
    let stage = Stage()
    let poller = stage.poller()
    await poller.start()
    await poller.pollNow()
    await poller.suspend()
    let asked = stage.state.withLock { $0.asked.count }
    let notifier: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
    await poller.rely(on: notifier)
    await poller.hearNews()
    #expect(stage.state.withLock { $0.asked.count } == asked)
    await poller.resume()
    #expect(await poller.pollNow())
    #expect(stage.state.withLock { $0.asked[asked] } == "9")
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aWaitForAPollEndsWhenItIsCancelled() async throws {
    let stage = Stage()
    stage.state.withLock { $0.isHanging = true }
    let poller = stage.poller()
    await poller.start()
    let waiting = Task { await poller.pollNow() }
    while stage.state.withLock({ $0.asked.isEmpty }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    waiting.cancel()
    #expect(await !waiting.value)
    // One that is cancelled before it begins does not wait either.
    let late = Task { () -> Bool in
      withUnsafeCurrentTask { $0?.cancel() }
      return await poller.pollNow()
    }
    #expect(await !late.value)
    await poller.stop()
  }
}

// MARK: - Failing namespaces

extension SwarmPollerTests {
  private static let failure = NetworkFailure(.unauthorized, "no access")

  @Test func failingNamespaceDoesNotFailThePollOfAnother() async throws {
    let stage = Stage()
    let answer = Stage.Answer(result: SwarmPollResult(moved: [.messages], hasNew: true), failed: [.groupKeys])
    stage.state.withLock { $0.answers = [.success(answer)] }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping()
    let condition = await poller.condition
    #expect(condition.polls == 1 && condition.failures == 0 && condition.failure == nil)
    #expect(stage.state.withLock { $0.delays } == [.milliseconds(1500)])
    await poller.stop()
  }

  @Test func inboxDecidesThatAFailingNamespaceFailsThePoll() async throws {
    let stage = Stage()
    let answer = Stage.Answer(
      result: SwarmPollResult(moved: [.messages], hasNew: true, failure: Self.failure), failed: [.groupKeys])
    stage.state.withLock { state in
      state.answers = [.success(answer)]
      state.shortDelays = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping(2)
    stage.state.withLock { state in
      #expect(state.taken == 2)
      #expect(state.outcomes == [.failed(inARow: 1), .done])
      #expect(state.delays == [.milliseconds(300), .milliseconds(1500)])
      #expect(state.asked == ["1", "2"])
    }
    await poller.stop()
  }

  @Test func pagesOfANamespaceAreFetchedThoughAnotherFails() async throws {
    let stage = Stage()
    let page = Stage.Answer(
      hasMore: true,
      result: SwarmPollResult(moved: [.messages], hasNew: true, hasProven: true, failure: Self.failure),
      failed: [.groupKeys])
    let last = Stage.Answer(result: SwarmPollResult(failure: Self.failure), failed: [.groupKeys])
    stage.state.withLock { $0.answers = Array(repeating: .success(page), count: 50) + [.success(last)] }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping()
    stage.state.withLock { state in
      #expect(state.delays == Array(repeating: .zero, count: 50) + [.milliseconds(300)])
      #expect(Set(state.asked) == ["1"])
    }
    let condition = await poller.condition
    #expect(condition.failures == 1 && condition.failure == "no access" && condition.polls == 0)
    await poller.stop()
  }
}

// MARK: - Delays and limits

/// Limits that a test sets.
private final class StagedLimits: PollLimits {
  struct State {
    /// Polls that are deferred before the others.
    var deferrals = 0
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var underWay = 0
    var ends: [PollOutcome?] = []
  }

  let state = Mutex(State())

  func begin() async -> Bool {
    if state.withLock({ $0.isHeld }) {
      await withCheckedContinuation { continuation in state.withLock { $0.waiting.append(continuation) } }
    }
    return state.withLock { state in
      guard state.deferrals == 0 else {
        state.deferrals -= 1
        return false
      }
      state.underWay += 1
      return true
    }
  }

  func end(_ outcome: PollOutcome?) {
    state.withLock { state in
      state.underWay -= 1
      state.ends.append(outcome)
    }
  }

  func delay(after outcome: PollOutcome, usual: Duration) -> Duration {
    outcome == .deferred ? usual * 2 : usual
  }

  func letGo() {
    let waiting = state.withLock { state in
      state.isHeld = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func untilOneWaits() async {
    while state.withLock({ $0.waiting.isEmpty }), !Task.isCancelled { await Task.yield() }
  }
}

extension SwarmPoller {
  /// Polls now, and does something as soon as the wait for that has begun.
  fileprivate func pollNow(whileWaiting body: @escaping @Sendable () -> Void) async -> Bool {
    // It runs on the actor, which is free once this call waits.
    Task { body() }
    return await pollNow()
  }
}

extension SwarmPollerTests {
  @Test func inboxSetsTheDelay() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.answers = [.failure(NetworkFailure(.transient, "no path")), .success(.nothing)]
      state.wishes = [.seconds(7), .seconds(8)]
      state.shortDelays = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilSleeping(2)
    #expect(stage.state.withLock { $0.delays } == [.seconds(7), .seconds(8)])
    #expect(stage.state.withLock { $0.outcomes } == [.failed(inARow: 1), .done])
    await poller.stop()
  }

  @Test func nodeThatTellsMakesRestsLongerThanTheInboxSays() async throws {
    let stage = Stage()
    let poller = stage.poller()
    await poller.start()
    await poller.pollNow()
    stage.state.withLock { $0.delays = [] }
    await poller.rely(on: [1] + [UInt8](repeating: 0, count: 31))
    await stage.untilSleeping()
    #expect(stage.state.withLock { $0.delays.last } == .seconds(30))
    await poller.stop()
  }

  @Test func deferredPollAsksNoNodeAndIsNoFailure() async throws {
    let stage = Stage()
    let limits = StagedLimits()
    limits.state.withLock { $0.deferrals = 1 }
    stage.state.withLock { $0.shortDelays = 1 }
    let poller = stage.poller(limits: limits)
    await poller.start()
    await stage.untilSleeping(2)
    #expect(stage.state.withLock { $0.asked.count } == 1)
    #expect(stage.state.withLock { $0.outcomes } == [.deferred, .done])
    #expect(stage.state.withLock { $0.delays } == [.seconds(3), .milliseconds(1500)])
    #expect(limits.state.withLock { $0.ends } == [.done])
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func pollNowReturnsWhenThePollIsDeferred() async throws {
    let stage = Stage()
    let limits = StagedLimits()
    limits.state.withLock { $0.deferrals = 100 }
    let poller = stage.poller(limits: limits)
    await poller.start()
    await stage.untilSleeping()
    #expect(await !poller.pollNow())
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aPollRequestedWhileWaitingForAPermitIsServedByThatPoll() async throws {
    let stage = Stage()
    let limits = StagedLimits()
    limits.state.withLock { $0.isHeld = true }
    let poller = stage.poller(limits: limits)
    await poller.start()
    await limits.untilOneWaits()
    #expect(await poller.pollNow { limits.letGo() })
    await stage.untilSleeping()
    #expect(stage.state.withLock { $0.asked.count } == 1)
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func pollerThatIsSuspendedMeanwhileGivesItsPermitBack() async throws {
    let stage = Stage()
    let limits = StagedLimits()
    limits.state.withLock { $0.isHeld = true }
    let poller = stage.poller(limits: limits)
    await poller.start()
    await limits.untilOneWaits()
    await poller.suspend()
    limits.letGo()
    while limits.state.withLock({ $0.ends.isEmpty }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(limits.state.withLock { $0.ends } == [nil])
    #expect(stage.state.withLock { $0.asked } == [])
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func pollThatIsStoppedGivesItsPermitBackAndIsNoFailure() async throws {
    let stage = Stage()
    let limits = StagedLimits()
    stage.state.withLock { $0.isHanging = true }
    let poller = stage.poller(limits: limits)
    await poller.start()
    while stage.state.withLock({ $0.asked.isEmpty }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    await poller.stop()
    #expect(limits.state.withLock { $0.ends } == [nil])
    #expect(limits.state.withLock { $0.underWay } == 0)
  }

  @Test(.timeLimit(.minutes(1))) func firstPollWaitsUnlessSomethingAsksForIt() async throws {
    let stage = Stage()
    let poller = stage.poller()
    await poller.start(after: .seconds(4))
    await stage.untilSleeping()
    #expect(stage.state.withLock { $0.delays } == [.seconds(4)])
    #expect(stage.state.withLock { $0.asked } == [])
    #expect(await poller.pollNow())
    await poller.suspend()
    await poller.resume(after: .seconds(5))
    while stage.state.withLock({ $0.delays.last }) != .seconds(5) {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(stage.state.withLock { $0.asked.count } == 1)
    await poller.restart()
    while stage.state.withLock({ $0.asked.count }) < 2 {
      try Task.checkCancellation()
      await Task.yield()
    }
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func pollerThatIsSuspendedBeforeItsFirstPollDoesNotSpin() async throws {
    let stage = Stage()
    let poller = stage.poller()
    await poller.suspend()
    await poller.start(after: .seconds(4))
    for _ in 0..<100 { await Task.yield() }
    #expect(stage.state.withLock { $0.asked } == [])
    await poller.resume()
    while stage.state.withLock({ $0.asked.isEmpty }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    await poller.stop()
  }
}
