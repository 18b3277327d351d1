import Synchronization

/// How much memory requests may use at a time.
///
/// A request says how much it may need, and is charged for what it has: a peer that announces a large body and sends
/// nothing holds nothing. A request that finds too little left waits. Large requests never get so much that none of
/// them could get the rest of what it may need, so they cannot block each other. Small requests have a part of the
/// memory of their own, so they never wait for large ones.
package final class MemoryBudget: Sendable {
  /// Small requests need no more than this part of all, and have the first of these parts.
  private static let smallShare = 256
  private static let smallPart = 4

  private let smallLimit: Int
  private let small: MemoryPool
  private let large: MemoryPool

  package init(_ bytes: Int) {
    let part = bytes / Self.smallPart
    smallLimit = min(bytes / Self.smallShare, part)
    small = MemoryPool(part)
    large = MemoryPool(bytes - part)
  }

  /// Bytes that requests are charged for.
  package var used: Int { small.used + large.used }

  /// Runs work that uses up to `most` bytes of memory, and releases them at the end. `isLarge` counts it among the
  /// large requests, however little it needs.
  package func with<R>(
    upTo most: Int, isLarge: Bool = false, _ work: (MemoryShare) async throws -> R
  ) async rethrows -> R {
    let pool = most <= smallLimit && !isLarge ? small : large
    let share = MemoryShare(upTo: most, of: pool)
    defer { share.end() }
    return try await work(share)
  }
}

/// The memory of one request.
package final class MemoryShare: Sendable {
  private let pool: MemoryPool
  private let number: UInt64

  init(upTo most: Int, of pool: MemoryPool) {
    self.pool = pool
    number = pool.open(upTo: most)
  }

  /// Waits until there are so many bytes, and takes them. Throws if the task is cancelled first.
  package func take(_ bytes: Int) async throws(CancellationError) {
    guard await pool.take(bytes, for: number) else { throw CancellationError() }
  }

  func end() { pool.close(number) }
}

/// Memory that several requests share.
final class MemoryPool: Sendable {
  private struct Use {
    let most: Int
    var bytes = 0

    /// The rest of its announced need; zero if it has taken more.
    var rest: Int { max(most - bytes, 0) }
  }

  private struct Waiting {
    let number: UInt64
    let bytes: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    let total: Int
    var free: Int
    var uses: [UInt64: Use] = [:]
    /// In order of arrival; each request occurs at most once.
    var waiting: [Waiting] = []
    var lastNumber: UInt64 = 0

    /// Takes bytes, unless the requests that have some could then block each other.
    mutating func take(_ bytes: Int, for number: UInt64) -> Bool {
      guard bytes <= free, var use = uses[number] else { return false }
      // The rest that a request may need is never more than what is left when all others have ended.
      use.bytes += bytes
      guard isSafe(with: use, of: number, free: free - bytes) else { return false }
      uses[number] = use
      free -= bytes
      return true
    }

    /// True if all requests that have memory can get the rest of what they need, one after the other.
    private func isSafe(with use: Use, of number: UInt64, free: Int) -> Bool {
      var free = free
      var holders = uses.filter { $0.key != number && $0.value.bytes > 0 }.map(\.value)
      holders.append(use)
      for holder in holders.sorted(by: { $0.rest < $1.rest }) {
        guard holder.rest <= free else { return false }
        free += holder.bytes
      }
      return true
    }

    /// Gives memory to those that wait for it and can have it now.
    mutating func serve() -> [Waiting] {
      var (served, left): ([Waiting], [Waiting]) = ([], [])
      for next in waiting {
        if take(next.bytes, for: next.number) { served.append(next) } else { left.append(next) }
      }
      waiting = left
      return served
    }
  }

  private let state: Mutex<State>

  init(_ bytes: Int) { state = Mutex(State(total: bytes, free: bytes)) }

  var used: Int { state.withLock { $0.total - $0.free } }

  func open(upTo most: Int) -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      state.uses[state.lastNumber] = Use(most: min(max(most, 0), state.total))
      return state.lastNumber
    }
  }

  /// False if the task is cancelled before there is room. A request gets no more than all there is.
  func take(_ wanted: Int, for number: UInt64) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isTaken: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          let held = state.uses[number]?.bytes ?? 0
          let bytes = min(max(wanted, 0), state.total - held)
          if state.take(bytes, for: number) { return true }
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
    }
  }

  func close(_ number: UInt64) {
    let served = state.withLock { state in
      state.free += state.uses.removeValue(forKey: number)?.bytes ?? 0
      return state.serve()
    }
    for waiting in served { waiting.continuation.resume(returning: true) }
  }
}
