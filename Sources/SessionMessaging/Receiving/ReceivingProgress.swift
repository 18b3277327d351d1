import Synchronization

/// The progress of receiving since the messenger was started.
public struct ReceivingProgress: Hashable, Sendable, Codable {
  /// The number of messages received from nodes.
  public internal(set) var given = 0
  /// The number of those that were processed: stored, already known, or not for this device.
  public internal(set) var taken = 0
  /// True if the node polled last has more messages.
  public internal(set) var hasMore = false
}

/// The state of receiving, and its observers.
final class ReceivingBoard: Sendable {
  private let receiving = Mutex(ReceivingProgress())
  private let listeners = Listeners<ReceivingProgress>(limit: 1)

  /// Returns the current state and then changes; slow readers miss states in between.
  func stream() -> AsyncStream<ReceivingProgress> {
    receiving.withLock { listeners.stream(after: $0) }
  }

  func change(_ body: (inout ReceivingProgress) -> Void) {
    receiving.withLock { receiving in
      body(&receiving)
      listeners.tell(receiving)
    }
  }

  func finish() { listeners.finish() }
}
