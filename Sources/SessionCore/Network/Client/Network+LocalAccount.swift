import Synchronization

extension Network {
  /// An account of this program, on whose behalf requests are made.
  ///
  /// Requests of different accounts share no path, so that no node but a guard sees that one client makes both. All
  /// accounts of a program can use one network: they share its nodes, guards and connections.
  public struct LocalAccount: Hashable, Sendable {
    private static let last = Atomic<UInt64>(0)

    let number: UInt64

    /// An account that differs from all others of this program.
    public init() {
      number = Self.last.add(1, ordering: .relaxed).newValue
    }

    init(number: UInt64) { self.number = number }
  }
}
