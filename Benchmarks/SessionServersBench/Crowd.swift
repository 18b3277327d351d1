import Glibc
import SessionBase
import SessionCore

/// Clients that each poll at a steady pace, whether the answers to others have come or not. A late answer is counted from
/// when it was due, so that a server that stalls cannot hide it.
struct Crowd: Sendable {
  let clients: Int
  /// Milliseconds between two polls of a client.
  let interval: Int
  let rounds: Int
  let connections: Int

  /// Sends the requests that `make` gives, and returns how long each took in milliseconds, in order. The first round, in which
  /// people come, is not counted.
  func run(
    at address: NetworkAddress, expecting status: Int,
    make: @escaping @Sendable (_ client: Int, _ round: Int) -> [UInt8]
  ) -> [Double] {
    let results = Results(count: connections)
    let start = Self.now + 200_000_000
    together(connections) { index in
      let connection = LoadConnection(to: address)
      var times: [Double] = []
      for round in 0...rounds {
        for client in stride(from: index, to: clients, by: connections) {
          let request = make(client, round)
          let due = start + (round * clients + client) * interval * 1_000_000 / clients
          Self.sleep(until: due)
          connection.exchange(request, expecting: status)
          if round > 0 { times.append(Double(Self.now - due) / 1e6) }
        }
      }
      results.set(index, times)
    }
    return results.all.sorted()
  }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  private static func sleep(until due: Int) {
    var time = timespec(tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000)
    while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
  }
}

/// The times of each connection.
// Sendable without the compiler's check: each connection writes a place of its own.
final class Results: @unchecked Sendable {
  private let places: UnsafeMutableBufferPointer<[Double]>

  init(count: Int) {
    places = .allocate(capacity: count)
    places.initialize(repeating: [])
  }

  deinit {
    _ = places.deinitialize()
    places.deallocate()
  }

  func set(_ index: Int, _ times: [Double]) { places[index] = times }

  var all: [Double] { places.flatMap { $0 } }
}

extension [Double] {
  /// The value that so many of a hundred of these sorted ones do not exceed.
  func percentile(_ part: Double) -> Double {
    isEmpty ? 0 : self[Swift.min(Int(Double(count) * part / 100), count - 1)]
  }
}
