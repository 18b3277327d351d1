/// How long events are kept.
public struct EventRetention: Hashable, Sendable {
  /// The number of events that are kept for readers that have not acknowledged them.
  public var limit: Int
  /// The age, in milliseconds, up to which events are kept that all readers have acknowledged.
  public var settledAge: Int64
  /// The number of such events that are kept however old they are.
  public var settledCount: Int

  public init(
    limit: Int = 100_000, settledAge: Int64 = 7 * GarbageRules.day, settledCount: Int = 10_000
  ) {
    self.limit = limit
    self.settledAge = settledAge
    self.settledCount = settledCount
  }
}
