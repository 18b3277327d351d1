import CBench
import Household
import Measuring

/// Measures sending through a daemon that runs, from the start of the command to the message in the network.
enum SendingBench {
  private static let count = 60
  private static let (mostMilliseconds, mostComputed) = (35.0, 8.0)

  static func report(_ home: Household, to recipient: String, _ floor: DiskFloor) {
    stored(home, to: recipient, floor)
    queued(home, to: recipient, floor)
  }

  /// Calls that return when the message is committed, while nothing is sent.
  private static func queued(_ home: Household, to recipient: String, _ floor: DiskFloor) {
    let daemon = RunningDaemon(in: home, serving: ["alice"])
    let connection = LineConnection(to: home.socket)
    connection.check(Call.line("account.suspend", "{\"name\":\"alice\"}"))
    let line = Call.line("send", "{\"to\":\"\(recipient)\",\"text\":\"Hello\"}")
    connection.check(line)
    let times = (0..<200).map { _ in
      let begun = bench_seconds()
      connection.exchange(line)
      return (bench_seconds() - begun) * 1e3
    }
    printed(
      "daemon/send, queued, one at a time", times, floor: ("a page brought to the disk", floor.milliseconds),
      most: (floor.milliseconds + 2, nil))
    for count in [1, 8] {
      let connections = (0..<count).map { _ in LineConnection(to: home.socket) }
      let (each, rounds) = (32, 10)
      let begun = bench_seconds()
      for round in 0..<rounds {
        for connection in connections {
          for id in 0..<each {
            connection.write(
              Call.line("send", "{\"to\":\"\(recipient)\",\"text\":\"Hello\"}", id: round * each + id))
          }
        }
        for connection in connections { connection.read(lines: each) }
      }
      let rate = Double(count * each * rounds) / (bench_seconds() - begun)
      let most = 1e3 / floor.milliseconds
      print(
        "daemon/send, queued, pipelined over \(count) connections: \(rate.rounded(to: 0)) a second; one page each "
          + "brought to the disk \(most.rounded(to: 0)), ratio \((most / rate).rounded(to: 2)); target 1000: "
          + "\(judged(rate >= 1000))")
    }
    daemon.stop()
  }

  private static func stored(_ home: Household, to recipient: String, _ disk: DiskFloor) {
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
        + "\(used.rounded(to: 1)) ms, target \(mostComputed.rounded(to: 0)) ms: \(judged(used <= mostComputed)); "
        + "beyond the call \((time - call).rounded(to: 1)) ms, target 12 ms: \(judged(time - call <= 12))"
    )
    printed(
      "daemon/send, stored, the call alone", calls,
      floor: ("a page brought to the disk", disk.milliseconds),
      most: (5 * disk.milliseconds + 10, (0.95, 12 * disk.milliseconds + 20)))
    daemon.stop()
  }
}
