import Synchronization

/// How far the messages are that nodes gave since the messenger was started.
public struct Intake: Hashable, Sendable {
  /// How many nodes gave.
  public internal(set) var given = 0
  /// How many of those are dealt with: kept, or known already, or not for this device.
  public internal(set) var taken = 0
  /// Whether the node that was asked last has more than it gave.
  public internal(set) var hasMore = false
}

/// Who wants to know how the intake goes; nothing of it is kept.
final class IntakeBoard: Sendable {
  private struct State {
    var intake = Intake()
    var readers: [Int: AsyncStream<Intake>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// How it is, and then each change; whoever is slow misses those in between.
  func stream() -> AsyncStream<Intake> {
    let (stream, telling) = AsyncStream.makeStream(of: Intake.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      telling.yield(state.intake)
      state.next += 1
      state.readers[state.next] = telling
      return state.next
    }
    telling.onTermination = { [weak self] _ in
      self?.state.withLock { $0.readers[number] = nil }
    }
    return stream
  }

  func change(_ body: (inout Intake) -> Void) {
    state.withLock { state in
      body(&state.intake)
      for reader in state.readers.values { reader.yield(state.intake) }
    }
  }

  /// No more is told.
  func finish() {
    let readers = state.withLock { Array($0.readers.values) }
    for reader in readers { reader.finish() }
  }
}
