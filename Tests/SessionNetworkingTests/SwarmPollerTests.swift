import SessionCore
import SessionNetworking
import Synchronization
import Testing

/// A swarm with scripted replies, and an inbox that records them.
private final class Stage: SwarmService, SwarmInbox {
  /// What a node has, and what that is worth.
  struct Answer {
    var hasMore = false
    var gain = SwarmGain()

    static let nothing = Answer()
    /// Something from somebody who is known, with more behind it.
    static let page = Answer(
      hasMore: true, gain: SwarmGain(moved: [.messages], hasNew: true, hasProven: true))
    /// Something that anybody could have made up, with more behind it.
    static let junk = Answer(hasMore: true, gain: SwarmGain(moved: [.messages], hasNew: true))
    /// Something that another node gave, with more behind it.
    static let known = Answer(hasMore: true, gain: SwarmGain(moved: [.messages]))
    /// The same as before, with more behind it.
    static let same = Answer(hasMore: true)
  }

  struct State {
    /// Nothing, where no more is said.
    var answers: [Result<Answer, NetworkFailure>] = []
    /// What nodes say all the time.
    var always: [String: Answer] = [:]
    var gain = SwarmGain()
    var asked: [String] = []
    var taken = 0
    var rests: [Duration] = []
    /// How many rests end by themselves.
    var shortRests = 0
    /// Whether nodes never answer, or which of them.
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

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmHarvest {
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
    state.withLock { $0.gain = page.gain }
    return SwarmHarvest(node: node.hex, [.messages: .success(SwarmHarvest.Crop([], hasMore: page.hasMore))])
  }

  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] { [] }

  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] { [:] }

  func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] { [:] }

  func nextPoll(at node: String) async throws -> SwarmPoll {
    SwarmPoll(as: .account(account), [SwarmPoll.Position(.messages, after: nil)])
  }

  func take(_ harvest: SwarmHarvest) async throws -> SwarmGain {
    state.withLock { state in
      state.taken += 1
      return state.gain
    }
  }

  /// Returns once so many rests were begun that do not end by themselves.
  func untilRested(_ count: Int = 1) async {
    while state.withLock({ $0.rests.count { $0 > .zero } }) < count { await Task.yield() }
  }

  func poller(
    _ schedule: PollSchedule = PollSchedule(), choosing choice: @escaping @Sendable (Int) -> Int = { _ in 0 }
  ) -> SwarmPoller {
    SwarmPoller(
      of: account.id, through: self, into: self, schedule: schedule,
      rest: { rest in
        let isShort = self.state.withLock { state in
          state.rests.append(rest)
          guard rest > .zero, state.shortRests > 0 else { return rest == .zero }
          state.shortRests -= 1
          return true
        }
        guard !isShort else { return }
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }, choose: choice)
  }
}

@Suite struct SwarmPollerTests {
  @Test func sixPollsGoToOneNodeBeforeAnotherIsChosen() async throws {
    let stage = Stage()
    let next = Mutex(0)
    let poller = stage.poller { count in
      next.withLock { next in
        defer { next += 1 }
        return next % count
      }
    }
    await poller.start()
    for _ in 0..<13 { await poller.pollNow() }
    let asked = stage.state.withLock { $0.asked }
    #expect(asked.prefix(13) == ["1", "1", "1", "1", "1", "1", "2", "2", "2", "2", "2", "2", "3"][...])
    await poller.stop()
  }

  @Test func failuresRestLongerAndAnotherNodeIsAsked() async throws {
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
    while await !poller.pollNow() {}
    #expect(await poller.condition.failures == 0)
    let asked = stage.state.withLock { $0.asked }
    #expect(zip(asked, asked.dropFirst()).allSatisfy { $0 != $1 })
    await poller.stop()
    let schedule = PollSchedule()
    #expect(schedule.rest(afterFailures: 1) == .milliseconds(300))
    #expect(schedule.rest(afterFailures: 10) == .seconds(3))
    #expect(schedule.rest(afterFailures: 10_000) == .seconds(15))
  }

  @Test(.timeLimit(.minutes(1))) func anotherNodeIsAskedBesideOneThatIsSilent() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.silent = ["1"]
      state.shortRests = 1
    }
    var schedule = PollSchedule()
    schedule.patience = .seconds(1)
    let poller = stage.poller(schedule)
    await poller.start()
    #expect(await poller.pollNow())
    // The next polls are for who answered.
    #expect(await poller.pollNow())
    stage.state.withLock { state in
      #expect(state.rests.first == .seconds(1))
      #expect(state.asked.prefix(3) == ["1", "2", "2"])
    }
    #expect(await poller.condition.failures == 0)
    await poller.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aFailureBesideASilentNodeIsNotTheEnd() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.silent = ["1"]
      state.shortRests = 1
      state.answers = [.failure(NetworkFailure(.transient, "no path"))]
    }
    var schedule = PollSchedule()
    schedule.patience = .seconds(1)
    let poller = stage.poller(schedule)
    await poller.start()
    while stage.state.withLock({ $0.answers.count }) > 0 { await Task.yield() }
    #expect(await poller.condition.failures == 0)
    await poller.stop()
    #expect(stage.state.withLock { $0.asked } == ["1", "2"])
  }

  @Test func remainingMessagesAreFetchedAtOnce() async throws {
    let stage = Stage()
    stage.state.withLock { $0.answers = [.success(.page), .success(.page), .success(.nothing)] }
    let poller = stage.poller()
    await poller.start()
    await stage.untilRested()
    #expect(await !poller.condition.isBehind)
    #expect(stage.state.withLock { $0.rests } == [.zero, .zero, .milliseconds(1500)])
    #expect(stage.state.withLock { $0.taken } == 3)
    await poller.stop()
  }

  @Test func howeverMuchIsLeftBehindByPeopleIsFetchedFromOneNode() async throws {
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
    await stage.untilRested()
    #expect(stage.state.withLock { $0.rests.filter { $0 == .zero }.count } == pages)
    #expect(stage.state.withLock { Set($0.asked) }.count == 1)
    await poller.stop()
  }

  @Test func aNodeThatDoesNotHaveThePlaceToGoOnIsAskedForAnOlderOneAtOnce() async throws {
    let stage = Stage()
    let back = Stage.Answer(
      hasMore: true, gain: SwarmGain(moved: [.messages], isSteppingBack: true))
    stage.state.withLock { $0.answers = [.success(back), .success(back), .success(.nothing)] }
    let poller = stage.poller()
    await poller.start()
    await stage.untilRested()
    #expect(stage.state.withLock { $0.rests } == [.zero, .zero, .milliseconds(1500)])
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
      state.shortRests = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilRested(2)
    #expect(stage.state.withLock { $0.asked } == ["1", "2"])
    #expect(stage.state.withLock { $0.rests } == [.milliseconds(1500), .milliseconds(1500)])
    #expect(await poller.condition.failures == 0)
    #expect(await poller.condition.polls == 1)
    await poller.stop()
  }

  @Test func nodeThatInventsPagesIsReplacedAfterALimit() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.always = ["1": .junk]
      state.shortRests = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilRested(2)
    let most = PollSchedule().mostFruitless
    #expect(stage.state.withLock { $0.asked } == Array(repeating: "1", count: most) + ["2"])
    #expect(stage.state.withLock { $0.rests.filter { $0 == .zero }.count } == most - 1)
    await poller.stop()
  }

  @Test func whatAnotherNodeGaveIsPassedOverWithoutHaste() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.answers = [.success(.known), .success(.page), .success(.nothing)]
      state.shortRests = 1
    }
    let poller = stage.poller()
    await poller.start()
    await stage.untilRested(2)
    #expect(stage.state.withLock { $0.rests } == [.milliseconds(1500), .zero, .milliseconds(1500)])
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

  @Test(.timeLimit(.minutes(1))) func whoHearsNewsWhileSuspendedAsksAfterwards() async throws {
    let stage = Stage()
    let poller = stage.poller()
    await poller.start()
    await poller.pollNow()
    await poller.suspend()
    let asked = stage.state.withLock { $0.asked.count }
    let teller: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
    await poller.rely(on: teller)
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
    while stage.state.withLock({ $0.asked.isEmpty }) { await Task.yield() }
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
