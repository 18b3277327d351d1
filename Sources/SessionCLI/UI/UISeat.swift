import Glibc
import SessionBase
import SessionTerminal

/// The full-screen interface of this process: it stays while the program that holds the account changes.
struct UISeat: Sendable {
  let screen: FullScreen
  /// Ends when the terminal is as it was.
  let showing: Task<Void, Never>
  private let (resizing, resuming): (SignalListener, SignalListener)

  /// What a person chose on the command line.
  struct Choice: Sendable {
    var theme: Theme.Name?
    var usesMouse = true
    var maxCharacters: Int
  }

  /// The interface, if the terminal can show it.
  static func terminal(_ io: CommandIO) -> (RawTerminal, TerminalCapabilities)? {
    guard io.isTerminal, let capabilities = TerminalCapabilities(environment: io.environment),
      let terminal = RawTerminal(input: STDIN_FILENO, output: STDOUT_FILENO)
    else { return nil }
    return (terminal, capabilities)
  }

  init(
    account: String, on terminal: RawTerminal, _ capabilities: TerminalCapabilities, _ choice: Choice,
    _ io: CommandIO
  ) throws(CommandFailure) {
    let size = terminal.size ?? ScreenSize(columns: 80, rows: 24)
    var state = UIState(account: account, size: size, now: Int64(clamping: io.now()))
    state.hasBoxes = capabilities.hasBoxes
    state.maxCharacters = choice.maxCharacters
    var capabilities = capabilities
    if io.settings.colour == .never { capabilities.depth = .none }
    let (now, editor) = (io.now, TextEditor(io: io))
    let screen = FullScreen(
      state, on: terminal, try WakingInput.reading(STDIN_FILENO), capabilities, theme: choice.theme,
      usesMouse: choice.usesMouse, clock: { Int64(clamping: now()) }, edit: { await editor.edited($0) })
    self.screen = screen
    resizing = SignalListener(SIGWINCH) { screen.resize() }
    resuming = SignalListener(SIGCONT) { screen.resume() }
    showing = Task { await screen.run() }
  }

  /// Shows the terminal as it was.
  func close() async {
    screen.tell(.end)
    await showing.value
    for listener in [resizing, resuming] { listener.stop() }
  }
}
