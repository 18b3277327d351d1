import CBench
import Household
import Measuring

/// Measures sending through a daemon that runs, from the start of the command to the message in the network.
enum SendingBench {
  private static let count = 60
  private static let (mostMilliseconds, mostComputed) = (35.0, 8.0)

  static func report(_ home: Household, to recipient: String) {
    let daemon = RunningDaemon(in: home, serving: ["alice"])
    let connection = LineConnection(to: home.socket)
    var (ours, computed, calls, idle): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    let nothing = Program(path: "/bin/true")
    for number in 0..<count + 5 {
      let cost = home.session.cost(of: ["send", recipient, "--account", "alice", "--wait", "stored", "Hello"])
      let begun = bench_seconds()
      connection.exchange(
        Call.line("send", "{\"to\":\"\(recipient)\",\"text\":\"Hello\",\"wait\":\"stored\"}"))
      let called = bench_seconds() - begun
      let least = nothing.run([])
      // The first ones find the way.
      guard number >= 5 else { continue }
      ours.append(cost.elapsed * 1e3)
      computed.append(cost.computed * 1e3)
      calls.append(called * 1e3)
      idle.append(least * 1e3)
    }
    let (time, used) = (ours.sorted().part(0.5), computed.sorted().part(0.5))
    let (call, floor) = (calls.sorted().part(0.5), idle.sorted().part(0.5))
    print(
      "daemon/send, process start to stored: p50 \(time.rounded(to: 1)) ms, p95 "
        + "\(ours.sorted().part(0.95).rounded(to: 1)) ms; the call alone \(call.rounded(to: 1)) ms and a program that "
        + "does nothing \(floor.rounded(to: 2)) ms, ratio \((time / (call + floor)).rounded(to: 1)); target "
        + "\(mostMilliseconds.rounded(to: 0)) ms: \(judged(time <= mostMilliseconds)); processor "
        + "\(used.rounded(to: 1)) ms, target \(mostComputed.rounded(to: 0)) ms: \(judged(used <= mostComputed))"
    )
    daemon.stop()
  }
}
