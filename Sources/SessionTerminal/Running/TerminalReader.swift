import SessionBase
import Synchronization

/// Reads a terminal on a thread of its own.
final class TerminalReader: Sendable {
  enum Arrival: Sendable {
    case input([InputEvent])
    case woken
    case end
  }

  private let source: WakingInput
  private let escapeWait: Int
  private let tell: @Sendable (Arrival) -> Void
  private let isWanted = Mutex(true)
  private let stopped = Latch()

  /// Starts to read. Nil if the system has no thread left.
  init?(_ source: WakingInput, escapeWait: Int, _ tell: @escaping @Sendable (Arrival) -> Void) {
    (self.source, self.escapeWait, self.tell) = (source, escapeWait, tell)
    guard OwnThread.start({ [self] in run() }) else { return nil }
  }

  /// Stops reading: another program may have the keys when this returns.
  func stop() async {
    isWanted.withLock { $0 = false }
    source.wake()
    // Also where this task is cancelled, the thread must not read on.
    await Task { [stopped] in await stopped.wait() }.value
  }

  private func run() {
    defer { stopped.open() }
    var decoder = InputDecoder()
    while isWanted.withLock({ $0 }) {
      let arrival: WakingInput.Arrival?
      if let patience = decoder.patience(escape: escapeWait) {
        arrival = source.wait(milliseconds: patience)
      } else {
        arrival = source.wait()
      }
      switch arrival {
      case nil: deliver(decoder.timeOut())
      case .woken: tell(.woken)
      case .bytes(let bytes): deliver(decoder.take(bytes))
      case .end: return tell(.end)
      }
    }
  }

  private func deliver(_ events: [InputEvent]) { if !events.isEmpty { tell(.input(events)) } }
}
