import SessionCore
import SessionNetworking
import Synchronization
import Testing

/// A swarm of three nodes that notify when a test says so, and delays that last until a test ends them.
private final class Stage: SwarmService, SwarmWatch, SwarmInbox {
  struct State {
    /// The replies to requests to watch; success once there are none left.
    var answers: [NetworkFailure?] = []
    /// The nodes that were asked to tell, and those that were asked for what is new.
    var watched: [String] = []
    var polled: [String] = []
    var found = 0
    var notices: AsyncStream<SwarmNotice>.Continuation?
    var delays: [(length: Duration, end: CheckedContinuation<Void, Never>)] = []
    var isLeft = false
  }

  let account = try! Account.generate()
  let state = Mutex(State())

  var time: MessageTime? { nil }
  var reachability: AsyncStream<Bool> { AsyncStream { $0.finish() } }
  var watch: (any SwarmWatch)? { self }

  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] {
    [[1], [2], [3]].map { $0 + [UInt8](repeating: 0, count: 31) }
  }

  func begin(
    as signer: Storage.Signer, _ namespaces: [StorageNamespace], at node: [UInt8]
  ) async throws(NetworkFailure) {
    let failure = state.withLock { state in
      state.watched.append(String(node[0]))
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
    if let failure { throw failure }
  }

  func notices(of account: SessionID) -> AsyncStream<SwarmNotice> {
    let (stream, notices) = AsyncStream.makeStream(of: SwarmNotice.self)
    notices.onTermination = { _ in self.state.withLock { $0.isLeft = true } }
    state.withLock { $0.notices = notices }
    return stream
  }

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply {
    let count = state.withLock { state in
      state.polled.append(String(node[0]))
      return state.found
    }
    let time = try! MessageTime(milliseconds: 1)
    let message = SwarmMessage(hash: "hash", data: [], storedAt: time, expiresAt: time)
    return SwarmReply(
      node: node.hex,
      [.messages: .success(SwarmReply.Page(Array(repeating: message, count: count)))])
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
    SwarmPollResult(moved: reply.count > 0 ? [.messages] : [])
  }

  // MARK: What tests do

  private func sleep(for length: Duration) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if Task.isCancelled { continuation.resume() } else { state.delays.append((length, continuation)) }
        }
      }
    } onCancel: {
      resetBackoff { _ in true }
    }
  }

  /// Ends the delays of some durations.
  func resetBackoff(_ isMeant: (Duration) -> Bool) {
    let over = state.withLock { state in
      let over = state.delays.filter { isMeant($0.length) }
      state.delays.removeAll { isMeant($0.length) }
      return over
    }
    for delay in over { delay.end.resume() }
  }

  func tell(_ notice: SwarmNotice) { state.withLock { $0.notices }?.yield(notice) }

  /// Returns once what was noted is as it should be.
  func until(_ isSo: (State) -> Bool) async {
    while !state.withLock({ isSo($0) }), !Task.isCancelled { await Task.yield() }
  }
}

extension Stage {
  /// Runs a monitor with its poller, whose first poll is over and whose first node notifies.
  func withMonitor(
    schedule: PollSchedule = PollSchedule(), _ body: (SwarmMonitor, SwarmPoller) async throws -> Void
  ) async throws {
    // The poller sleeps until it is notified.
    // Its order is the reverse of the monitor's.
    let ranks = Mutex(3)
    let poller = SwarmPoller(
      of: account.id, through: self, into: self, schedule: schedule,
      sleep: { _ in for await _ in AsyncStream<Void>.makeStream().stream {} },
      choose: { _ in
        ranks.withLock { rank in
          rank -= 1
          return rank
        }
      })
    let monitor = SwarmMonitor(
      of: account.id, as: { [account] in .account(account) }, [.messages], through: self, self,
      waking: poller,
      sleep: { await self.sleep(for: $0) }, choose: { _ in 0 })
    await poller.start()
    await poller.pollNow()
    await monitor.start()
    await until { !$0.watched.isEmpty }
    try await body(monitor, poller)
    await monitor.stop()
    await poller.stop()
    #expect(state.withLock { $0.isLeft })
  }
}

@Suite(.timeLimit(.minutes(2))) struct SwarmMonitorTests {
  private let stage = Stage()

  @Test func aNodeThatTellsIsAskedAtOnce() async throws {
    try await stage.withMonitor { monitor, _ in
      // One before there was anybody to tell, one that missed nothing meanwhile.
      await stage.until { $0.polled == ["3", "1"] }
      stage.tell(.news)
      await stage.until { $0.polled == ["3", "1", "1"] }
      #expect(await monitor.notifier?.first == 1)
    }
  }

  @Test func itIsAskedAgainBeforeItsHourIsOver() async throws {
    try await stage.withMonitor { _, _ in
      for count in 2...4 {
        await stage.until { !$0.delays.isEmpty }
        #expect(stage.state.withLock { $0.delays.map(\.length) } == [.seconds(3000)])
        stage.resetBackoff { _ in true }
        await stage.until { $0.watched.count == count }
      }
      #expect(stage.state.withLock { $0.watched } == ["1", "1", "1", "1"])
    }
  }

  @Test func anotherNodeIsWatchedWhenOneEnds() async throws {
    try await stage.withMonitor { monitor, _ in
      await stage.until { $0.polled.count == 2 }
      stage.tell(.ended)
      // It may have missed something.
      await stage.until { $0.polled.count == 3 }
      #expect(await monitor.notifier == nil)
      await stage.until { $0.delays.contains { $0.length == .seconds(1) } }
      stage.resetBackoff { $0 == .seconds(1) }
      await stage.until { $0.watched == ["1", "2"] }
      await stage.until { $0.polled.last == "2" }
    }
  }

  @Test func failuresBackOffAndUseOtherNodes() async throws {
    stage.state.withLock { state in
      state.answers = Array(repeating: NetworkFailure(.transient, "no"), count: 3)
    }
    try await stage.withMonitor { monitor, _ in
      for length in [1, 2, 4] {
        await stage.until { $0.delays.contains { $0.length == .seconds(length) } }
        #expect(await monitor.notifier == nil)
        stage.resetBackoff { _ in true }
      }
      await stage.until { $0.watched == ["1", "2", "3", "1"] }
      await stage.until { $0.polled.last == "1" }
    }
    let schedule = MonitorSchedule()
    #expect(schedule.retryDelay(afterFailures: 100) == .seconds(60))
  }

  @Test func nodesThatRefuseSubscriptionsAreAvoidedForLonger() async throws {
    stage.state.withLock { $0.answers = [NetworkFailure(.rejected, "no")] }
    try await stage.withMonitor { _, _ in
      await stage.until { $0.delays.contains { $0.length == .seconds(600) } }
    }
  }

  @Test func aNodeThatCriesWolfIsNotHeardForEver() async throws {
    var schedule = PollSchedule()
    schedule.mostFalseNews = 3
    try await stage.withMonitor(schedule: schedule) { _, poller in
      await stage.until { $0.polled.count == 2 }
      while await poller.condition.polls < 2 {
        try Task.checkCancellation()
        await Task.yield()
      }
      // The poll that came with the node counts too.
      for count in 3...4 {
        stage.tell(.news)
        await stage.until { $0.polled.count == count }
        // News that comes while a poll is under way asks for another one.
        while await poller.condition.polls < count {
          try Task.checkCancellation()
          await Task.yield()
        }
      }
      for _ in 0..<5 { await poller.hearNews() }
      await poller.pollNow()
      #expect(stage.state.withLock { $0.polled.count } == 5)
      // A poll that finds a message restores the trust in the node's notifications.
      stage.state.withLock { $0.found = 1 }
      await poller.pollNow()
      stage.tell(.news)
      await stage.until { $0.polled.count == 7 }
    }
  }
}
