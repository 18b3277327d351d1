import Dispatch
import Synchronization

/// An answer that another thread gives, while the calling thread is blocked.
final class AwaitedAnswer<Answer: Sendable>: Sendable {
  private let answer = Mutex<Answer?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  /// The first answer counts.
  func give(_ new: Answer) {
    answer.withLock { $0 = $0 ?? new }
    isThere.signal()
  }

  /// Nil if there is none in time.
  func wait(for time: Duration) -> Answer? {
    let milliseconds = Int(clamping: Int64(time / .milliseconds(1)))
    _ = isThere.wait(timeout: .now() + .milliseconds(milliseconds))
    return answer.withLock { $0 }
  }
}
