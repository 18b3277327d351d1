import SessionJobs
import Synchronization

/// A clock that stands still until it is advanced, unless it ticks.
final class VirtualClock: JobClock {
  private struct State {
    var now: Int64 = 1_700_000_000_000
    var sleepers: [Int: (time: Int64, continuation: CheckedContinuation<Void, Never>)] = [:]
    var next = 0
    var ticks = false
  }

  private let state = Mutex(State())

  var now: Int64 {
    state.withLock { state in
      if state.ticks { state.now += 1 }
      return state.now
    }
  }

  /// Makes each reading a millisecond later than the one before, as if all work took time.
  func tick(_ ticks: Bool) { state.withLock { $0.ticks = ticks } }

  /// The number of tasks that wait for a later time.
  var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// The number of tasks that wait for a time.
  func sleepers(until time: Int64) -> Int {
    state.withLock { state in state.sleepers.values.count { $0.time == time } }
  }

  /// Advances the time and resumes the sleepers whose time has come.
  func advance(by duration: Int64) {
    let woken = state.withLock { state in
      state.now += duration
      let woken = state.sleepers.filter { $0.value.time <= state.now }
      for number in woken.keys { state.sleepers[number] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  func sleep(until time: Int64) async {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if time <= state.now || Task.isCancelled { return true }
          state.sleepers[number] = (time, continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number)?.continuation }?.resume()
    }
  }
}

/// A machine's clock that is wrong.
struct WrongClock: JobClock {
  let clock: VirtualClock
  /// By how many milliseconds it is ahead.
  let error: Int64

  var now: Int64 { clock.now + error }
  func sleep(until time: Int64) async { await clock.sleep(until: time - error) }
}
