public import SessionCore

/// What was gained by what a node had.
public struct SwarmGain: Hashable, Sendable {
  /// The namespaces in which the node is asked for something else the next time.
  public var moved: Set<StorageNamespace>
  /// Whether there was anything that no node had given before.
  public var hasNew: Bool
  /// Whether any of it was proven to come from somebody who is known, and is kept.
  public var hasProven: Bool

  public init(moved: Set<StorageNamespace> = [], hasNew: Bool = false, hasProven: Bool = false) {
    self.moved = moved
    self.hasNew = hasNew
    self.hasProven = hasProven
  }
}
