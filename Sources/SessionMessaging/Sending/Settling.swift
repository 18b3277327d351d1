import SessionStorage
import Synchronization

/// The event that a call settles. Each transaction of the call acknowledges it, so that the change is never there without
/// the acknowledgement.
final class Settling: Sendable {
  /// That of the call that is being carried out.
  @TaskLocal static var current: Settling?

  private struct State {
    var isDone = false
    var isOver = false
  }

  let event: EventAcknowledgement
  private let state = Mutex(State())

  init(_ event: EventAcknowledgement) { self.event = event }

  /// True if a transaction that was committed has acknowledged it.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Acknowledges the event in a transaction of the call; not in what the call has begun and that goes on after it.
  /// Tell ``noteDone()`` after the transaction if this returns true.
  func settle(in transaction: borrowing WriteTransaction, at now: Int64) throws -> Bool {
    guard state.withLock({ !$0.isOver }) else { return false }
    try transaction.acknowledge(event, at: now)
    return true
  }

  /// It has been acknowledged: by a transaction that was committed, or the program that holds the account.
  func noteDone() { state.withLock { $0.isDone = true } }

  func end() { state.withLock { $0.isOver = true } }
}

extension Messenger {
  /// Makes changes, and has a reader acknowledge an event in the same transaction, so that neither happens without the other.
  /// Throws `cursor` if there is no such event.
  package nonisolated func settling<R>(
    _ event: EventAcknowledgement, _ changes: () async throws -> R
  ) async throws -> R {
    let settling = Settling(event)
    defer { settling.end() }
    let result = try await Settling.$current.withValue(settling) { try await changes() }
    // Nothing had to be changed.
    if !settling.isDone { try await acknowledge(event.cursor, by: event.reader) }
    return result
  }
}
