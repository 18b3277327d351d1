import Household
import Measuring

/// Measures calls over one connection, beside an echo over another.
enum CallBench {
  static func report(_ home: Household) {
    let daemon = RunningDaemon(in: home, serving: ["alice"])
    let (connection, echo) = (LineConnection(to: home.socket), Echo.start())
    let person = Household.person(1)
    let cases: [(name: String, line: [UInt8], count: Int, most: Double)] = [
      ("ping", Call.line("daemon.ping", "{}"), 2000, 200),
      ("chats, 100 conversations", Call.line("chats", "{}"), 50, 500),
      ("show, 50 messages", Call.line("show", "{\"chat\":\"\(person)\",\"limit\":50}"), 50, 500),
    ]
    for (name, line, count, most) in cases where Figure.isWanted("daemon/\(name)") {
      connection.check(line)
      Figure(
        name: "daemon/\(name), one at a time", floorName: "echo over a socket", amount: Double(count),
        goal: .atMost(most), isElapsed: true
      ).run {
        for _ in 0..<count { connection.exchange(line) }
      } floor: {
        for _ in 0..<count { echo.exchange(line) }
      }
    }
    if Figure.isWanted("daemon/ping, pipelined") {
      let count = 2000
      let lines = (0..<count).flatMap { Call.line("daemon.ping", "{}", id: $0) }
      Figure(
        name: "daemon/ping, pipelined", floorName: "echo over a socket", amount: Double(count),
        goal: .atMost(33), isElapsed: true
      ).run {
        pipeline(lines, over: connection)
      } floor: {
        pipeline(lines, over: echo)
      }
    }
    daemon.stop()
  }

  /// Writes the lines in pieces that fit into the socket, and reads the replies of each before the next.
  private static func pipeline(_ lines: [UInt8], over connection: LineConnection) {
    var rest = lines[...]
    while !rest.isEmpty {
      var end = min(rest.startIndex + 16384, rest.endIndex)
      while rest[end - 1] != UInt8(ascii: "\n") { end -= 1 }
      let piece = Array(rest[..<end])
      connection.write(piece)
      connection.read(lines: piece.count { $0 == UInt8(ascii: "\n") })
      rest = rest[end...]
    }
  }
}
