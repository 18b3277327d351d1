import CBench
import Glibc
import Household
import Measuring

/// Measures the way of events to programs that wait for them.
enum EventBench {
  private static let (once, many, connections) = (200, 1000, 20)
  private static let (stored, window, together) = (100_000, 1000, 500)

  static func report(_ home: Household) throws {
    let names = ["daemon/event to a subscriber", "daemon/event to 1,000 readers", "daemon/100,000 events"]
    guard names.contains(where: Figure.isWanted) else { return }
    home.account("readers")
    try home.fillEvents("readers", count: stored)
    let daemon = RunningDaemon(in: home, serving: ["readers"])
    if Figure.isWanted(names[2]) { replay(home, daemon) }
    if Figure.isWanted(names[0]) { reachOne(home) }
    if Figure.isWanted(names[1]) { reachMany(home, daemon) }
    daemon.stop()
  }

  /// An event that the account makes by itself.
  private static func happen(_ number: Int) -> [UInt8] {
    Call.line("profile.set", "{\"account\":\"readers\",\"name\":\"n\(number)\"}")
  }

  private static func subscribed(_ home: Household, _ params: String) -> LineConnection {
    let connection = LineConnection(to: home.socket)
    connection.check(Call.line("events.subscribe", "{\"account\":\"readers\"\(params)}"))
    return connection
  }

  /// From the reply to a change, which is committed then, to the event. The floor is an echo over a socket.
  private static func reachOne(_ home: Household) {
    let (caller, echo) = (LineConnection(to: home.socket), Echo.start())
    let reader = subscribed(home, "")
    var (times, floor): ([Double], [Double]) = ([], [])
    for number in 0..<once {
      caller.check(happen(number))
      let begun = bench_seconds()
      reader.read(lines: 1)
      times.append((bench_seconds() - begun) * 1e3)
      let line = happen(number)
      let sent = bench_seconds()
      echo.exchange(line)
      floor.append((bench_seconds() - sent) * 1e3)
    }
    printed(
      "daemon/event to a subscriber, behind its commit", times,
      floor: ("echo over a socket", floor.sorted().part(0.5)), most: (1, (0.99, 10)))
  }

  /// From the reply to a change to the event at the last of all readers. The floor is so many echoes.
  private static func reachMany(_ home: Household, _ daemon: RunningDaemon) {
    let before = daemon.memory
    let readers = (0..<connections).map { connection in
      let reader = LineConnection(to: home.socket)
      for number in 0..<many / connections {
        reader.check(
          Call.line(
            "events.subscribe", "{\"account\":\"readers\",\"reader\":\"m\(connection)-\(number)\"}"))
      }
      return reader
    }
    let idle = daemon.memory
    let (caller, echo) = (LineConnection(to: home.socket), Echo.start())
    var (times, floor): ([Double], [Double]) = ([], [])
    for number in 0..<20 {
      caller.check(happen(1_000_000 + number))
      let begun = bench_seconds()
      for reader in readers { reader.read(lines: many / connections) }
      times.append((bench_seconds() - begun) * 1e3)
      let sent = bench_seconds()
      for _ in 0..<many { echo.exchange([10]) }
      floor.append((bench_seconds() - sent) * 1e3)
    }
    printed(
      "daemon/event to 1,000 readers", times, floor: ("1,000 echoes", floor.sorted().part(0.5)),
      most: (300, nil))
    let most = 20 * 1024
    print(
      "daemon/1,000 idle readers: \(idle - before) KiB more, target \(most) KiB: \(judged(idle - before <= most)); "
        + "after \(times.count) events \(daemon.memory - before) KiB")
  }

  /// Many stored events to one reader, which acknowledges now and then. The floor is an echo of each.
  private static func replay(_ home: Household, _ daemon: RunningDaemon) {
    let before = daemon.memory
    let reader = subscribed(home, ",\"reader\":\"all\",\"from\":\"start\",\"window\":\(window)")
    let echo = Echo.start()
    var (most, count) = (before, 0)
    let begun = bench_seconds()
    while count < stored {
      // A line of a reply is among them after each acknowledgement.
      let last = reader.events(together)
      count += together
      reader.write(
        Call.line("events.ack", "{\"account\":\"readers\",\"reader\":\"all\",\"cursor\":\(last)}", id: count))
      if count % 10_000 == 0 { most = max(most, daemon.memory) }
    }
    let rate = Double(stored) / (bench_seconds() - begun)
    let sent = bench_seconds()
    for _ in 0..<10_000 { echo.exchange([10]) }
    let floor = 10_000 / (bench_seconds() - sent)
    let isMet = rate >= 10_000 && most - before <= 8 * 1024
    print(
      "daemon/100,000 events to a reader: \(rate.rounded(to: 0)) a second; echoes \(floor.rounded(to: 0)), ratio "
        + "\((floor / rate).rounded(to: 1)); \(most - before) KiB more; target 10000 a second and 8192 KiB: "
        + "\(judged(isMet))")
  }
}
