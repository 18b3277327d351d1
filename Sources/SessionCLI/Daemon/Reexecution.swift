import FoundationEssentials
import Glibc
import SessionDaemon

/// The start of this program anew, in the same process: what replaced its file is run.
struct Reexecution: Sendable {
  /// The file of this program, found before another one may replace it.
  private let program: String

  /// Nil where the system does not tell which file it is.
  init?() {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    program = path
  }

  /// Runs the program with the words of this process. Nothing of the process may be in use any more. Returns only if that
  /// fails.
  func run(keeping sockets: KeptSockets) -> CommandFailure {
    setenv(KeptSockets.variable, sockets.text, 1)
    // Signals are for the new program, which does not listen for them yet: one to read the settings again must not end it.
    signal(SIGHUP, SIG_IGN)
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    execv(program, CommandLine.unsafeArgv)
    return CommandFailure(
      status: .system, message: "cannot start \(program): \(String(cString: strerror(errno)))",
      advice: "To start the daemon, run: session daemon")
  }
}
