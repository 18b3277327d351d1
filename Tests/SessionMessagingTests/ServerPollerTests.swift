import SessionNetworking
import Synchronization
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(5))) struct ServerPollerTests {
  @Test func pagesAreFetchedWithoutDelayUpToALimit() async throws {
    let feed = ScriptedFeed(hasMore: true)
    let delays = Delays()
    let poller = ServerPoller(ServerRound(feed, sleep: hang), sleep: delays.sleep)
    await poller.start(after: .zero)
    #expect(await delays.first() == .seconds(10))
    #expect(feed.polls == ServerRound.mostPages)
    await poller.stop()
  }

  @Test func aFailureIsReportedAndThePollerGoesOn() async throws {
    let feed = ScriptedFeed(hasMore: false, failing: 2)
    let delays = Delays()
    let poller = ServerPoller(ServerRound(feed, sleep: hang), sleep: delays.sleep)
    await poller.start(after: .zero)
    #expect(await delays.first() == .seconds(1))
    #expect(await poller.condition.failures == 1)
    #expect(await !poller.pollNow())
    #expect(await poller.condition.failures == 2)
    #expect(await poller.pollNow())
    #expect(await poller.condition.failures == 0)
    await poller.stop()
    #expect(await !poller.pollNow())
  }

  @Test func aSuspendedPollerPollsOnlyOnceItIsResumed() async throws {
    let feed = ScriptedFeed(hasMore: false)
    let delays = Delays()
    let poller = ServerPoller(ServerRound(feed, sleep: hang), sleep: delays.sleep)
    await poller.suspend()
    await poller.start(after: .zero)
    #expect(await !poller.pollNow())
    #expect(feed.polls == 0)
    await poller.resume(after: .zero)
    #expect(await delays.first() == .seconds(10))
    #expect(feed.polls == 1)
    await poller.stop()
  }
}

@Suite(.timeLimit(.minutes(1))) struct SlowServerTests {
  @Test func callersDoNotWaitForTheEndOfASuspension() async throws {
    let feed = SlowFeed()
    let poller = ServerPoller(ServerRound(feed, sleep: hang), sleep: Delays().sleep)
    await poller.start(after: .zero)
    await feed.gate.untilHeld()
    // It waits for the poll after the one in progress.
    let isDone = await poller.pollNow {
      await poller.suspend()
      feed.gate.release()
    }
    #expect(!isDone)
    await poller.stop()
  }

  @Test func stoppingEndsAPollThatHangs() async throws {
    let feed = SlowFeed()
    let poller = ServerPoller(ServerRound(feed, sleep: hang), sleep: Delays().sleep)
    await poller.start(after: .zero)
    await feed.gate.untilHeld()
    #expect(await !poller.pollNow { await poller.stop() })
  }

  @Test func aPollThatHangsFailsAfterItsTimeout() async throws {
    let feed = SlowFeed()
    let delays = Delays()
    let (timeouts, timeout) = AsyncStream.makeStream(of: Duration.self)
    let poller = ServerPoller(
      ServerRound(feed) { duration in
        await feed.gate.untilHeld()
        timeout.yield(duration)
      }, sleep: delays.sleep)
    await poller.start(after: .zero)
    #expect(await timeouts.first { _ in true } == ServerRound.timeout)
    #expect(await delays.first() == .seconds(10))
    #expect(await poller.condition.failures == 1)
    await poller.stop()
  }

  @Test func aPollThatIgnoresItsCancellationIsAbandoned() async throws {
    let feed = StubbornFeed()
    let delays = Delays()
    let poller = ServerPoller(ServerRound(feed, sleep: feed.untilPolled), sleep: delays.sleep)
    await poller.start(after: .zero)
    #expect(await delays.first() == .seconds(10))
    for _ in 0..<4 { #expect(await !poller.pollNow()) }
    #expect(await poller.condition.failures == 5)
    // No others pile up behind them.
    #expect(feed.polls == ServerRound.mostAbandoned)
    await poller.stop()
    feed.release()
  }

  @Test func stoppingDoesNotWaitForAPollThatIgnoresIt() async throws {
    let feed = StubbornFeed()
    let poller = ServerPoller(ServerRound(feed, sleep: hang), sleep: Delays().sleep)
    await poller.start(after: .zero)
    await feed.untilPolled(.zero)
    await poller.stop()
    feed.release()
  }

  @Test func aServerSaysWhenToAskAgain() async {
    struct ThrottlingFeed: ServerFeed {
      let delay: Duration?

      func poll() async throws -> ServerPollResult {
        throw NetworkFailure(.throttled, "too many requests", retryAfter: delay)
      }

      func delay(after outcome: PollOutcome) async -> Duration { .seconds(10) }
    }
    for (asked, least) in [(nil, 20), (.seconds(600), 600), (.seconds(99_999_999), 3600)]
      as [(Duration?, Int64)]
    {
      let result = await ServerRound(ThrottlingFeed(delay: asked), sleep: hang).poll()
      #expect(result.failure != nil)
      #expect(result.delay == .usual(atLeast: .seconds(least)))
    }
  }

  /// Polls do not end, whether or not they are cancelled, before the test is over.
  private final class StubbornFeed: ServerFeed {
    private let held = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let begun = AsyncStream.makeStream(of: Void.self)

    var polls: Int { held.withLock { $0.count } }

    func poll() async throws -> ServerPollResult {
      await withCheckedContinuation { continuation in
        held.withLock { $0.append(continuation) }
        begun.continuation.yield()
      }
      return ServerPollResult()
    }

    @Sendable func untilPolled(_ timeout: Duration) async { _ = await begun.stream.first { _ in true } }

    func release() {
      for continuation in held.withLock({ $0 }) { continuation.resume() }
    }

    func delay(after outcome: PollOutcome) async -> Duration { .seconds(10) }
  }

  /// A poll is answered when the test says so, and always has more.
  private struct SlowFeed: ServerFeed {
    let gate = Gate()

    func poll() async throws -> ServerPollResult {
      await gate.wait()
      try Task.checkCancellation()
      return ServerPollResult(hasMore: true)
    }

    func delay(after outcome: PollOutcome) async -> Duration { .seconds(10) }
  }
}

/// Sleeps until its task is cancelled.
private let hang: @Sendable (Duration) async -> Void = { _ in
  for await _ in AsyncStream.makeStream(of: Void.self).stream {}
}

extension Poller {
  /// Polls now, and does something as soon as the wait for that has begun.
  fileprivate func pollNow(whileWaiting body: @escaping @Sendable () async -> Void) async -> Bool {
    // It runs on the actor, which is free once this call waits.
    Task { await body() }
    return await pollNow()
  }
}

/// A feed that fails a number of times, and then has more messages or not.
private final class ScriptedFeed: ServerFeed {
  struct Failure: Error {}

  private let hasMore: Bool
  private let failing: Int
  private let count = Mutex(0)

  init(hasMore: Bool, failing: Int = 0) {
    self.hasMore = hasMore
    self.failing = failing
  }

  var polls: Int { count.withLock { $0 } }

  func poll() async throws -> ServerPollResult {
    let number = count.withLock { count in
      count += 1
      return count
    }
    guard number > failing else { throw Failure() }
    return ServerPollResult(hasMore: hasMore)
  }

  func delay(after outcome: PollOutcome) async -> Duration { outcome == .done ? .seconds(10) : .seconds(1) }
}

/// The delays of a poller, which never end by themselves. Polls without a delay follow at once.
private final class Delays: Sendable {
  private let stream: AsyncStream<Duration>
  private let continuation: AsyncStream<Duration>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  var sleep: @Sendable (Duration) async -> Void {
    { [continuation] delay in
      guard delay > .zero else { return }
      continuation.yield(delay)
      for await _ in AsyncStream.makeStream(of: Void.self).stream {}
    }
  }

  func first() async -> Duration? { await stream.first { _ in true } }
}
