/// A queue of jobs. Queues do not wait for each other, but for those that come first.
public struct JobQueue: Hashable, Sendable {
  /// How many jobs of a queue may run at a time at most.
  public static let maxConcurrency = 256

  public let name: String
  /// How many of its jobs may run at a time.
  public let concurrency: Int
  /// True if the other queues wait, once after each start, until this one has no running and no ready job. Jobs that wait
  /// for their time, a condition or another job do not count.
  public let comesFirst: Bool

  public init(_ name: String, concurrency: Int = maxConcurrency, comesFirst: Bool = false) {
    self.name = name
    self.concurrency = min(max(concurrency, 1), Self.maxConcurrency)
    self.comesFirst = comesFirst
  }
}
