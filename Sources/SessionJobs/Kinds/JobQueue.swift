/// A queue of jobs. Queues do not wait for each other, but for those that come first.
public struct JobQueue: Hashable, Sendable {
  /// How many jobs of a queue may run at a time at most.
  public static let maxConcurrency = 256

  public let name: String
  /// How many of its jobs may run at a time.
  public let concurrency: Int
  /// Whether the other queues wait, once after each start, until nothing of this one runs or could run now. What of it
  /// waits for its time, a condition or another job holds nobody up.
  public let comesFirst: Bool

  public init(_ name: String, concurrency: Int = maxConcurrency, comesFirst: Bool = false) {
    self.name = name
    self.concurrency = min(max(concurrency, 1), Self.maxConcurrency)
    self.comesFirst = comesFirst
  }
}
