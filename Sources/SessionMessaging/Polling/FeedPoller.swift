import SessionNetworking

/// The poller of a feed.
protocol FeedPoller: Sendable {
  var condition: PollCondition { get async }
  func start(after delay: Duration) async
  func stop() async
  func suspend() async
  func resume(after delay: Duration) async
  func restart(after delay: Duration) async
  func pollNow() async -> Bool
}

extension Poller: FeedPoller {}

/// The subscription of a feed: a node notifies of new messages.
protocol FeedMonitor: Sendable {
  var notifier: [UInt8]? { get async }
  func start() async
  func stop() async
}

extension SwarmMonitor: FeedMonitor {}
