import Glibc
import Synchronization

/// A terminal whose keys come one by one, and which is left as it was.
package final class RawTerminal: Sendable {
  private let input, output: Int32
  private let before: TerminalState
  private let state = Mutex(State())

  private struct State {
    var isEntered = false
    /// How often the terminal was told to tell all keys apart since it was entered: as often it is undone.
    var keyModes = 0
  }

  /// The settings of a terminal.
  // Sendable without the compiler's check: they are only copied, and the array of keys in them is no reference.
  private struct TerminalState: @unchecked Sendable {
    var settings = termios()
  }

  /// Nil if the descriptors are no terminal.
  package init?(input: Int32, output: Int32) {
    var before = TerminalState()
    guard isatty(output) == 1, tcgetattr(input, &before.settings) == 0 else { return nil }
    (self.input, self.output, self.before) = (input, output, before)
  }

  /// The size; nil if it is unknown.
  package var size: ScreenSize? {
    // A winsize: rows, columns, and two numbers of pixels.
    var size: [UInt16] = [0, 0, 0, 0]
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size[0] > 0, size[1] > 0 else { return nil }
    return ScreenSize(columns: Int(size[1]), rows: Int(size[0]))
  }

  /// Takes keys one by one, and shows the other screen.
  package func enter(mouse: Bool, asking: Bool) {
    state.withLock { state in
      var raw = before.settings
      raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
      raw.c_oflag &= ~tcflag_t(OPOST)
      raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN | ISIG)
      raw.c_cflag |= tcflag_t(CS8)
      withUnsafeMutableBytes(of: &raw.c_cc) { keys in
        keys[Int(VMIN)] = 1
        keys[Int(VTIME)] = 0
      }
      set(&raw)
      state.isEntered = true
      let text =
        TerminalModes.enter + (mouse ? TerminalModes.mouse : "") + (asking ? TerminalModes.questions : "")
      _ = put(Array(text.utf8))
    }
  }

  /// Has the terminal tell all keys apart.
  package func tellAllKeys() {
    state.withLock { state in
      guard state.isEntered else { return }
      state.keyModes += 1
      _ = put(Array(TerminalModes.keys.utf8))
    }
  }

  /// Shows what was there before, with the settings of before. Does nothing where that was done.
  package func leave() {
    state.withLock { state in
      guard state.isEntered else { return }
      let keys = state.keyModes > 0 ? TerminalModes.usualKeys(after: state.keyModes) : ""
      state = State()
      _ = put(Array((keys + TerminalModes.leave).utf8))
      var settings = before.settings
      set(&settings)
    }
  }

  private func set(_ settings: inout termios) {
    // A process in the background would be stopped by SIGTTOU.
    while tcsetattr(input, TCSADRAIN, &settings) != 0, errno == EINTR {}
  }

  /// True if the terminal takes more at once; a slow one is not waited for.
  package var isReady: Bool {
    var files = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    return poll(&files, 1, 0) > 0
  }

  /// Writes bytes while the terminal is entered. False if the terminal is gone.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in !state.isEntered || put(bytes) }
  }

  private func put(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var files = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        _ = poll(&files, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
