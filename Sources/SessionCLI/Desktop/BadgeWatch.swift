import SessionBase
import SessionDaemon

/// Tells what is unread in the accounts of a daemon, at once and whenever it changes.
struct BadgeWatch: Sendable {
  /// The kinds of events that may change it.
  private static let kinds = [
    "messageReceived", "messageChanged", "messageDeleted", "conversationChanged", "conversationDeleted",
    "requestReceived", "requestAccepted", "contactChanged", "accountImported",
  ]
  /// The shortest time between two changes.
  private static let interval = Duration.milliseconds(250)
  /// How soon it looks again without an event: the end of a mute is none.
  private static let refreshInterval = Duration.seconds(60)

  private let wakes: AsyncStream<Void>
  private let waking: AsyncStream<Void>.Continuation

  init() {
    (wakes, waking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Takes what a connection hears.
  func hear(_ method: String, _ params: JSONValue) { waking.yield() }

  /// Watches until the connection has ended, or the task is cancelled; once.
  func follow(_ client: RPCClient, _ tell: ([AccountBadge]) throws -> Void) async throws {
    let ticking = Task { [waking] in
      while (try? await Task.sleep(for: Self.refreshInterval)) != nil { waking.yield() }
    }
    let leaving = Task { [waking] in
      await client.waitUntilGone()
      waking.finish()
    }
    defer {
      ticking.cancel()
      leaving.cancel()
    }
    _ = try await client.call(
      "events.subscribe",
      ["accounts": "*", "signals": ["account"], "kinds": .array(Self.kinds.map { .string($0) })])
    var told: [AccountBadge]?
    waking.yield()
    for await _ in wakes {
      let badges = try await [AccountBadge](of: client)
      if badges != told { try tell(badges) }
      told = badges
      try await Task.sleep(for: Self.interval)
    }
    try Task.checkCancellation()
  }
}
