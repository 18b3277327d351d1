import SessionBase
import Synchronization

/// The input of a chat. The next reader gets the input that a cancelled reader did not take, and nothing is read in
/// advance.
final class LastingInputs: Sendable {
  private struct State {
    /// Those that were read and not taken, in order.
    var waiting: [ChatInput] = []
    var isWanted = false
    var isOver = false
    var change = Latch()
  }

  private let state = Mutex(State())

  init(_ inputs: AsyncStream<ChatInput>) {
    Task { [self] in
      var iterator = inputs.makeAsyncIterator()
      while true {
        await wait { $0.isWanted }
        guard let input = await iterator.next() else { break }
        change { state in
          state.waiting.append(input)
          state.isWanted = false
        }
      }
      change { $0.isOver = true }
    }
  }

  /// The next input; nil at the end, and when the task is cancelled. One task at a time asks.
  func next() async -> ChatInput? {
    change { state in if state.waiting.isEmpty { state.isWanted = true } }
    await wait { !$0.waiting.isEmpty || $0.isOver }
    guard !Task.isCancelled else { return nil }
    return state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Gives inputs that were not carried out to the next reader.
  func putBack(_ inputs: [ChatInput]) { change { $0.waiting = inputs + $0.waiting } }

  private func change(_ body: (inout State) -> Void) {
    let before = state.withLock { state in
      body(&state)
      defer { state.change = Latch() }
      return state.change
    }
    before.open()
  }

  /// Returns when a condition holds, or the task is cancelled.
  private func wait(until holds: (State) -> Bool) async {
    while !Task.isCancelled {
      let (isDone, change) = state.withLock { (holds($0), $0.change) }
      guard !isDone else { return }
      await change.wait()
    }
  }
}
