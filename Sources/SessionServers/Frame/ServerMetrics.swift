import SessionHTTP
import Synchronization

/// How often a server gave which answer. There is nothing of users in it.
final class ServerMetrics: Sendable {
  /// The ways in which requests come.
  enum Way: String {
    case plain
    /// Through the network.
    case onion
  }

  struct Answer: Hashable, Comparable {
    /// The pattern of a route: each makes a series of its own.
    let route: String
    let method: String
    let way: Way
    let status: Int

    static func < (one: Answer, other: Answer) -> Bool {
      (one.route, one.method, one.way.rawValue, one.status)
        < (other.route, other.method, other.way.rawValue, other.status)
    }
  }

  private let counts = Mutex<[Answer: UInt64]>([:])

  var answers: [(answer: Answer, count: UInt64)] {
    counts.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }

  var total: UInt64 { counts.withLock { $0.values.reduce(0, +) } }

  func count(_ route: Routes.Route?, over way: Way, status: Int) {
    let answer = Answer(
      route: route?.pattern ?? "none", method: route?.method.rawValue ?? "none", way: way, status: status)
    counts.withLock { $0[answer, default: 0] += 1 }
  }
}
