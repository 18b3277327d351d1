import Synchronization

/// A value that changes, and who is told of it: whoever reads slowly is told of the newest alone.
final class Latest<Value: Sendable & Equatable>: Sendable {
  private struct State {
    var value: Value
    var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
    var lastReader: UInt64 = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  var value: Value { state.withLock { $0.value } }

  func set(_ value: Value) {
    state.withLock { state in
      guard !state.isFinished, state.value != value else { return }
      state.value = value
      for reader in state.readers.values { reader.yield(value) }
    }
  }

  /// The value as it is now, and each that comes after it; the stream ends when `finish()` is called.
  func stream() -> AsyncStream<Value> {
    let (stream, reader) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      reader.yield(state.value)
      guard !state.isFinished else { return reader.finish() }
      state.lastReader += 1
      state.readers[state.lastReader] = reader
      let number = state.lastReader
      reader.onTermination = { [weak self] _ in
        self?.state.withLock { $0.readers[number] = nil }
      }
    }
    return stream
  }

  /// Tells of a last value, and ends all streams.
  func finish(_ value: Value) {
    set(value)
    let readers = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return state.readers.values
    }
    // Outside the lock: ending a stream calls back.
    for reader in readers { reader.finish() }
  }
}
