import SessionNetworking

/// The rooms of one server, as its poller reads them.
protocol ServerFeed: Sendable {
  /// Polls all rooms, and returns when the results are stored. The cursor of a room is stored in the same transaction
  /// as the messages before it.
  ///
  /// Throws if the whole request failed. A room that failed is left as it was, and does not stop the others.
  func poll() async throws -> ServerPollResult
  /// Returns the delay after a poll.
  func delay(after outcome: PollOutcome) async -> Duration
  /// Clears the delays of rooms and inboxes after failures.
  func resetBackoff()
}

/// The result of a poll of a server.
struct ServerPollResult: Hashable, Sendable {
  /// True if a room has more messages, and its cursor moved.
  var hasMore = false
}

/// Creates the feed of a server, which stores what it brings in the inbox.
typealias ServerFeedFactory = @Sendable (RoomInbox) -> any ServerFeed

extension ServerFeed {
  func resetBackoff() {}
}
