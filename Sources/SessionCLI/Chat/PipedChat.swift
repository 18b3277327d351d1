import Glibc
import SessionBase
import SessionCore
import SessionTerminal

/// A chat whose lines come from a file or a pipe, or from a terminal that cannot move its cursor.
final class PipedChat: ChatTerminal {
  let inputs: AsyncStream<ChatInput>
  private let io: CommandIO
  private let lines: PipedLines

  init(_ io: CommandIO) throws(CommandFailure) {
    self.io = io
    let lines = PipedLines(try WakingInput.reading(STDIN_FILENO), limit: InputLimits.message)
    self.lines = lines
    let queue = WorkerQueue("session.chat.input")
    inputs = AsyncStream {
      await queue.run { lines.next() }
    } onCancel: {
      lines.close()
    }
  }

  func show(_ output: CommandOutput) throws { try SessionTool.write(output, to: io) }

  func tell(_ line: String) { io.tell(line) }

  func setStatus(_ status: String) {}

  func giveBack(_ text: String, isText: Bool) {}

  func close() async -> String {
    lines.close()
    return ""
  }
}
