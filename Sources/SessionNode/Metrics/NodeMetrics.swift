import Synchronization

/// What a node has done so far. There is nothing of users in it: methods, codes and numbers.
final class NodeMetrics: Sendable {
  /// The ways in which requests come.
  enum Way: String, CaseIterable {
    case quic
    case https
    case onion
    case member
  }

  enum OnionRole: String, CaseIterable {
    case final
    case relay
    case proxy
  }

  struct Request: Hashable, Comparable {
    let method: String
    let way: Way
    let code: Int

    static func < (one: Request, other: Request) -> Bool {
      (one.method, one.way.rawValue, one.code) < (other.method, other.way.rawValue, other.code)
    }
  }

  struct Counts {
    var requests: [Request: UInt64] = [:]
    var onions: [OnionRole: UInt64] = [:]
    var pushes: UInt64 = 0
  }

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  /// Counts an answer. `method` is one that there is: each makes a series of its own.
  func count(_ method: String, over way: Way, code: Int) {
    state.withLock { $0.requests[Request(method: method, way: way, code: code), default: 0] += 1 }
  }

  func count(_ role: OnionRole) { state.withLock { $0.onions[role, default: 0] += 1 } }

  func countPushes(_ count: Int) { state.withLock { $0.pushes += UInt64(count) } }
}
