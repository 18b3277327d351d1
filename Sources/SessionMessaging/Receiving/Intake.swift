import Synchronization

/// The progress of receiving since the messenger was started.
public struct Intake: Hashable, Sendable {
  /// The number of messages received from nodes.
  public internal(set) var given = 0
  /// The number of those that were processed: stored, already known, or not for this device.
  public internal(set) var taken = 0
  /// True if the node polled last has more messages.
  public internal(set) var hasMore = false
}

/// The state of receiving, and its observers.
final class IntakeBoard: Sendable {
  private let intake = Mutex(Intake())
  private let listeners = Listeners<Intake>(limit: 1)

  /// Returns the current state and then changes; slow readers miss states in between.
  func stream() -> AsyncStream<Intake> {
    intake.withLock { listeners.stream(after: $0) }
  }

  func change(_ body: (inout Intake) -> Void) {
    intake.withLock { intake in
      body(&intake)
      listeners.tell(intake)
    }
  }

  func finish() { listeners.finish() }
}
