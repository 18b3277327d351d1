import SessionTerminal
import Synchronization

/// The lines of an input, one at a time: no more is read ahead than one read gives.
final class PipedLines: Sendable {
  private struct State {
    var unread: ArraySlice<UInt8> = []
    var number = 0
    var hasEnded = false
  }

  private let source: WakingInput
  private let limit: Int
  private let state = Mutex(State())
  private let isClosed = Mutex(false)

  init(_ source: WakingInput, limit: Int) { (self.source, self.limit) = (source, limit) }

  func close() {
    isClosed.withLock { $0 = true }
    source.wake()
  }

  /// The next line that is not empty; nil behind the last one. Blocks its thread.
  func next() -> ChatInput? {
    state.withLock { state in
      while let line = self.line(&state) {
        guard line.count <= limit else {
          state.hasEnded = true
          return .tooLong(line: state.number)
        }
        guard let text = String(validating: line, as: UTF8.self) else {
          state.hasEnded = true
          return .notText(line: state.number)
        }
        if !text.isEmpty { return .line(text) }
      }
      return nil
    }
  }

  /// A line without its end, or as much of one as shows that it is too long.
  private func line(_ state: inout State) -> [UInt8]? {
    guard !state.hasEnded else { return nil }
    var line: [UInt8] = []
    state.number += 1
    while true {
      let part = state.unread.prefix { $0 != UInt8(ascii: "\n") }
      line += part
      state.unread = state.unread.dropFirst(part.count)
      if state.unread.popFirst() != nil || line.count > limit { return line }
      switch source.wait() {
      case .bytes(let bytes): state.unread = bytes[...]
      case .woken:
        guard isClosed.withLock({ $0 }) else { continue }
        state.hasEnded = true
        return nil
      case .end:
        state.hasEnded = true
        return line
      }
    }
  }
}
