import SessionBase
import Synchronization

/// Reports commits to observers.
///
/// Each observation holds at most one set of changes, which later ones join until it is fetched: that bounds the memory of
/// slow observers, and no writer waits for them.
public final class ObservationCenter: Sendable {
  private struct State {
    var observations: [Int: WeakObservation] = [:]
    var next = 0
  }

  private struct WeakObservation {
    weak var observation: Observation?
  }

  private let state = Mutex(State())

  /// Observes keys from now on, as long as the observation is retained.
  public func observe(_ keys: some Sequence<ObservationKey>) -> Observation {
    state.withLock { state in
      let number = state.next
      state.next += 1
      let observation = Observation(of: Set(keys)) { [weak self] in self?.forget(number) }
      state.observations[number] = WeakObservation(observation: observation)
      return observation
    }
  }

  public func observe(_ keys: ObservationKey...) -> Observation { observe(keys) }

  /// Reports a change of state outside the database, such as that of the network.
  public func announce(_ key: ObservationKey, _ kind: ChangeSet.Kind = .updated) {
    var changes = ChangeSet()
    changes.note(kind, key)
    deliver(changes)
  }

  /// Passes changes to all matching observations, the oldest first, so that a task that is woken by one finds them
  /// in all older ones. The caller ensures the order of changes.
  func deliver(_ changes: ChangeSet) {
    guard !changes.isEmpty else { return }
    for observation in retained { observation.take(changes) }
  }

  /// Ends all observations.
  func finish() {
    for observation in retained { observation.finish() }
  }

  /// The observations that are still there, the oldest first.
  var retained: [Observation] {
    // The caller keeps them, so that none can go, and call back, inside of the lock.
    state.withLock { state in
      state.observations.sorted { $0.key < $1.key }.compactMap(\.value.observation)
    }
  }

  var count: Int { state.withLock { $0.observations.count } }

  private func forget(_ number: Int) { state.withLock { $0.observations[number] = nil } }
}

/// The changes of observed keys since they were last fetched, as a sequence for one task.
public final class Observation: AsyncSequence, Sendable {
  private struct State {
    var pending: ChangeSet?
    var waiter: CheckedContinuation<ChangeSet?, Never>?
    var isFinished = false
  }

  private let keys: Set<ObservationKey>
  private let ended: @Sendable () -> Void
  private let state = Mutex(State())

  init(of keys: Set<ObservationKey>, ended: @escaping @Sendable () -> Void) {
    self.keys = keys
    self.ended = ended
  }

  deinit { ended() }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let observation: Observation

    public mutating func next() async -> ChangeSet? { await observation.next() }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(observation: self) }

  /// The changes since the last call, as soon as there are any. Nil at the end, or if the task was cancelled.
  public func next() async -> ChangeSet? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (changes, replaced) = state.withLock {
          state -> (ChangeSet??, CheckedContinuation<ChangeSet?, Never>?) in
          if let pending = state.pending {
            state.pending = nil
            return (.some(pending), nil)
          }
          if state.isFinished || Task.isCancelled { return (.some(nil), nil) }
          let replaced = state.waiter
          state.waiter = continuation
          return (nil, replaced)
        }
        // One task reads; a second one takes over from the first.
        replaced?.resume(returning: nil)
        if let changes { continuation.resume(returning: changes) }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume(returning: nil)
    }
  }

  /// The changes since the last call, without waiting; nil for none.
  public func fetch() -> ChangeSet? { state.withLock { $0.pending.take() } }

  fileprivate func take(_ changes: ChangeSet) {
    guard let changes = changes.narrowed(to: keys) else { return }
    let waiter = state.withLock { state -> CheckedContinuation<ChangeSet?, Never>? in
      guard !state.isFinished else { return nil }
      if let waiter = state.waiter.take() { return waiter }
      if state.pending == nil { state.pending = changes } else { state.pending?.append(changes) }
      return nil
    }
    waiter?.resume(returning: changes)
  }

  fileprivate func finish() {
    state.withLock { state in
      state.isFinished = true
      return state.waiter.take()
    }?.resume(returning: nil)
  }
}
