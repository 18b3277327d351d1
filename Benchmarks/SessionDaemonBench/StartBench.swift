import CBench
import Glibc
import Household
import Measuring

/// Measures how long a daemon takes to begin.
enum StartBench {
  private static let count = 10

  /// `names` are accounts that are there.
  static func report(_ home: Household, _ names: [String]) {
    let nothing = Program(path: "/bin/true")
    let floor = (0..<count).map { _ in nothing.run([]) * 1e3 }.sorted().part(0.5)
    if Figure.isWanted("daemon/start") {
      for (accounts, most) in [(Array(names.prefix(1)), 150.0), (names, 5000)] {
        let times = (0..<(accounts.count == 1 ? count : 3)).map { _ in
          let begun = bench_seconds()
          let daemon = RunningDaemon(in: home, serving: accounts)
          let time = (bench_seconds() - begun) * 1e3
          daemon.stop()
          return time
        }
        printed(
          "daemon/start, \(accounts.count) accounts open", times,
          floor: ("a program that does nothing", floor),
          most: (most, nil))
      }
    }
    if Figure.isWanted("daemon/activation") {
      let times = (0..<count).map { _ in activation(home) }
      printed(
        "daemon/activation, first byte", times, floor: ("a program that does nothing", floor),
        most: (250, nil))
    }
  }

  /// From a connection to a socket that listens already to the first reply.
  private static func activation(_ home: Household) -> Double {
    let listener = LineConnection.listen(at: home.socket)
    let connection = LineConnection(to: home.socket)
    let begun = bench_seconds()
    connection.write(Call.line("daemon.ping", "{}"))
    var shell = Program(path: "/bin/sh", environment: home.session.environment)
    shell.inherited = listener
    let process = shell.start([
      "-c", "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=rpc exec \"$@\"", "sh", home.session.path, "daemon",
      "--allow-root", "--account=alice",
    ])
    connection.read(lines: 1)
    let time = (bench_seconds() - begun) * 1e3
    kill(process, SIGTERM)
    shell.end(of: process)
    close(listener)
    unlink(home.socket)
    return time
  }
}
