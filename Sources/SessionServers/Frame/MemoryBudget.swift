import Synchronization

/// How much memory requests may use at a time. Who finds too little left waits for its turn.
final class MemoryBudget: Sendable {
  private struct Waiting {
    let number: UInt64
    let bytes: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    var waiting: [Waiting] = []
    var lastNumber: UInt64 = 0
  }

  private let total: Int
  private let state: Mutex<State>

  init(_ bytes: Int) {
    total = bytes
    state = Mutex(State(free: bytes))
  }

  /// Does work for which so much is needed, or everything there is. Throws 503 where the task is cancelled before.
  func with<R>(_ bytes: Int, _ work: () async throws -> R) async throws -> R {
    let bytes = min(max(bytes, 0), total)
    guard await take(bytes) else { throw ServerRefusal.overloaded }
    defer { give(back: bytes) }
    return try await work()
  }

  private func take(_ bytes: Int) async -> Bool {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isTaken: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if state.waiting.isEmpty, state.free >= bytes {
            state.free -= bytes
            return true
          }
          state.waiting.append(Waiting(number: number, bytes: bytes, continuation: continuation))
          return nil
        }
        if let isTaken { continuation.resume(returning: isTaken) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      waiting?.continuation.resume(returning: false)
      // Whoever stood behind may need less.
      if waiting != nil { give(back: 0) }
    }
  }

  private func give(back bytes: Int) {
    let next = state.withLock { state in
      state.free += bytes
      var next: [Waiting] = []
      while let first = state.waiting.first, first.bytes <= state.free {
        state.free -= first.bytes
        next.append(state.waiting.removeFirst())
      }
      return next
    }
    for waiting in next { waiting.continuation.resume(returning: true) }
  }
}
