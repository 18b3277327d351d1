import SessionHTTP
import SessionService

/// Counters of responses, without user data.
final class ServerMetrics: Sendable {
  /// The ways in which requests come.
  enum Way: String {
    case plain
    /// Through the network.
    case onion
  }

  struct Answer: Hashable, Comparable {
    /// The pattern of a route: each is a separate series.
    let route: String
    let method: String
    let way: Way
    let status: Int

    static func < (one: Answer, other: Answer) -> Bool {
      (one.route, one.method, one.way.rawValue, one.status)
        < (other.route, other.method, other.way.rawValue, other.status)
    }
  }

  let answers = Tally<Answer>()

  func count<Handler>(_ route: RouteTable<Handler>.Route?, over way: Way, status: Int) {
    answers.count(
      Answer(
        route: route?.pattern ?? "none", method: route?.method.rawValue ?? "none", way: way, status: status))
  }
}
