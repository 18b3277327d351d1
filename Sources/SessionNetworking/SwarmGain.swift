public import SessionCore

/// What was gained by what a node had.
public struct SwarmGain: Hashable, Sendable {
  /// The namespaces whose cursor changed.
  public var moved: Set<StorageNamespace>
  /// Whether there was anything that no node had given before.
  public var hasNew: Bool
  /// True if the node did not have the cursor's message, so that the poller falls back to an older cursor.
  public var isSteppingBack: Bool
  /// Whether any of it was proven to come from somebody who is known, and is kept.
  public var hasProven: Bool
  /// Why the poll counts as failed, though what came of other namespaces is kept; nil if it does not.
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
