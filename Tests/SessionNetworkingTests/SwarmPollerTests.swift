import SessionCore
import SessionNetworking
import Synchronization
import Testing

/// A swarm that answers as it is told, and an inbox that keeps what it said.
private final class Stage: SwarmService, SwarmInbox {
  struct State {
    /// Whether there is more.
    var answers: [Result<Bool, NetworkFailure>] = []
    /// Whether nothing comes even where there is said to be more.
    var isEmpty = false
    var asked: [String] = []
    var taken = 0
    var rests: [Duration] = []
  }

  let account = try! Account.generate()
  let state = Mutex(State())

  var time: MessageTime? { nil }
  var reachability: AsyncStream<Bool> { AsyncStream { $0.finish() } }

  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] {
    [[1], [2], [3]].map { $0 + [UInt8](repeating: 0, count: 31) }
  }

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmHarvest {
    let (answer, isEmpty) = state.withLock { state in
      state.asked.append(String(node[0]))
      return (state.answers.isEmpty ? .success(false) : state.answers.removeFirst(), state.isEmpty)
    }
    let hasMore = try answer.get()
    let time = try! MessageTime(milliseconds: 1)
    let message = SwarmMessage(hash: "a", data: [1], storedAt: time, expiresAt: time)
    return SwarmHarvest(
      node: node.hex,
      [.messages: .success(SwarmHarvest.Crop(hasMore && !isEmpty ? [message] : [], hasMore: hasMore))])
  }

  func change(
    _ swarm: SessionID, storing parcels: [SwarmParcel], deleting hashes: [String], as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> SwarmChanges { SwarmChanges(stored: [], deleted: nil) }

  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] { [:] }

  func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] { [:] }

  func nextPoll(at node: String) async throws -> SwarmPoll {
    SwarmPoll(as: .account(account), [SwarmPoll.Position(.messages, after: nil)])
  }

  func take(_ harvest: SwarmHarvest) async throws { state.withLock { $0.taken += 1 } }

  func poller(choosing choice: @escaping @Sendable (Int) -> Int = { _ in 0 }) -> SwarmPoller {
    SwarmPoller(
      of: account.id, through: self, into: self,
      rest: { rest in
        self.state.withLock { $0.rests.append(rest) }
        guard rest > .zero else { return }
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
    let poller = stage.poller { _ in
      next.withLock { next in
        defer { next += 1 }
        return next % 3
      }
    }
    await poller.start()
    #expect(await !poller.pollNow())
    #expect(await poller.condition.failure == "no path")
    while await !poller.pollNow() {}
    #expect(await poller.condition.failures == 0)
    #expect(stage.state.withLock { Set($0.asked.prefix(3)) }.count == 3)
    await poller.stop()
    let schedule = PollSchedule()
    #expect(schedule.rest(afterFailures: 1) == .milliseconds(300))
    #expect(schedule.rest(afterFailures: 10) == .seconds(3))
    #expect(schedule.rest(afterFailures: 10_000) == .seconds(15))
  }

  @Test func whatIsLeftBehindIsFetchedAtOnce() async throws {
    let stage = Stage()
    stage.state.withLock { $0.answers = [.success(true), .success(true), .success(false)] }
    let poller = stage.poller()
    await poller.start()
    while stage.state.withLock({ $0.rests.count }) < 3 { await Task.yield() }
    #expect(await !poller.condition.isBehind)
    #expect(stage.state.withLock { $0.rests } == [.zero, .zero, .milliseconds(1500)])
    #expect(stage.state.withLock { $0.taken } == 3)
    await poller.stop()
  }

  @Test func whoeverHasNotAllKnowsIt() async throws {
    let stage = Stage()
    stage.state.withLock { $0.answers = Array(repeating: .success(true), count: 10_000) }
    let poller = stage.poller()
    await poller.start()
    #expect(await poller.pollNow())
    #expect(await poller.condition.isBehind)
    await poller.stop()
  }

  @Test func moreOfNothingIsNotFetchedAtOnce() async throws {
    let stage = Stage()
    stage.state.withLock { state in
      state.answers = [.success(true)]
      state.isEmpty = true
    }
    let poller = stage.poller()
    await poller.start()
    while stage.state.withLock({ $0.rests.isEmpty }) { await Task.yield() }
    #expect(stage.state.withLock { $0.rests } == [.milliseconds(1500)])
    await poller.stop()
  }

  @Test func whoIsSuspendedAsksNothing() async throws {
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
}
