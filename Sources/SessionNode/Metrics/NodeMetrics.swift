import SessionService
import Synchronization

/// Counters of a node, without user data: methods, codes and numbers.
final class NodeMetrics: Sendable {
  /// The ways in which requests come.
  enum Way: String, CaseIterable {
    case quic
    case https
    case onion
    case member
  }

  enum OnionRole: String, CaseIterable, Comparable {
    case final
    case relay
    case proxy

    static func < (one: OnionRole, other: OnionRole) -> Bool { one.rawValue < other.rawValue }
  }

  struct Request: Hashable, Comparable {
    let method: String
    let way: Way
    let code: Int

    static func < (one: Request, other: Request) -> Bool {
      (one.method, one.way.rawValue, one.code) < (other.method, other.way.rawValue, other.code)
    }
  }

  let requests = Tally<Request>()
  let onions = Tally<OnionRole>()
  let pushes = Atomic<UInt64>(0)

  /// Counts a reply. `method` is a known one: each is a separate series.
  func count(_ method: String, over way: Way, code: Int) {
    requests.count(Request(method: method, way: way, code: code))
  }

  func count(_ role: OnionRole) { onions.count(role) }

  func countPushes(_ count: Int) { pushes.add(UInt64(count), ordering: .relaxed) }
}
