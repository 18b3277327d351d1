import Synchronization

/// A number of things that may be there at a time.
final class Places: Sendable {
  private let limit: Int
  private let taken = Mutex(0)

  init(_ limit: Int) { self.limit = limit }

  /// Takes a place. False if there is none.
  func enter() -> Bool {
    taken.withLock { taken in
      guard taken < limit else { return false }
      taken += 1
      return true
    }
  }

  func leave() { taken.withLock { $0 -= 1 } }
}
