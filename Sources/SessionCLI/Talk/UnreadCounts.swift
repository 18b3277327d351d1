import SessionCore
import SessionMessaging

/// What is new in an account.
struct UnreadCounts: Hashable, Sendable {
  /// The messages in conversations that are not muted, and those of them that mention us.
  var messages = 0
  var mentions = 0
  var requests = 0

  init() {}

  init(in messenger: Messenger, at now: Int64) async throws {
    for view in try await messenger.conversations()
    where view.mutedUntil.map({ $0 <= now }) ?? true && view.notifying != .ofNothing {
      messages += view.unreadMessages
      mentions += view.unreadMentions
    }
    requests = try await messenger.requests().count
  }

  /// The number that is shown to people: each request counts as one.
  var total: Int { messages + requests }

  static func + (a: UnreadCounts, b: UnreadCounts) -> UnreadCounts {
    var sum = a
    sum.messages += b.messages
    sum.mentions += b.mentions
    sum.requests += b.requests
    return sum
  }

  var members: [(String, JSONObject.Value)] {
    [
      ("unread", .integer(UInt64(messages))), ("mentions", .integer(UInt64(mentions))),
      ("requests", .integer(UInt64(requests))),
    ]
  }
}
