import Glibc
import Synchronization

/// A terminal whose keys come one by one, and which is left as it was.
package final class RawTerminal: Sendable {
  private let input, output: Int32
  /// The terminal once more, so that writing never waits; the output itself where it cannot be opened.
  private let drawing: Int32
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
    // Other programs share the output: whether it waits is not changed for them.
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    let isNamed = ttyname_r(output, &name, name.count) == 0
    let opened = isNamed ? open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    drawing = opened >= 0 ? opened : output
  }

  deinit { if drawing != output { close(drawing) } }

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

  /// Shows what was there before, with the settings of before. Does nothing where that was done. A terminal that takes nothing
  /// gets its settings alone.
  package func leave() {
    state.withLock { state in
      guard state.isEntered else { return }
      let keys = state.keyModes > 0 ? TerminalModes.usualKeys(after: state.keyModes) : ""
      state = State()
      let isWritten = put(Array((keys + TerminalModes.leave).utf8))
      var settings = before.settings
      // Otherwise it would be waited for what it does not take.
      set(&settings, isWritten ? TCSADRAIN : TCSANOW)
    }
  }

  private func set(_ settings: inout termios, _ time: Int32 = TCSADRAIN) {
    // A process in the background would be stopped by SIGTTOU.
    while tcsetattr(input, time, &settings) != 0, errno == EINTR {}
  }

  /// True if the terminal takes more at once; a slow one is not waited for.
  package var isReady: Bool { isReady(within: 0) }

  private func isReady(within milliseconds: Int32) -> Bool {
    var files = pollfd(fd: drawing, events: Int16(POLLOUT), revents: 0)
    return poll(&files, 1, milliseconds) > 0
  }

  /// Writes what the terminal takes now, while it is entered, and returns the rest. Nil if the terminal is gone.
  package func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    state.withLock { state in state.isEntered ? taken(bytes) : [] }
  }

  private func taken(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(drawing, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        return rest
      } else if errno != EINTR {
        return nil
      }
    }
    return rest
  }

  /// How long the few bytes that enter and leave the terminal are tried, in milliseconds.
  private static let patience: Int32 = 500

  /// Writes all bytes, unless the terminal takes nothing for so long, or is gone.
  private func put(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while let left = taken(rest) {
      guard !left.isEmpty else { return true }
      rest = left
      guard isReady(within: Self.patience) else { return false }
    }
    return false
  }
}
