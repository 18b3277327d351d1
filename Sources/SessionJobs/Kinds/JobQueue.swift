/// A queue of jobs. Queues do not wait for each other, but for those that come first.
public struct JobQueue: Hashable, Sendable {
  /// The largest concurrency of a queue.
  public static let maxConcurrency = 256

  public let name: String
  /// The number of jobs that may run at a time.
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
