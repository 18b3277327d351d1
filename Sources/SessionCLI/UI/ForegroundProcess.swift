import Glibc
import SessionBase
import Synchronization

/// A program that has the terminal of this one while this one waits for it.
struct ForegroundProcess: Sendable {
  /// How a program ended.
  enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  /// A path, or a name that is looked for in PATH.
  let program: String
  /// With the name of the program.
  let arguments: [String]
  let environment: [String: String]

  /// Runs the program to its end; nil if it cannot be started. SIGTERM and SIGHUP are passed on to it.
  func run() async -> End? {
    guard let process = start() else { return nil }
    let listeners = [SIGTERM, SIGHUP].map { number in SignalListener(number) { _ = kill(process, number) } }
    defer { for listener in listeners { listener.stop() } }
    return await WorkerQueue("session.foreground").run {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else { return nil }
      }
      // The macros of <sys/wait.h>, which Swift does not see.
      let signal = status & 0x7F
      return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
    }
  }

  private func start() -> pid_t? {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this program listens for, and what it ignores, is its own affair.
    var (usual, none) = (sigset_t(), sigset_t())
    sigfillset(&usual)
    sigdelset(&usual, SIGKILL)
    sigdelset(&usual, SIGSTOP)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let words = arguments.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    guard posix_spawnp(&process, program, nil, &attributes, words, variables) == 0 else { return nil }
    return process
  }
}
