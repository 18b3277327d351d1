import Dispatch
import Glibc
import SessionCore
import Synchronization

/// A chat whose lines come from a file or a pipe, or from a terminal that cannot move its cursor.
final class PipedChat: ChatTerminal {
  let inputs: AsyncStream<ChatInput>
  private let io: CommandIO
  private let source: WakingInput
  private let isClosing = Mutex(false)

  init(_ io: CommandIO) throws(CommandFailure) {
    self.io = io
    let source = try WakingInput(STDIN_FILENO)
    let (inputs, telling) = AsyncStream.makeStream(of: ChatInput.self)
    (self.inputs, self.source) = (inputs, source)
    // A queue of its own, which is a thread of its own as long as this runs.
    DispatchQueue(label: "session.chat.input").async { [self] in
      read(telling)
      telling.finish()
    }
  }

  private func read(_ telling: AsyncStream<ChatInput>.Continuation) {
    var line: [UInt8] = []
    while !isClosing.withLock({ $0 }) {
      switch source.wait() {
      case .woken: continue
      case .end:
        tell(line, telling)
        return
      case .bytes(let bytes):
        for byte in bytes {
          if byte == UInt8(ascii: "\n") {
            tell(line, telling)
            line = []
          } else if line.count < InputLimits.message {
            line.append(byte)
          }
        }
      }
    }
  }

  /// Empty lines are none.
  private func tell(_ line: [UInt8], _ telling: AsyncStream<ChatInput>.Continuation) {
    if !line.isEmpty { telling.yield(.line(String(decoding: line, as: UTF8.self))) }
  }

  func show(_ output: CommandOutput) throws { try SessionTool.write(output, to: io) }

  func tell(_ line: String) { io.tell(line) }

  func setStatus(_ status: String) {}

  func close() async {
    isClosing.withLock { $0 = true }
    source.wake()
  }
}
