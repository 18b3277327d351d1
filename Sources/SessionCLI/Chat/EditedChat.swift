import Glibc
import SessionBase
import SessionTerminal
import Synchronization

/// A chat at a terminal: the line that is typed stays below what is shown meanwhile.
final class EditedChat: ChatTerminal {
  let inputs: AsyncStream<ChatInput>
  private let orders = LineEditor.Orders()
  private let source: WakingInput
  private let resizing: SignalListener
  private let io: CommandIO

  /// Nil where standard input and output are no terminal that can move its cursor.
  init?(_ io: CommandIO) async throws(CommandFailure) {
    let type = io.environment["TERM"] ?? ""
    guard io.isTerminal, isatty(STDIN_FILENO) == 1, !type.isEmpty, type != "dumb" else { return nil }
    let source = try WakingInput.reading(STDIN_FILENO)
    let (orders, (inputs, telling)) = (orders, AsyncStream.makeStream(of: ChatInput.self))
    (self.source, self.inputs, self.io) = (source, inputs, io)
    resizing = SignalListener(SIGWINCH) {
      orders.add(.resize)
      source.wake()
    }
    LineEditor.start(source, orders, telling)
  }

  func show(_ output: CommandOutput) throws {
    var output = output
    output.data = output.wrapped(to: Terminal.columns(of: STDOUT_FILENO) ?? 80)
    give(.show(output.terminalText))
  }

  func tell(_ line: String) {
    let columns = Terminal.columns(of: STDOUT_FILENO) ?? 80
    give(.show(DisplayText.wrapped(line, to: columns) + "\n"))
  }

  func setStatus(_ status: String) { give(.setPrompt(status.isEmpty ? "> " : "\(status) > ")) }

  func giveBack(_ text: String, isText: Bool) { give(.giveBack(text, isText: isText)) }

  func close() async -> String {
    resizing.stop()
    give(.end)
    await orders.untilEnded()
    // Print the text that arrived after the line editor ended.
    for case .show(let text) in orders.take() { try? io.write(Array(text.utf8).span) }
    return orders.unsent
  }

  private func give(_ order: LineEditor.Orders.Order) {
    orders.add(order)
    source.wake()
  }
}

extension CommandOutput {
  /// Its text on a terminal.
  fileprivate var terminalText: String {
    let text = data.map { part in
      switch part {
      case .text(let text), .indented(let text): text
      case .heading(let text): "\u{1B}[1m\(text)\u{1B}[0m"
      case .bytes, .secret: ""
      }
    }
    return text.joined() + notes.map { $0 + "\n" }.joined()
  }
}
