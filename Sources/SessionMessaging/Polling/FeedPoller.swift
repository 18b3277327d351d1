import SessionNetworking

/// What polls a feed.
protocol FeedPoller: Sendable {
  var condition: SwarmPoller.Condition { get async }
  func start(after delay: Duration) async
  func stop() async
  func suspend() async
  func resume(after delay: Duration) async
  func restart(after delay: Duration) async
  func pollNow() async -> Bool
}

extension SwarmPoller: FeedPoller {}

/// What keeps a node telling of what is new in a feed.
protocol FeedMonitor: Sendable {
  var teller: [UInt8]? { get async }
  func start() async
  func stop() async
}

extension SwarmMonitor: FeedMonitor {}
