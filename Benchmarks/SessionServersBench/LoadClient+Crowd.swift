import Measuring
import SessionCore

extension LoadClient {
  /// Polls of so many clients, each within so many milliseconds, over so many connections; prints how long they take.
  static func runCrowd(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 8, arguments[1] == "--crowd" else { return false }
    let numbers = arguments[4...].compactMap { Int($0) }
    guard numbers.count == 4 else { return false }
    try LoadClient(arguments[2], arguments[3]).runCrowd(
      Crowd(clients: numbers[0], interval: numbers[1], rounds: numbers[2], connections: numbers[3]))
    return true
  }

  private func runCrowd(_ crowd: Crowd) throws {
    let state = try state()
    let people = try (0..<crowd.clients).map { _ in try person() }
    let plain = request("GET", "/static/room.css")
    let few = Crowd(
      clients: crowd.clients, interval: crowd.interval, rounds: min(crowd.rounds, 2),
      connections: crowd.connections)
    let floor = few.run(at: address, expecting: 200) { _, _ in plain }
    let times = crowd.run(at: address, expecting: 200) { client, _ in
      do { return try pollRequest(people[client], state) } catch {
        fatalError("a request cannot be signed: \(error)")
      }
    }
    let rate = crowd.clients * 1000 / crowd.interval
    let seconds = crowd.interval * crowd.rounds / 1000
    print(
      """
      community/\(crowd.clients) clients over \(crowd.connections) connections, \(rate) polls/s for \(seconds) s: \
      \(times.percentiles) ms; floor, a static page at the same pace: \(floor.percentiles) ms; ratio of p95 \
      \((times.percentile(95) / floor.percentile(95)).rounded(to: 2)); p95 at most 50 ms: \
      \(judged(times.percentile(95) <= 50))
      """)
  }
}

extension [Double] {
  /// Those that half, 95 and 99 of a hundred of these sorted milliseconds do not exceed, and the greatest.
  var percentiles: String {
    [50, 95, 99, 100].map { part in
      "\(part == 100 ? "most" : "p\(Int(part))") \(percentile(part).rounded(to: 2))"
    }.joined(separator: ", ")
  }
}
