import Glibc
import Synchronization

/// The connections of a server, and by when something has to have come of each.
///
/// The library knows how long a connection is silent; one on which a byte comes now and then is never silent.
final class Guests: Sendable {
  private let deadlines = Mutex<[Int32: ContinuousClock.Instant?]>([:])

  func expect(by timeout: Duration, from descriptor: Int32) {
    let deadline = ContinuousClock.now + timeout
    deadlines.withLock { $0[descriptor] = .some(deadline) }
  }

  /// Nothing is expected while a handler works.
  func excuse(_ descriptor: Int32) { deadlines.withLock { $0[descriptor] = .some(nil) } }

  /// To be called before the socket is closed.
  func forget(_ descriptor: Int32) { deadlines.withLock { $0[descriptor] = nil } }

  func hangUpOnTheLate() {
    let now = ContinuousClock.now
    deadlines.withLock { deadlines in
      for (descriptor, deadline) in deadlines where (deadline ?? now) < now {
        shutdown(descriptor, Int32(SHUT_RDWR))
        deadlines[descriptor] = .some(nil)
      }
    }
  }
}
