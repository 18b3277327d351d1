import Measuring
import SessionBase
import SessionCore

/// How fast a server answered.
struct LoadRate {
  /// Requests a second.
  let rate: Double
  /// The milliseconds that half of them and 99 of a hundred took at most.
  let p50, p99: Double
}

extension LoadClient {
  /// Sends requests as fast as they are answered, or at a steady pace, and writes how fast that was to a file, if the
  /// arguments say so; false if they do not.
  static func measure(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 9, ["--rate", "--paced"].contains(arguments[1]),
      let mode = Mode(rawValue: arguments[2]), let count = Int(arguments[5]), let rate = Double(arguments[7])
    else { return false }
    var client = try LoadClient(arguments[3], arguments[4])
    client.room = arguments[6]
    let measured =
      arguments[1] == "--rate"
      ? try client.measure(mode, count) : try client.pace(count, rate: rate)
    let text = "\(measured.rate) \(measured.p50) \(measured.p99)"
    try PendingFile.write(Array(text.utf8).span, to: arguments[8])
    return true
  }

  /// As fast as they are answered.
  private func measure(_ mode: Mode, _ count: Int) throws -> LoadRate {
    guard mode != .catchUp else {
      let start = ContinuousClock.now
      try catchUp(count)
      return LoadRate(rate: Double(count) / (ContinuousClock.now - start).seconds, p50: 0, p99: 0)
    }
    // Sendable without the compiler's check: each connection has requests of its own.
    nonisolated(unsafe) let exchanges = try exchanges(mode, count)
    let results = Results(count: exchanges.count)
    let start = ContinuousClock.now
    together(exchanges.count) { index in
      let connection = LoadConnection(to: address)
      results.set(
        index,
        exchanges[index].map { exchange in
          let start = ContinuousClock.now
          exchange(connection)
          return (ContinuousClock.now - start).seconds * 1000
        })
    }
    let times = results.all.sorted()
    return LoadRate(
      rate: Double(times.count) / (ContinuousClock.now - start).seconds, p50: times.percentile(50),
      p99: times.percentile(99))
  }

  /// Polls at a steady pace, of so many a second, for so many seconds. Each connection is that of one person.
  private func pace(_ seconds: Int, rate: Double) throws -> LoadRate {
    let (state, connections) = (try state(), Self.connections)
    // Many clients have long pauses, whose milliseconds hit the rate well.
    let clients = connections * 50
    let interval = max(Int(Double(clients) * 1000 / rate), 1)
    let rounds = max(seconds * 1000 / interval, 1)
    let people = try (0..<connections).map { _ in try person() }
    let requests = try (0..<clients).map { client in
      try (0...rounds).map { _ in try pollRequest(people[client % connections], state) }
    }
    let crowd = Crowd(clients: clients, interval: interval, rounds: rounds, connections: connections)
    let times = crowd.run(at: address, expecting: 200) { client, round in requests[client][round] }
    return LoadRate(
      rate: Double(clients) * 1000 / Double(interval), p50: times.percentile(50), p99: times.percentile(99))
  }
}

extension Duration {
  var seconds: Double {
    let (seconds, rest) = components
    return Double(seconds) + Double(rest) / 1e18
  }
}
