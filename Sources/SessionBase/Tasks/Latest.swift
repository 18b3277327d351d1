import Synchronization

/// A changing value and its readers. Slow readers get only the newest value.
package final class Latest<Value: Sendable & Equatable>: Sendable {
  private struct State {
    var value: Value
    var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
    var lastReader: UInt64 = 0
    var isFinished = false
  }

  private let state: Mutex<State>
  /// Held while sending, so that all readers get the values in order. It is not the lock of the state: resuming a reader
  /// waits for a cancellation of its task, whose handler takes the state's lock.
  private let turn = Mutex(())

  package init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  package var value: Value { state.withLock { $0.value } }

  package func set(_ value: Value) { turn.withLock { _ in tell(value) } }

  /// In one's turn alone.
  private func tell(_ value: Value) {
    let readers = state.withLock { state -> [AsyncStream<Value>.Continuation] in
      guard !state.isFinished, state.value != value else { return [] }
      state.value = value
      return Array(state.readers.values)
    }
    for reader in readers { reader.yield(value) }
  }

  /// The value as it is now, and each that comes after it; the stream ends when `finish()` is called.
  package func stream() -> AsyncStream<Value> {
    let (stream, reader) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    turn.withLock { _ in
      let (value, number) = state.withLock { state -> (Value, UInt64?) in
        guard !state.isFinished else { return (state.value, nil) }
        state.lastReader += 1
        state.readers[state.lastReader] = reader
        return (state.value, state.lastReader)
      }
      reader.yield(value)
      guard let number else { return reader.finish() }
      reader.onTermination = { [weak self] _ in
        self?.state.withLock { $0.readers[number] = nil }
      }
    }
    return stream
  }

  /// Sends a last value, and ends all streams.
  package func finish(_ value: Value) {
    turn.withLock { _ in
      tell(value)
      let readers = state.withLock { state in
        state.isFinished = true
        defer { state.readers = [:] }
        return state.readers.values
      }
      for reader in readers { reader.finish() }
    }
  }
}
