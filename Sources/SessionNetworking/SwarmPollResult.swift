public import SessionCore

/// The result of processing a poll.
public struct SwarmPollResult: Hashable, Sendable {
  /// The namespaces whose cursor changed.
  public var moved: Set<StorageNamespace>
  /// True if anything was new to this device.
  public var hasNew: Bool
  /// True if the node did not have the cursor's message, so that the poller falls back to an older cursor.
  public var isSteppingBack: Bool
  /// True if a part of the reply was left for the next poll, because of its size.
  public var isUnfinished = false
  /// True if something is missing that only several members together can prove to be missing, so that the next one is
  /// polled at once.
  public var needsWitness = false
  /// True if any of it was verified to come from a known person and stored.
  public var hasProven: Bool
  /// The reason why the poll counts as failed, although the results of other namespaces are stored; nil if it
  /// succeeded.
  public var failure: NetworkFailure?

  public init(
    moved: Set<StorageNamespace> = [], hasNew: Bool = false, hasProven: Bool = false,
    isSteppingBack: Bool = false, failure: NetworkFailure? = nil
  ) {
    self.moved = moved
    self.isSteppingBack = isSteppingBack
    self.hasNew = hasNew
    self.hasProven = hasProven
    self.failure = failure
  }
}
