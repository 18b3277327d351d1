import SessionCore
import Synchronization

/// Something that is polled again and again.
enum Feed: Hashable, Sendable {
  case account
  case group(SessionID)
  /// All rooms of a server, by its URL.
  case server(String)
}

/// The feeds that an account wants, apart from its own, which it always does.
struct WantedFeeds: Hashable, Sendable {
  /// When something happened in each feed last, in milliseconds.
  var activity: [Feed: Int64]

  init(_ activity: [Feed: Int64] = [:]) {
    self.activity = activity
    self.activity[.account] = .max
  }

  func contains(_ feed: Feed) -> Bool { activity[feed] != nil }

  /// The account, then the others, the most active first.
  var ordered: [Feed] {
    activity.sorted { ($0.value, $0.key.text) > ($1.value, $1.key.text) }.map(\.key)
  }
}

extension Feed {
  /// Orders feeds that were active at the same time.
  fileprivate var text: String {
    switch self {
    // Above all digits and letters.
    case .account: "~"
    case .group(let id): id.description
    case .server(let url): url
    }
  }
}

/// The feeds that somebody looks at.
final class WatchedFeeds: Sendable {
  private let counts = Mutex<[Feed: Int]>([:])

  func begin(_ feed: Feed) { counts.withLock { $0[feed, default: 0] += 1 } }

  func end(_ feed: Feed) {
    counts.withLock { counts in
      let count = counts[feed, default: 0] - 1
      counts[feed] = count > 0 ? count : nil
    }
  }

  func contains(_ feed: Feed) -> Bool { counts.withLock { $0[feed] != nil } }
}
