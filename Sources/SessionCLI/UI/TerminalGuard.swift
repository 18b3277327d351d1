import Glibc
import SessionTerminal

/// The parent of the full-screen interface: it holds the terminal alone, and restores it however the interface ends.
struct TerminalGuard {
  /// Tells the interface that this process waits for it.
  private static let variable = "SESSION_UI_GUARD"

  /// Runs the interface in a process of its own, and returns how the command ends. Nil in that process, and where there
  /// can be none: then the interface runs here.
  static func run(_ io: CommandIO) async throws -> ExitCode? {
    guard io.environment[variable] != "\(getppid())" else { return nil }
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
    var environment = io.environment
    environment[variable] = "\(getpid())"
    // The trace of a crash would be written over the screen, for as long as its symbols are looked up.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let process = ForegroundProcess(
      program: "/proc/self/exe", arguments: CommandLine.arguments, environment: environment)
    guard let end = await process.run() else { return nil }
    switch end {
    case .exited(let status): return ExitCode(rawValue: status) ?? .software
    case .killed(let signal):
      let leave = Array(TerminalModes.leave.utf8)
      _ = write(STDOUT_FILENO, leave, leave.count)
      while tcsetattr(STDIN_FILENO, TCSADRAIN, &before) != 0, errno == EINTR {}
      throw CommandFailure(
        status: .software, message: "the interface ended by signal \(signal); the terminal is restored",
        advice: "Messages are kept. 'session doctor' looks for problems.")
    }
  }
}
