import Glibc
import SessionBase
import SessionDaemon

/// What a daemon leaves to the same program started anew.
struct Handover: Sendable {
  /// The sockets that go on listening.
  let sockets: KeptSockets
  let accounts: KeptAccounts
}

/// The start of this program anew, in the same process: what replaced its file is run.
struct Reexecution: Sendable {
  let program: ProgramFile

  /// Runs the program with the words of this process. Nothing of the process may be in use any more. Returns only if that
  /// fails.
  func run(_ handover: Handover) -> CommandFailure {
    let accounts: (text: String, keys: PassedFile)
    do { accounts = try handover.accounts.handedOver() } catch { return CommandFailure(error) }
    defer { withExtendedLifetime(accounts.keys) {} }
    setenv(KeptSockets.variable, handover.sockets.text, 1)
    setenv(KeptAccounts.variable, accounts.text, 1)
    setenv(KeptLocks.variable, KeptLocks.handedOver(), 1)
    // Signals are for the new program, which does not listen for them yet: one to read the settings again must not end it.
    signal(SIGHUP, SIG_IGN)
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    execv(program.path, CommandLine.unsafeArgv)
    return CommandFailure(
      status: .system, message: "cannot start \(program.path): \(String(cString: strerror(errno)))",
      advice: "To start the daemon, run: session daemon")
  }
}
