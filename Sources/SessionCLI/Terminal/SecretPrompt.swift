import Glibc
import SessionCore

/// Asks the person at the terminal, whatever the streams of the program are.
enum SecretPrompt {
  private static let limit = 4096

  /// What was typed, without the end of its line; nil where the program has no terminal.
  static func ask(_ question: String) throws(SessionError) -> [UInt8]? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var shown = termios()
    guard tcgetattr(terminal, &shown) == 0 else { return nil }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(terminal, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(terminal, TCSAFLUSH, &shown)
      put("\n", terminal)
    }
    put(question, terminal)
    return line(from: terminal)
  }

  private static func put(_ text: String, _ terminal: Int32) {
    let bytes = Array(text.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  private static func line(from terminal: Int32) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(limit)
    var byte: UInt8 = 0
    while line.count < limit, read(terminal, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return line
  }
}
