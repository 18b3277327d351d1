import Glibc
import SessionBase
import SessionCore
import SessionTerminal

/// Prompts on the terminal, even if standard streams are redirected.
enum TerminalPrompt {
  private static let limit = 4096

  /// Returns the typed line, which is not shown, without its end; nil without a terminal.
  ///
  /// Cancellation ends the wait at once with a `CancellationError`. The terminal's echo is restored in every case.
  static func askSecret(_ question: String) async throws -> [UInt8]? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return nil }
    let (shown, input) = (before, try WakingInput.reading(terminal))
    return try await cancelledBySignals {
      hide(shown, terminal)
      defer {
        show(shown, terminal)
        put("\n", terminal)
      }
      put(question, terminal)
      return try await line(from: input)
    }
  }

  /// Returns the typed line without its end; nil without a terminal. Cancellation ends the wait.
  static func askLine(_ question: String) async throws -> String? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    guard isatty(terminal) == 1 else { return nil }
    let input = try WakingInput.reading(terminal)
    return try await cancelledBySignals {
      // What was typed before the question is no answer to it.
      tcflush(terminal, TCIFLUSH)
      put(question, terminal)
      return String(decoding: try await line(from: input), as: UTF8.self)
    }
  }

  private static func hide(_ shown: termios, _ terminal: Int32) {
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // A program that is stopped, or left with its memory on the disk, could not show anything again.
    withUnsafeMutableBytes(of: &hidden.c_cc) { keys in
      for key in [VSUSP, VQUIT] { keys[Int(key)] = 0 }
    }
    tcsetattr(terminal, TCSAFLUSH, &hidden)
  }

  private static func show(_ shown: termios, _ terminal: Int32) {
    var shown = shown
    tcsetattr(terminal, TCSAFLUSH, &shown)
  }

  private static func put(_ text: String, _ terminal: Int32) {
    let bytes = Array(text.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  private static func line(from input: WakingInput) async throws -> [UInt8] {
    let queue = WorkerQueue("session.prompt")
    var line: [UInt8] = []
    line.reserveCapacity(limit)
    while line.count < limit {
      let arrival = await withTaskCancellationHandler {
        await queue.run { input.wait() }
      } onCancel: {
        input.wake()
      }
      try Task.checkCancellation()
      guard case .bytes(var bytes) = arrival else {
        if case .end = arrival { break }
        continue
      }
      defer { bytes.wipe() }
      let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
      line += bytes[..<(end ?? bytes.count)]
      if end != nil { break }
    }
    return line
  }
}
