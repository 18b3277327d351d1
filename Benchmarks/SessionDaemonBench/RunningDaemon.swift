import Glibc
import Household
import Measuring

/// The daemon of a home, in a process of its own.
struct RunningDaemon {
  private let process: pid_t
  private let session: Program

  /// Starts it, and returns when it listens and all of these accounts are open.
  init(in home: Household, serving accounts: [String]) {
    session = home.session
    process = session.start(["daemon", "--allow-root"] + accounts.map { "--account=\($0)" })
    while access(home.socket, F_OK) != 0 { usleep(10_000) }
    let connection = LineConnection(to: home.socket)
    for account in accounts { connection.exchange(Call.line("account.show", "{\"account\":\"\(account)\"}")) }
  }

  func stop() {
    kill(process, SIGTERM)
    session.end(of: process)
  }

  /// The memory that it has now, in kilobytes.
  var memory: Int {
    let lines = OwnProcess.text(of: "/proc/\(process)/status").split(separator: "\n")
    let line = lines.first { $0.hasPrefix("VmRSS:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// How often its threads have waited for something.
  var wakeups: Int {
    OwnProcess.names(in: "/proc/\(process)/task").reduce(0) { sum, thread in
      let lines = OwnProcess.text(of: "/proc/\(process)/task/\(thread)/status").split(separator: "\n")
      let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return sum + (line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0)
    }
  }

  /// How many seconds the processor has worked for it.
  var computedSeconds: Double {
    let fields = OwnProcess.text(of: "/proc/\(process)/stat").split(separator: ")").last?.split(
      separator: " ")
    let ticks = fields.map { $0.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +) } ?? 0
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

/// A call as a line.
enum Call {
  static func line(_ method: String, _ params: String, id: Int = 1) -> [UInt8] {
    Array("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}\n".utf8)
  }
}
