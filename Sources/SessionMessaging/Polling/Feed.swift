import SessionCore
import Synchronization

/// A source that is polled repeatedly.
enum Feed: Hashable, Sendable {
  case account
  case group(SessionID)
  /// All rooms of a server, by its URL.
  case server(String)

  /// The feed that brings the messages of a conversation.
  init(of conversation: Conversation.ID) {
    self =
      switch conversation {
      case .person: .account
      case .group(let id): .group(id)
      case .room(let place): .server(place.server)
      }
  }

  /// The longest interval of polls while the user is viewing a conversation of the feed. A public server has too many
  /// clients for a shorter one.
  var watchedInterval: Duration {
    switch self {
    case .account, .group: .milliseconds(1500)
    case .server: .seconds(4)
    }
  }
}

/// The feeds to poll besides the account itself, which is always polled.
struct WantedFeeds: Hashable, Sendable {
  /// The time of the last activity in each feed, in milliseconds.
  var activity: [Feed: Int64]

  init(_ activity: [Feed: Int64] = [:]) {
    self.activity = activity
    self.activity[.account] = .max
  }

  /// A room in the database, as far as polling depends on it.
  struct Room {
    let server: String
    let isPolled: Bool
    let lastActivity: Int64
  }

  /// Decides what to poll: the groups that we are in and have the credentials to read, and the servers with a room to
  /// poll.
  init(_ groups: [(group: Group, lastActivity: Int64)], _ rooms: [Room], for account: Account) {
    let read = groups.filter { $0.group.credentials(of: account) != nil }
    let feeds =
      read.map { (Feed.group($0.group.id), $0.lastActivity) }
      + rooms.filter(\.isPolled).map { (Feed.server($0.server), $0.lastActivity) }
    self.init(Dictionary(feeds, uniquingKeysWith: max))
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
    // Sorts after all digits and letters.
    case .account: "~"
    case .group(let id): id.description
    case .server(let url): url
    }
  }
}
