import Dispatch
import Glibc
public import SessionBase
import SessionCore
import Synchronization

/// The dependencies of a runner apart from its database.
public struct JobEnvironment: Sendable {
  public var clock: any JobClock
  /// A number from 0 up to 1, for the jitter of retry delays.
  public var chance: @Sendable () -> Double
  public var log: ClientLog

  public init(
    clock: any JobClock = SystemClock(), chance: @escaping @Sendable () -> Double = Self.random,
    log: ClientLog = .silent
  ) {
    self.clock = clock
    self.chance = chance
    self.log = log
  }

  /// Uses random numbers of the core.
  @Sendable public static func random() -> Double {
    var source = CoreRandom()
    return Double.random(in: 0..<1, using: &source)
  }
}

/// The time, and waiting for it.
public protocol JobClock: Sendable {
  /// Milliseconds since 1970.
  var now: Int64 { get }
  /// Returns at that time, after as much time as it was away, whatever the clock shows, or when the task is
  /// cancelled.
  func sleep(until time: Int64) async
}

/// The clock of the system.
public struct SystemClock: JobClock {
  public init() {}

  public var now: Int64 {
    Int64(clamping: MachineClock.wallMilliseconds)
  }

  public func sleep(until time: Int64) async {
    let alarm = Alarm()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in alarm.begin(time, in: time - now, continuation) }
    } onCancel: {
      alarm.end()
    }
  }

  /// Two timers, of which the first ends both: one for the clock, which may be set and continues while the machine
  /// sleeps, and one for elapsed time.
  // Sendable without the compiler's check: the timers are set under the lock, and may be cancelled from any thread.
  private final class Alarm: @unchecked Sendable {
    private enum State {
      case idle
      case waiting(CheckedContinuation<Void, Never>, [any DispatchSourceTimer])
      case over
    }

    /// The longest sleep requested from the system: a year.
    private static let longest: Int64 = 366 * 86_400_000

    private let state = Mutex(State.idle)

    func begin(_ time: Int64, in delay: Int64, _ continuation: CheckedContinuation<Void, Never>) {
      let isOver = state.withLock { state in
        if case .over = state { return true }
        let delay = min(max(delay, 0), Self.longest)
        let time = min(time, Self.longest * 1000)
        let wall = DispatchWallTime(
          timespec: timespec(tv_sec: Int(time / 1000), tv_nsec: Int(time % 1000) * 1_000_000))
        let timers = [makeTimer(), makeTimer()]
        timers[0].schedule(wallDeadline: wall, leeway: .nanoseconds(0))
        timers[1].schedule(deadline: .now() + .milliseconds(Int(delay)), leeway: .nanoseconds(0))
        state = .waiting(continuation, timers)
        for timer in timers { timer.activate() }
        return false
      }
      if isOver { continuation.resume() }
    }

    private func makeTimer() -> any DispatchSourceTimer {
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler { [weak self] in self?.end() }
      return timer
    }

    func end() {
      let before = state.withLock { state in
        defer { state = .over }
        return state
      }
      guard case .waiting(let continuation, let timers) = before else { return }
      for timer in timers { timer.cancel() }
      continuation.resume()
    }
  }
}
